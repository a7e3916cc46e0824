package index_test

import (
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
)

func TestContextListsAsManyDependentsAsAskedForAndCountsAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.write("a.ts", "export const a = 1\n")
	w.write("far.ts", "import './near'\n")
	w.write("near.ts", "import { a } from './a'\nexport const n = a\n")
	w.write("z.ts", "import { a } from './a'\nexport const z = a\n")
	b := must.Get(w.open().Context(t.Context(), kota.ContextQuery{Files: []string{"a.ts"}, MaxDependents: 2}))(t)
	if len(b.List) != 2 || b.Impacted != 3 || b.List[0].Distance != 1 || b.List[1].Distance != 1 {
		t.Errorf("listed %+v of %d, want the two nearest of three", b.List, b.Impacted)
	}
}

func TestDeclarationsAreCountedAsTheyAreDecoded(t *testing.T) {
	t.Parallel()
	for _, f := range []lang.Facts{
		{},
		{Unit: "p", Outside: "x", Decls: []lang.Decl{{Name: "a", Line: 1, End: 2}, {Name: "b", In: "a", Line: 200, End: 300}}},
		{Exports: []lang.Export{{Name: "d", Local: "d", From: -1, Line: 4}}, Decls: make([]lang.Decl, 300)},
	} {
		facts := codec.EncodeFacts(&f)
		got := codec.DecodeFacts(facts, codec.WithDecls)
		if n := codec.CountDecls(facts); n != len(f.Decls) || n != len(got.Decls) {
			t.Errorf("%d declarations: counted %d, decoded %d", len(f.Decls), n, len(got.Decls))
		}
	}
	if n := codec.CountDecls(""); n != 0 {
		t.Errorf("%d declarations without facts", n)
	}
}
