package objects_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
)

// A document is JSON: what is looked for is found in it although it is written with escapes there.
func TestArgumentsThatAreEscapedAreFoundByWhatTheySay(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	for name, args := range map[string]string{
		"a quote": `{"command":"login --password 'swordfish\"7'"}`, "an escape": `{"command":"login --password 'sw\u006frdfish\"7'"}`,
		"a name": `{"swordfish\"7":true}`,
	} {
		doc := &object.Document{Kind: object.KindToolcall, Content: []byte("done"), Toolcall: &object.Toolcall{Tool: "bash", Status: object.StatusOK, Args: []byte(args)}}
		id := storetest.Submit(t, st.Objects, object.Op{Do: object.Put, Key: object.ToolcallKey("s", name, "c"), Doc: doc}).Results[0].ID
		got, err := st.Objects.Of(t.Context(), &erase.Chosen{}, regexp.MustCompile(`swordfish"7`))
		if err != nil || !slices.Contains(got, id) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
