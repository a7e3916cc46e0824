package erase_test

import (
	"path/filepath"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
)

// A tool that prints an address, and a person who gives it with other words: purging the one
// leaves the other, and nothing of the one is left.
func TestErasedTextThatARemainingTextRepeatsIsNotReportedAsLeft(t *testing.T) {
	const address = "https://example.org/pull/203"
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	storetest.Ingest(t, st, storetest.Session(t, "keeper", "it is "+address+", I think"))
	storetest.Ingest(t, st, storetest.Session(t, "gone", "away with it"))
	doc := &object.Document{Kind: object.KindToolcall, Content: []byte(address), Toolcall: &object.Toolcall{Tool: "bash", Status: object.StatusOK}}
	storetest.Submit(t, st.Objects, object.Op{Do: object.Put, Key: object.ToolcallKey("gone", "gone0000", "c"), Doc: doc})
	c, err := st.Eraser.Choose(t.Context(), erase.Selection{Filter: history.Filter{Sessions: []string{"gone"}}})
	if err != nil || c.Entries == 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	ids, err := st.Objects.Of(t.Context(), c, nil)
	if err != nil || len(ids) == 0 {
		t.Fatal(ids, err)
	}
	traces := must.Get(st.Objects.Purge(t.Context(), ids))(t)
	if r, err := st.Eraser.Scrub(t.Context(), traces); err != nil || len(r.Files) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
