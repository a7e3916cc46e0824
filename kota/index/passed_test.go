package index_test

import (
	"slices"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

// A file that passes a name on unchanged can be asked about it: usages and impact agree on the files
// that take the name from it.
func TestANameThatAFilePassesOnIsFoundThere(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- src/core.ts --
export type Delays = { a: number }
export const retry = 1
-- src/star.ts --
export const other = 1
-- src/index.ts --
export type { Delays } from './core'
export * from './star'
export * from './core'
-- src/user.ts --
import { Delays, retry } from './index'
export const d: Delays = { a: retry }
-- src/direct.ts --
import { retry } from './core'
export const r = retry
`).open()
	for name, line := range map[string]int{"Delays": 1, "retry": 3} {
		u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: name, File: "src/index.ts"})
		if err != nil {
			t.Errorf("usages of %s: %v", name, err)
			continue
		}
		if u.Definition == nil || u.Definition.File != "src/index.ts" || u.Definition.Line != line || u.Definition.Kind != "re-export" {
			t.Errorf("%s is defined at %+v", name, u.Definition)
		}
		used := []string{}
		for _, x := range u.List {
			used = append(used, x.File)
		}
		im, err := e.Impact(t.Context(), kota.ImpactQuery{Symbols: []string{name}, File: "src/index.ts"})
		if err != nil {
			t.Errorf("impact of %s: %v", name, err)
			continue
		}
		takes := []string{}
		for _, d := range im.Dependents {
			takes = append(takes, d.File)
		}
		want := []string{"src/user.ts"}
		must.Not(t, !slices.Equal(used, want) || !slices.Equal(takes, want), "%s is used in %v, and a change affects %v, want %v", name, used, takes, want)
	}
	if _, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "retry", File: "src/star.ts"}); err == nil {
		t.Error("usages found a name in a file that does not have it")
	}
}

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
