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
	v := e.view
	i, err := v.ask(q.File)
	if err != nil {
		v = withGone(ctx, v, q.File)
		if i, err = v.ask(q.File); err != nil {
			return kota.Deps{}, err
		}
	}
	d := kota.Deps{File: v.name(i), Depth: max(q.Depth, 1), Partial: v.tree.files[i].marks.Any(codec.Partial), Gone: v.gone[i]}
	if q.Dependents || d.Gone {
		d.Dependents = v.side(i, q, v.graph.In, v.throughBarrels(ctx, i))
		v.giveLines(d.Dependents, func(j int) []int { return v.linesTo(j, i) })
	}
	if q.Dependencies && !d.Gone {
		d.Dependencies = v.side(i, q, v.graph.Out, nil)
		v.giveLines(d.Dependencies, func(j int) []int { return v.linesTo(i, j) })
		d.Unresolved, d.External = v.elsewhere(i)
	}
	d.Incomplete = v.unsure([]int{i})
	if members := v.graph.Group(i); len(members) > 1 {
		d.InCycle = len(members)
	}
	return d, ctx.Err()
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
func (v *view) side(i int, q kota.DepsQuery, next graph.Next, via barrels) *kota.Side {
	s, found, dist := v.neighbors(i, q, next, via)
	v.order(map[int]float64{i: 1}, next, dist, found)
	arcs := next(i)
	s.List = make([]kota.Dep, len(found))
	for n, j := range found {
		d := v.dep(j, int(dist[j]))
		if via != nil && via[j] > 0 {
			d.Via = v.name(int(via[j]) - 1)
		}
		if k, ok := slices.BinarySearchFunc(arcs, j, func(a graph.Arc, j int) int { return int(a.To) - j }); ok {
			d.Kinds, d.TypeOnly, d.Inferred = arcs[k].KindNames(), arcs[k].Is(graph.Types), arcs[k].Is(graph.Inferred)
		}
		s.List[n] = d
	}
	return s
}

// neighbors is side without the list: it returns the files to list and the distances of all.
func (v *view) neighbors(i int, q kota.DepsQuery, next graph.Next, via barrels) (s *kota.Side, found []int, dist []int32) {
	dist = v.graph.Reach([]int{i}, max(q.Depth, 1), next)
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
		tally(s, v.role(j))
		if (q.Tests || v.isProduction(j)) && (q.Dir == "" || words.Within(v.name(j), q.Dir)) {
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
