package index

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/words"
)

// Deps returns what a file depends on and what depends on it.
func (e *Engine) Deps(ctx context.Context, q kota.DepsQuery) (kota.Deps, error) {
	i, err := e.ask(q.File)
	if err != nil {
		if d, ok := (affected{e.view}).depsOfGone(ctx, q); ok {
			return d, ctx.Err()
		}
		return kota.Deps{}, err
	}
	d := kota.Deps{File: e.name(i), Depth: max(q.Depth, 1), Partial: e.tree.files[i].header().Partial}
	if q.Dependents {
		d.Dependents = e.side(i, q, e.graph.in, e.throughBarrels(ctx, i))
		e.giveLines(d.Dependents, func(j int) []int { return e.linesTo(j, i) })
	}
	if q.Dependencies {
		d.Dependencies = e.side(i, q, e.graph.out, nil)
		e.giveLines(d.Dependencies, func(j int) []int { return e.linesTo(i, j) })
		d.Unresolved, d.External = e.elsewhere(i)
	}
	d.Incomplete = e.unsure([]int{i})
	if members := e.graph.groupOf(i); len(members) > 1 {
		d.InCycle = len(members)
	}
	return d, nil
}

// depsOfGone lists the files that still import a deleted file, and reports whether there are any.
func (e affected) depsOfGone(ctx context.Context, q kota.DepsQuery) (kota.Deps, bool) {
	c := change{gone: e.importsOf(ctx, e.spelled(q.File))}
	if len(c.gone) == 0 {
		return kota.Deps{}, false
	}
	d := kota.Deps{Depth: max(q.Depth, 1), Gone: true, Dependents: &kota.Side{List: []kota.Dep{}}}
	ring := e.takers(ctx, c)
	dist := e.distances(c, ring)
	var found []int
	for j := range dist {
		if dist[j] <= 0 || int(dist[j]) > d.Depth {
			continue
		}
		dep := e.dep(j, int(dist[j]))
		for _, g := range c.gone[j] {
			d.File, dep.Lines = g.file, append(dep.Lines, e.facts(j).Imports[g.k].Line)
		}
		if t := ring[j]; t != nil && t.via >= 0 {
			dep.Via = e.name(t.via)
			d.Dependents.ViaBarrels++
		} else if t != nil {
			d.Dependents.Direct++
		}
		tally(d.Dependents, dep)
		if q.Tests || e.isProduction(j) {
			d.Dependents.List, found = append(d.Dependents.List, dep), append(found, j)
		}
	}
	start := make(map[int]float64)
	for i := range c.gone {
		start[i] = 1
	}
	e.order(d.Dependents.List, found, start, e.graph.in)
	return d, true
}

// throughBarrels returns the files that use exports of file i without importing i, each with the
// file that it imports them from.
func (v *view) throughBarrels(ctx context.Context, i int) map[int]int {
	var items []item
	for _, n := range v.exportsOf(i) {
		items = append(items, item{name: n})
	}
	direct := make(map[int]bool)
	for _, a := range v.graph.in(i) {
		direct[int(a.to)] = true
	}
	out := make(map[int]int)
	for _, b := range v.takes(ctx, i, items) {
		if _, known := out[b.file]; !known && b.via != i && b.file != i && !direct[b.file] {
			out[b.file] = b.via
		}
	}
	return out
}

// side collects one direction, in order. via are the files that throughBarrels found.
func (e *Engine) side(i int, q kota.DepsQuery, next func(int) []arc, via map[int]int) *kota.Side {
	s, found := e.neighbors(i, q, next, via)
	e.order(s.List, found, map[int]float64{i: 1}, next)
	return s
}

