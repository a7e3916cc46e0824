package objects_test

import (
	"fmt"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// listing is a call whose result names files: they are discovered, then it is met.
func listing(n int, names ...string) (ops []object.Op) {
	leaf := fmt.Sprintf("e%d", n)
	for _, name := range names {
		k := object.FileKey("", name)
		ops = append(ops, object.Op{Do: object.Put, Key: k, Doc: storetest.FileDoc(name, ""), Once: true}, object.Op{Do: object.Record, Key: k, Event: object.Discovered, Leaf: leaf})
	}
	k := object.ToolcallKey("s1", leaf, "call")
	doc := &object.Document{Kind: object.KindToolcall, Content: []byte(leaf), Toolcall: &object.Toolcall{Tool: "ls", Status: object.StatusOK}}
	return append(ops, object.Op{Do: object.Put, Key: k, Doc: doc}, object.Op{Do: object.Record, Key: k, Event: object.Activated, Leaf: leaf})
}

// A result names the files that were discovered at its entry, as they are now and without
// deleted ones, whichever process wrote last.
func TestWhatResultsNamedIsListedInItsPresentVersions(t *testing.T) {
	clock := startClock()
	st, path := storetest.OpenClocked(t, clock)
	other := must.Get(store.Open(t.Context(), path, sqlite.Hook, clock.Now))(t)
	defer other.Close()
	ops := listing(1, "/a", "/b", "/c")
	storetest.Submit(t, st.Objects, ops...)
	ops = listing(2, "/d")
	storetest.Submit(t, other.Objects, ops...)
	storetest.Put(t, other.Objects, "/a", "longer")
	storetest.Submit(t, other.Objects, object.Op{Do: object.Delete, Key: object.FileKey("", "/c")})
	named, err := st.Objects.Named(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	for entry, want := range map[string]string{"e1": "/a 6 /b 0 ", "e2": "/d 0 ", "e3": ""} {
		got := ""
		for _, v := range named[entry] {
			got += fmt.Sprint(v.Doc.File.Path, " ", v.Doc.File.Chars, " ")
		}
		must.Equal(t, got, want, "%s names", entry)
	}
}
