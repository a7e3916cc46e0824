package index

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/graph"
	"github.com/coctostan/pictx/kota/index/codec"
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
	d := kota.Deps{File: e.name(i), Depth: max(q.Depth, 1), Partial: e.tree.files[i].marks.Any(codec.Partial)}
	if q.Dependents {
		d.Dependents = e.side(i, q, e.graph.In, e.throughBarrels(ctx, i))
		e.giveLines(d.Dependents, func(j int) []int { return e.linesTo(j, i) })
	}
	if q.Dependencies {
		d.Dependencies = e.side(i, q, e.graph.Out, nil)
		e.giveLines(d.Dependencies, func(j int) []int { return e.linesTo(i, j) })
		d.Unresolved, d.External = e.elsewhere(i)
	}
	d.Incomplete = e.unsure([]int{i})
	if members := e.graph.Group(i); len(members) > 1 {
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
		for _, g := range c.gone[j] {
			d.File = g.file
		}
		if t := ring[j]; t.there && t.via >= 0 {
			d.Dependents.ViaBarrels++
		} else if t.there {
			d.Dependents.Direct++
		}
		tally(d.Dependents, e.role(j))
		if q.Tests || e.isProduction(j) {
			found = append(found, j)
		}
	}
	start := make(map[int]float64)
	for i := range c.gone {
		start[i] = 1
	}
	e.order(start, e.graph.In, dist, found)
	for _, j := range found {
		dep := e.dep(j, int(dist[j]))
		for _, g := range c.gone[j] {
			dep.Lines = append(dep.Lines, e.facts(j).Imports[g.k].Line)
		}
		if t := ring[j]; t.there && t.via >= 0 {
			dep.Via = e.name(t.via)
		}
		d.Dependents.List = append(d.Dependents.List, dep)
	}
	return d, true
}

// barrels holds, by file, 1 + the index of the barrel through which the file imports the exports of
// one file. It is 0 or less for a file that imports none through a barrel.
type barrels []int32

// throughBarrels returns the files that use exports of file i without importing i, each with the
// file that it imports them from.
func (v *view) throughBarrels(ctx context.Context, i int) barrels {
	var items []item
	for _, n := range v.exportsOf(i) {
		items = append(items, item{name: n})
	}
	const direct = -1
	out := make(barrels, len(v.tree.files))
	for _, a := range v.graph.In(i) {
		out[a.To] = direct
	}
	v.takes(ctx, i, items, func(b binding) {
		if out[b.file] == 0 && b.via != i {
			out[b.file] = int32(b.via) + 1
		}
	})
	return out
}

// side collects one direction, in order. via are the files that throughBarrels found.
func (e *Engine) side(i int, q kota.DepsQuery, next graph.Next, via barrels) *kota.Side {
	s, found, dist := e.neighbors(i, q, next, via)
	e.order(map[int]float64{i: 1}, next, dist, found)
	arcs := next(i)
	s.List = make([]kota.Dep, len(found))
	for n, j := range found {
		d := e.dep(j, int(dist[j]))
		if via != nil && via[j] > 0 {
			d.Via = e.name(int(via[j]) - 1)
		}
		if k, ok := slices.BinarySearchFunc(arcs, j, func(a graph.Arc, j int) int { return int(a.To) - j }); ok {
			d.Kinds, d.TypeOnly, d.Inferred = arcs[k].KindNames(), arcs[k].Is(graph.Types), arcs[k].Is(graph.Inferred)
		}
		s.List[n] = d
	}
	return s
}

// neighbors is side without the list: it returns the files to list and the distances of all.
func (e *Engine) neighbors(i int, q kota.DepsQuery, next graph.Next, via barrels) (s *kota.Side, found []int, dist []int32) {
	dist = e.graph.Reach([]int{i}, max(q.Depth, 1), next)
	s = &kota.Side{List: []kota.Dep{}, Direct: len(next(i))}
	for _, a := range next(i) {
		s.Inferred += kota.Number(oneIf(a.Is(graph.Inferred)))
	}
	for j := range dist {
		if via != nil && via[j] > 0 {
			dist[j] = 1
			s.ViaBarrels++
		}
		if j == i || dist[j] < 0 {
			continue
		}
		tally(s, e.role(j))
		if (q.Tests || e.isProduction(j)) && (q.Dir == "" || words.Within(e.name(j), q.Dir)) {
			found = append(found, j)
		}
	}
	return s, found, dist
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
func tally(s *kota.Side, role lang.Role) {
	s.Total++
	switch role {
	case lang.Test:
		s.Tests++
	case lang.Support:
		s.Support++
	default:
		s.Production++
	}
}

// order sorts lists of files: production, test support, tests; then by distance. At the same
// distance, examples and the like come last (unless the question is about one of them), before them
// barrels, and the others are sorted by their rank from start, weighted by the number of
// importers.
func (v *view) order(start map[int]float64, next graph.Next, dist []int32, lists ...[]int) {
	type ranked struct {
		file  int
		group uint64
		score float64
	}
	ownAside := false
	for i := range start {
		ownAside = ownAside || words.IsAside(v.name(i))
	}
	var score []float64
	for _, files := range lists {
		if len(files) < 2 {
			continue
		}
		if score == nil {
			score = v.graph.Rank(start, next)
		}
		all := make([]ranked, len(files))
		for k, j := range files {
			users := bits.Len(uint(len(v.graph.In(j)))) // a leaf keeps all rank that it gets, a hub passes it on
			all[k] = ranked{j, groupOf(&v.tree.files[j], dist[j], ownAside), float64(score[j] * float64(1+users))}
		}
		slices.SortFunc(all, func(a, b ranked) int {
			if a.group != b.group {
				return cmp.Compare(a.group, b.group)
			}
			return cmp.Or(cmp.Compare(b.score, a.score), a.file-b.file) // files are in the order of their paths
		})
		for k := range all {
			files[k] = all[k].file
		}
	}
}

// groupOf returns where order puts a file at a distance, whatever its rank: the lower, the earlier.
func groupOf(f *file, distance int32, ownAside bool) uint64 {
	role := codec.Bits(f.role == lang.Support, f.role == lang.Test)
	last := codec.Bits(f.marks.Any(codec.Barrel), !ownAside && words.IsAside(f.path))
	return uint64(role)<<40 | uint64(distance)<<2 | uint64(last)
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