// neighbors is side without the order, which takes longest.
func (e *Engine) neighbors(i int, q kota.DepsQuery, next func(int) []arc, via map[int]int) (s *kota.Side, found []int) {
	dist := e.graph.reach([]int{i}, max(q.Depth, 1), next)
	s = &kota.Side{List: []kota.Dep{}, ViaBarrels: kota.Number(len(via))}
	arcs := make(map[int]arc)
	for _, a := range next(i) {
		arcs[int(a.to)] = a
	}
	for j := range dist {
		barrel, through := via[j]
		if j == i || dist[j] < 0 && !through {
			continue
		}
		d := e.dep(j, int(dist[j]))
		if through {
			d.Distance, d.Via = 1, e.name(barrel)
		}
		if a, ok := arcs[j]; ok {
			s.Direct++
			d.Kinds, d.TypeOnly, d.Inferred = kindsOf(a), a.flags&arcTypes != 0, a.flags&arcInferred != 0
		}
		tally(s, d)
		if (q.Tests || e.isProduction(j)) && (q.Dir == "" || Within(d.File, q.Dir)) {
			s.List = append(s.List, d)
			found = append(found, j)
		}
	}
	return s, found
}

// giveLines sets the lines of the imports between a file and its direct neighbors.
func (v *view) giveLines(s *kota.Side, lines func(int) []int) {
	for k := range s.List {
		if d := &s.List[k]; d.Distance == 1 && d.Via == "" {
			d.Lines = lines(v.tree.find(d.File))
		}
	}
}

// dep returns a file as an entry of an answer.
func (v *view) dep(i, distance int) kota.Dep {
	return kota.Dep{File: v.name(i), Distance: distance, Test: v.isTest(i), Support: v.role(i) == lang.Support, Label: v.label(i)}
}

// tally adds a file to the counts of a side.
func tally(s *kota.Side, d kota.Dep) {
	s.Total++
	switch {
	case d.Test:
		s.Tests++
	case d.Support:
		s.Support++
	default:
		s.Production++
	}
	if d.Inferred {
		s.Inferred++
	}
}

// order sorts files: production, test support, tests; then by distance. At the same distance,
// examples and the like come last (unless the question is about one of them), before them
// barrels, and the others are sorted by their rank from start, weighted by the number of
// importers.
func (v *view) order(list []kota.Dep, files []int, start map[int]float64, next func(int) []arc) {
	type ranked struct {
		kota.Dep
		barrel, aside bool
		score         float64
	}
	ownAside := false
	for i := range start {
		ownAside = ownAside || words.IsAside(v.name(i))
	}
	score := v.graph.rank(start, next)
	all := make([]ranked, len(list))
	for k, j := range files {
		users := bits.Len(uint(len(v.graph.in(j)))) // a leaf keeps all rank that it gets, a hub passes it on
		all[k] = ranked{list[k], v.tree.files[j].header().Barrel, !ownAside && words.IsAside(list[k].File), float64(score[j] * float64(1+users))}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(
			falseFirst(a.Test, b.Test), falseFirst(a.Support, b.Support), cmp.Compare(a.Distance, b.Distance), falseFirst(a.aside, b.aside), falseFirst(a.barrel, b.barrel),
			cmp.Compare(b.score, a.score), strings.Compare(a.File, b.File),
		)
	})
	for k := range all {
		list[k] = all[k].Dep
	}
}

func falseFirst(a, b bool) int { return cmp.Compare(oneIf(a), oneIf(b)) }

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// linesTo lists the lines on which a file imports another.
func (v *view) linesTo(from, to int) []int {
	var out []int
	facts := v.facts(from)
	for k := range v.tree.files[from].edges {
		if v.means(from, k, v.name(to)) && k < len(facts.Imports) {
			out = append(out, facts.Imports[k].Line)
		}
	}
	return slices.Compact(out)
}

// elsewhere lists what a file imports from outside the tree: missing files and packages.
func (v *view) elsewhere(i int) (missing []kota.Missing, packages []string) {
	facts := v.facts(i)
	for k, l := range v.tree.files[i].edges {
		if k >= len(facts.Imports) {
			break
		}
		im := facts.Imports[k]
		if im.Kind == lang.Augments {
			continue
		}
		switch l.status {
		case lang.Unresolved:
			missing = append(missing, kota.Missing{Line: im.Line, Spec: im.Wanted()})
		case lang.Computed:
			missing = append(missing, kota.Missing{Line: im.Line, Spec: "(computed)"})
		case lang.External:
			packages = append(packages, v.files.Languages.Of(v.name(i)).Package(im.Spec))
		}
	}
	slices.Sort(packages)
	return missing, slices.Compact(packages)
}
