package index_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

// Modules that export themselves as a namespace have infinitely many paths.
func TestNamespacesThatContainThemselvesEnd(t *testing.T) {
	t.Parallel()
	var tree strings.Builder
	for i := range 12 {
		fmt.Fprintf(&tree, "-- m%d.ts --\nexport const a = 1\nexport * from './m%d'\n", i, (i+1)%12)
		for j := range 12 {
			fmt.Fprintf(&tree, "export * as n%d from './m%d'\n", j, j)
		}
	}
	tree.WriteString("-- user.ts --\nimport { a, n1 } from './m0'\na\nn1.a\nn1.n2.a\n")
	e := newWorld(t, tree.String()).open()
	u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "a", File: "m0.ts", Tests: true})
	must.Not(t, err != nil || !slices.ContainsFunc(u.List, func(x kota.Usage) bool { return x.File == "user.ts" }), "%v", err)
}

// A file cannot tell members of its own types apart: their full names can.
func TestCandidatesHaveTheNamesThatChooseThem(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- a.ts --
export interface Cart { total: number }
export interface Order { total: number }
export namespace Shop {
  export const rate = 1
  export namespace Inner { export const rate = 2 }
}
-- b.ts --
import { Cart, Order, Shop } from './a'
export const f = (cart: Cart, order: Order) => cart.total + order.total
export const g = () => Shop.rate
export const h = () => Shop.Inner.rate
`).open()
	for symbol, want := range map[string][]string{"total": {"Cart.total", "Order.total"}, "rate": {"Shop.Inner.rate", "Shop.rate"}} {
		u := must.Get(e.Usages(t.Context(), kota.UsagesQuery{Symbol: symbol}))(t)
		var names []string
		for _, c := range u.Candidates {
			names = append(names, c.Name)
			one, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: c.Name})
			if err != nil || one.Definition == nil || one.Definition.Line != c.Line || one.Total == 0 {
				t.Errorf("%s: %+v, %v", c.Name, one, err)
			}
			if im, err := e.Impact(t.Context(), kota.ImpactQuery{Symbols: []string{c.Name}}); err != nil || im.Direct != 1 {
				t.Errorf("impact of %s: %+v, %v", c.Name, im, err)
			}
		}
		slices.Sort(names)
		must.Match(t, names, want, "what it says")
		if _, err := e.Impact(t.Context(), kota.ImpactQuery{Symbols: []string{symbol}}); err == nil || !strings.Contains(err.Error(), "name its owner, as in ") || strings.Contains(err.Error(), "--file") {
			t.Errorf("impact: %v", err)
		}
	}
	must.Match(t, usages(t, e, kota.UsagesQuery{Symbol: "Shop.Inner.rate"}), []string{"b.ts import 1 [4]"}, "in a namespace in a namespace")
}

// An answer says "nothing" only when the index knows that.
func TestNamesThatWereNotReadAreSaidToBeThat(t *testing.T) {
	t.Parallel()
	long := "export const traceImage = '" + strings.Repeat("x", 20_000) + "'\n"
	e := newWorld(t, "-- images.ts --\n"+long+"-- odd.js --\nmake(exports)\n-- view.ts --\nimport { traceImage } from './images'\nimport { made } from './odd'\ntraceImage\nmade\n").open()
	u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "traceImage"})
	if err != nil || u.Total != 2 || u.Definition == nil || u.Definition.File != "images.ts" || len(u.Incomplete) != 1 {
		t.Errorf("of a file that is generated: %+v, %v", u, err)
	}
	u, err = e.Usages(t.Context(), kota.UsagesQuery{Symbol: "made"})
	must.Not(t, err != nil || u.Total != 2 || u.Definition == nil || u.Definition.File != "odd.js", "of a file that exports what is not known: %+v, %v", u, err)
	text := kota.Fit(0, u.Texts(kota.Window{}, "more"), nil)
	must.Contain(t, text, "imported from odd.js, not found in it", "the answer")
}

func TestCandidatesAreCountedAndOneThatIsExportedIsChosen(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- a.ts --
export const twice = 1
-- b.ts --
export const twice = 2
export const once = 2
-- c.ts --
import { twice } from './b'
const once = twice
twice + once
`).open()
	u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "twice"})
	if err != nil || len(u.Candidates) != 2 || u.Candidates[0].File != "b.ts" || u.Candidates[0].Uses != 3 || u.Candidates[0].Files != 1 || u.Candidates[1].Uses != 0 {
		t.Errorf("two that are exported: %+v, %v", u.Candidates, err)
	}
	u, err = e.Usages(t.Context(), kota.UsagesQuery{Symbol: "once"})
	must.Not(t, err != nil || u.Definition == nil || u.Definition.File != "b.ts" || len(u.Others) != 1 || u.Others[0].File != "c.ts", "one that is: %+v, %v", u, err)
}

func TestUsesAreShownWithTheirCode(t *testing.T) {
	t.Parallel()
	e := newWorld(t, "-- a.ts --\nexport const a = 1\n-- b.ts --\nimport { a } from './a'\n\n\tcall(a, 2)\n").open()
	u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "a"})
	must.Stop(t, err != nil || len(u.List) != 1, "%+v, %v", u, err)
	diff := cmp.Diff([]kota.CodeLine{{Line: 3, Text: "call(a, 2)"}}, u.List[0].Code)
	must.Not(t, diff != "", "(-want +got):\n%s", diff)
	must.Contain(t, kota.Fit(0, u.Texts(kota.Window{}, "more"), nil), "\n  b.ts  imported on 1\n    3: call(a, 2)\n", "the answer")
}

func TestAStatusNamesWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- a.ts --\nimport './gone'\n-- broken.ts --\nexport const a = (\n-- odd.ts --\nimport './missing'\nimport(name)\n-- bin.ts --\na\x00b\n-- script.py --\n-- lib/b.py --\n-- main.rb --\n-- large.ts --\nexport const x = '"+strings.Repeat("x", 20_000)+"'\n")
	s := must.Get(w.open().Status(t.Context()))(t)
	var got []string
	for _, g := range s.Gaps {
		got = append(got, fmt.Sprintf("%s:%d %s: %s", g.File, g.Line, g.Spec, g.Why))
	}
	want := []string{
		"bin.ts:0 : binary", "broken.ts:0 : syntax errors: read in part", "large.ts:0 : too large or generated: read for its imports and exports alone",
		"a.ts:1 ./gone: not found", "odd.ts:1 ./missing: not found", "odd.ts:2 : computed when the program runs",
	}
	must.Match(t, got, want, "gaps")
	must.Match(t, s.NotRead, []kota.Count{{Name: ".py", N: 2}, {Name: ".rb", N: 1}}, "other languages")
	d, err := w.open().Deps(t.Context(), kota.DepsQuery{File: "broken.ts", Dependents: true})
	must.Not(t, err != nil || len(d.Incomplete) != 1, "deps of a file that was read in part: %+v, %v", d, err)
	im, err := w.open().Impact(t.Context(), kota.ImpactQuery{Modify: []string{"large.ts"}})
	must.Not(t, err != nil || len(im.Incomplete) != 1, "impact of a file that was read for its imports: %+v, %v", im, err)
	b, err := w.open().Context(t.Context(), kota.ContextQuery{Files: []string{"broken.ts", "large.ts", "odd.ts"}})
	if err != nil || len(b.Incomplete) != 2 || !strings.Contains(b.Text(kota.Window{}, "more").Fit(0), "incomplete: broken.ts was read in part") {
		t.Errorf("context of files that were not all read: %+v, %v", b, err)
	}
}
