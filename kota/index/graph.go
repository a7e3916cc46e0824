package index

import (
	"slices"

	"github.com/coctostan/pictx/kota/lang"
)

// Flags of an arc.
const (
	arcTypes    = 1 << iota // every import behind it is type-only
	arcInferred             // every import behind it is inferred
)

// arc leads from a file to another, in either direction.
type arc struct {
	to    int32
	flags uint8
	kinds uint16 // a bit for each lang.Kind
}

// graph is the import graph. Nodes are indexes of files. It has one arc for each pair of files,
// and stores the arcs of a file contiguously.
type graph struct {
	n                int
	fwd, rev         []arc
	fwdFrom, revFrom []int32
}

// newGraph builds the graph of a tree. also returns a second file to which the k-th link of a file
// leads, "" when there is none.
func newGraph(t *tree, also func(i, k int) string) *graph {
	g := &graph{n: len(t.files)}
	g.fwdFrom = make([]int32, g.n+1)
	counts := make([]int32, g.n+1)
	for i := range t.files {
		from := len(g.fwd)
		for k := range t.files[i].edges {
			l := &t.files[i].edges[k]
			if l.status != lang.Found {
				continue
			}
			targets := [2]int{t.target(l), -1}
			if file := also(i, k); file != "" {
				targets[1] = t.find(file)
			}
			for _, to := range targets {
				if to >= 0 && to != i {
					g.fwd = merge(g.fwd, from, arc{to: int32(to), flags: flagsOf(*l), kinds: 1 << l.kind})
				}
			}
		}
		slices.SortFunc(g.fwd[from:], func(a, b arc) int { return int(a.to) - int(b.to) })
		for _, a := range g.fwd[from:] {
			counts[a.to+1]++
		}
		g.fwdFrom[i+1] = int32(len(g.fwd))
	}
	for i := range g.n {
		counts[i+1] += counts[i]
	}
	g.revFrom = slices.Clone(counts)
	g.rev = make([]arc, len(g.fwd))
	for i := range g.n {
		for _, a := range g.out(i) {
			g.rev[counts[a.to]] = arc{to: int32(i), flags: a.flags, kinds: a.kinds}
			counts[a.to]++
		}
	}
	return g
}

func flagsOf(l link) uint8 {
	var f uint8
	if l.typeOnly {
		f |= arcTypes
	}
	if l.inferred {
		f |= arcInferred
	}
	return f
}

// merge adds an arc to arcs[from:], or merges it with the one that has the same target.
func merge(arcs []arc, from int, a arc) []arc {
	for i := len(arcs) - 1; i >= from; i-- {
		if arcs[i].to == a.to {
			arcs[i].flags &= a.flags
			arcs[i].kinds |= a.kinds
			return arcs
		}
	}
	return append(arcs, a)
}

// out lists the files that a file imports.
func (g *graph) out(i int) []arc { return g.fwd[g.fwdFrom[i]:g.fwdFrom[i+1]] }

// in lists the files that import a file.
func (g *graph) in(i int) []arc { return g.rev[g.revFrom[i]:g.revFrom[i+1]] }

// outward lists the files that a file imports and that do not import it back. Two files that
// import each other would otherwise keep all rank that flows to them.
func (g *graph) outward(i int) []arc {
	arcs := g.out(i)
	mutual := func(a arc) bool {
		_, back := slices.BinarySearchFunc(g.out(int(a.to)), int32(i), func(b arc, to int32) int { return int(b.to) - int(to) })
		return back
	}
	if !slices.ContainsFunc(arcs, mutual) {
		return arcs
	}
	return slices.DeleteFunc(slices.Clone(arcs), mutual)
}

// reach returns, for every file, the shortest distance along next from any of the files in from,
// -1 when it is more than depth.
func (g *graph) reach(from []int, depth int, next func(int) []arc) []int32 {
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
			if dist[a.to] < 0 {
				dist[a.to] = dist[i] + 1
				queue = append(queue, a.to)
			}
		}
	}
	return dist
}

// anyDepth is larger than any distance in a graph.
const anyDepth = 1 << 30

// The parameters of PageRank.
const (
	damping = 0.85
	rounds  = 30
)

// rank returns the personalized PageRank of every file along next, restarting at start. Products
// are rounded before they are added, so that every machine gets the same numbers.
func (g *graph) rank(start map[int]float64, next func(int) []arc) []float64 {
	total := 0.0
	seeds := make([]int, 0, len(start))
	for i := range start {
		seeds = append(seeds, i)
	}
	slices.Sort(seeds)
	for _, i := range seeds {
		total += start[i]
	}
	base := make([]float64, g.n)
	for _, i := range seeds {
		base[i] = start[i] / total
	}
	now, then := slices.Clone(base), make([]float64, g.n)
	ahead := make([][]arc, g.n)
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
				then[a.to] += part
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

// kindsOf returns the names of the kinds of an arc.
func kindsOf(a arc) []string {
	var out []string
	for k := lang.Static; k <= lang.Embedded; k++ {
		if a.kinds&(1<<k) != 0 && k != lang.Augments {
			out = append(out, k.String())
		}
	}
	return out
}
