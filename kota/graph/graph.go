package graph

import (
	"maps"
	"slices"

	"github.com/coctostan/pictx/kota/lang"
)

// Flags are what all imports behind an arc have in common.
type Flags uint8

// The flags.
const (
	Types    Flags = 1 << iota // every import is type-only
	Inferred                   // every import is inferred
)

// Arc leads from a file to another, in either direction.
type Arc struct {
	To    int32
	Flags Flags
	Kinds uint16 // a bit for each lang.Kind
}

// Is reports whether the arc has any of these flags.
func (a Arc) Is(f Flags) bool { return a.Flags&f != 0 }

// KindNames returns the names of the kinds of an arc.
func (a Arc) KindNames() []string {
	var out []string
	for k := lang.Static; k <= lang.Matched; k++ {
		if a.Kinds&(1<<k) != 0 && k != lang.Augments {
			out = append(out, k.String())
		}
	}
	return out
}

// Next lists the arcs of a file in one direction.
type Next func(file int) []Arc

// Graph is an import graph. It has one arc for each pair of files, and stores the arcs of a
// file contiguously. It does not change, and may be read concurrently.
type Graph struct {
	n                int
	fwd, rev         []Arc
	fwdFrom, revFrom []int32
}

// New builds the graph of n files. arcs passes the imports of a file to add, in any order and
// as often as they occur.
func New(n int, arcs func(file int, add func(Arc))) *Graph {
	g := &Graph{n: n, fwdFrom: make([]int32, n+1)}
	counts := make([]int32, n+1)
	for i := range n {
		from := len(g.fwd)
		arcs(i, func(a Arc) { g.fwd = merge(g.fwd, from, a) })
		slices.SortFunc(g.fwd[from:], func(a, b Arc) int { return int(a.To) - int(b.To) })
		for _, a := range g.fwd[from:] {
			counts[a.To+1]++
		}
		g.fwdFrom[i+1] = int32(len(g.fwd))
	}
	for i := range n {
		counts[i+1] += counts[i]
	}
	g.revFrom = slices.Clone(counts)
	g.rev = make([]Arc, len(g.fwd))
	for i := range n {
		for _, a := range g.Out(i) {
			g.rev[counts[a.To]] = Arc{To: int32(i), Flags: a.Flags, Kinds: a.Kinds}
			counts[a.To]++
		}
	}
	return g
}

// Len returns the number of files.
func (g *Graph) Len() int { return g.n }

// merge adds an arc to arcs[from:], or merges it with the one that has the same target.
func merge(arcs []Arc, from int, a Arc) []Arc {
	for i := len(arcs) - 1; i >= from; i-- {
		if arcs[i].To == a.To {
			arcs[i].Flags &= a.Flags
			arcs[i].Kinds |= a.Kinds
			return arcs
		}
	}
	return append(arcs, a)
}

// Out lists the files that a file imports.
func (g *Graph) Out(i int) []Arc { return g.fwd[g.fwdFrom[i]:g.fwdFrom[i+1]] }

// In lists the files that import a file.
func (g *Graph) In(i int) []Arc { return g.rev[g.revFrom[i]:g.revFrom[i+1]] }

// Outward lists the files that a file imports and that do not import it back. Two files that
// import each other would otherwise keep all rank that flows to them.
func (g *Graph) Outward(i int) []Arc {
	arcs := g.Out(i)
	mutual := func(a Arc) bool {
		_, back := slices.BinarySearchFunc(g.Out(int(a.To)), int32(i), func(b Arc, to int32) int { return int(b.To) - int(to) })
		return back
	}
	if !slices.ContainsFunc(arcs, mutual) {
		return arcs
	}
	return slices.DeleteFunc(slices.Clone(arcs), mutual)
}

// Reach returns, for every file, the shortest distance along next from any of the files in from,
// -1 for those that are farther than depth or not reached at all.
func (g *Graph) Reach(from []int, depth int, next Next) []int32 {
	dist := make([]int32, g.n)
	for i := range dist {
		dist[i] = -1
	}
	var queue []int32
	for _, i := range from {
		if dist[i] < 0 {
			dist[i] = 0
			queue = append(queue, int32(i))
		}
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		if int(dist[i]) >= depth {
			continue
		}
		for _, a := range next(int(i)) {
			if dist[a.To] < 0 {
				dist[a.To] = dist[i] + 1
				queue = append(queue, a.To)
			}
		}
	}
	return dist
}

// AnyDepth is larger than any distance in a graph.
const AnyDepth = 1 << 30

// The parameters of PageRank.
const (
	damping = 0.85
	rounds  = 30
)

// Rank returns the personalized PageRank of every file along next, restarting at start. Products
// are rounded before they are added, so that every machine gets the same numbers.
func (g *Graph) Rank(start map[int]float64, next Next) []float64 {
	total := 0.0
	seeds := slices.Sorted(maps.Keys(start))
	for _, i := range seeds {
		total += start[i]
	}
	base := make([]float64, g.n)
	for _, i := range seeds {
		base[i] = start[i] / total
	}
	now, then := slices.Clone(base), make([]float64, g.n)
	ahead := make([][]Arc, g.n)
	for i := range g.n {
		ahead[i] = next(i)
	}
	for range rounds {
		lost := 0.0
		clear(then)
		for i := range g.n {
			if now[i] == 0 {
				continue
			}
			arcs := ahead[i]
			if len(arcs) == 0 {
				lost += now[i]
				continue
			}
			part := float64(now[i] / float64(len(arcs)))
			for _, a := range arcs {
				then[a.To] += part
			}
		}
		for i := range g.n {
			back := float64((1 - damping + float64(damping*lost)) * base[i])
			then[i] = float64(damping*then[i]) + back
		}
		now, then = then, now
	}
	return now
}
