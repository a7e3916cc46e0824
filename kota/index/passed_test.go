package index_test

import (
	"slices"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

// Other files can import the names that a file passes on by "export *". The impact of the file, or of
// one such name, lists who does.
func TestImpactListsTheNamesThatAFilePassesOnWithAStar(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- src/core.ts --
export const retry = 1
export const other = 2
export default 3
-- src/index.ts --
export * from './core'
export const own = 4
-- src/user.ts --
import { retry } from './index'
console.log(retry)
`).open()
	named, whole := kota.Export{File: "src/index.ts", Name: "retry", Used: 1}, []kota.Export{
		{File: "src/index.ts", Name: "retry", Used: 1}, {File: "src/index.ts", Name: "own"}, {File: "src/index.ts", Name: "other"},
	}
	if im := impact(t, e, kota.ImpactQuery{Symbols: []string{"retry"}, File: "src/index.ts"}); !slices.Equal(im.Exports, []kota.Export{named}) || im.Surface != 1 {
		t.Errorf("the names of a change to one: %+v, %d", im.Exports, im.Surface)
	}
	for _, q := range []kota.ImpactQuery{{Modify: []string{"src/index.ts"}}, {Delete: []string{"src/index.ts"}}} {
		im := impact(t, e, q)
		must.Not(t, !slices.Equal(im.Exports, whole), "the names of a change to the file: %+v", im.Exports)
	}
}

// A member that nothing uses has an empty list of uses, which is a list in JSON, too.
func TestTheUsesOfAMemberThatNothingUsesAreAList(t *testing.T) {
	t.Parallel()
	e := newWorld(t, "-- a.ts --\nexport class Cart {\n  drop() {}\n}\n").open()
	u := must.Get(e.Usages(t.Context(), kota.UsagesQuery{Symbol: "Cart.drop"}))(t)
	must.Not(t, u.List == nil || len(u.List) > 0, "the uses are %#v, want an empty list", u.List)
}
