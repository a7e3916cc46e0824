package objects_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/storetest"
)

// The text of a document is read after its row, and may be gone by then.
func TestObjectsAreListedWhileOthersAreEvicted(t *testing.T) {
	st, _ := storetest.OpenClocked(t, startClock())
	const n = 150
	long := strings.Repeat("make it so ", 60) // too long for the row
	var ids []string
	for i := range n {
		k := object.ToolcallKey("s", "entry", strings.Repeat("x", i+1))
		doc := &object.Document{Kind: object.KindToolcall, Content: []byte(strings.Repeat("y", i+1)), Toolcall: &object.Toolcall{
			Tool: "bash", Args: jsontext.Value(`{"command":"` + long + k.Part(2) + `"}`), Status: object.StatusOK,
		}}
		r, err := st.Objects.Submit(t.Context(), object.Tx{Actor: object.ActorCapture, Ops: []object.Op{{Do: object.Put, Key: k, Doc: doc}}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.Results[0].ID)
	}
	done := make(chan error, 1)
	go func() {
		for _, id := range ids {
			if _, err := st.Objects.Submit(t.Context(), object.Tx{Actor: object.ActorPerson, Ops: []object.Op{{Do: object.Evict, ID: id}}}); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		all, err := st.Objects.FindObjects(t.Context(), object.Query{})
		if err != nil || len(all) != n {
			t.Errorf("%d objects, %v", len(all), err)
		}
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}
