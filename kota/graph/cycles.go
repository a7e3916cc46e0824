package graph

import (
	"slices"

	"github.com/coctostan/pictx/kota/lang"
)

// inPackage are the kinds of links between files of one package. Cycles of such links are what a
// package is for, and are not reported.
const inPackage = 1<<lang.Sibling | 1<<lang.Methods | 1<<lang.Called | 1<<lang.Embedded

// Running filters the arcs of next: it keeps those between packages that exist at run time.
func Running(next Next) Next { return between(next, Types) }

// between filters the arcs of next: it keeps those between packages, without those that have any
// of these flags.
func between(next Next, flags Flags) Next {
	return func(i int) []Arc {
		var out []Arc
		for _, a := range next(i) {
			if a.Flags&flags == 0 && a.Kinds&^inPackage != 0 {
				out = append(out, a)
			}
		}
		return out
	}
}

// Group lists the files that are in a runtime cycle with a file, the file included.
func (g *Graph) Group(i int) []int {
	there := g.Reach([]int{i}, AnyDepth, Running(g.Out))
	back := g.Reach([]int{i}, AnyDepth, Running(g.In))
	var out []int
	for j := range there {
		if there[j] >= 0 && back[j] >= 0 {
			out = append(out, j)
		}
	}
	return out
}

// Groups returns the strongly connected components of more than one file. It is Tarjan's
// algorithm with an explicit stack, so that deep graphs cannot overflow the call stack.
func (g *Graph) Groups(next Next) [][]int {
	const unseen = -1
	index, low := make([]int, g.n), make([]int, g.n)
	for i := range index {
		index[i] = unseen
	}
	onStack := make([]bool, g.n)
	var stack []int
	var out [][]int
	type visit struct {
		node int
		arcs []Arc
	}
	count := 0
	enter := func(i int) visit {
		index[i], low[i] = count, count
		count++
		stack, onStack[i] = append(stack, i), true
		return visit{i, next(i)}
	}
	for root := range g.n {
		if index[root] != unseen {
			continue
		}
		calls := []visit{enter(root)}
		for len(calls) > 0 {
			v := &calls[len(calls)-1]
			if len(v.arcs) > 0 {
				to := int(v.arcs[0].To)
				v.arcs = v.arcs[1:]
				if index[to] == unseen {
					calls = append(calls, enter(to))
				} else if onStack[to] {
					low[v.node] = min(low[v.node], index[to])
				}
				continue
			}
			i := v.node
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				up := calls[len(calls)-1].node
				low[up] = min(low[up], low[i])
			}
			if low[i] != index[i] {
				continue
			}
			at := slices.Index(stack, i)
			group := slices.Clone(stack[at:])
			for _, j := range group {
				onStack[j] = false
			}
			if stack = stack[:at]; len(group) > 1 {
				slices.Sort(group)
				out = append(out, group)
			}
		}
	}
	return out
}

// manyFiles is the size of the largest group whose cycles are searched for through each of its
// files. Of a larger one as many files are taken.
const manyFiles = 400

// Tangle counts the groups of files that are in runtime cycles with each other.
type Tangle struct {
	Groups, Files int
	// Sampled is set when a group was too large to search for cycles through all of its files.
	Sampled bool
}

// Cycles yields the shortest cycle through each import that is part of one: first those that exist
// at run time, then those of types. A cycle of several imports is yielded for each of them.
func (g *Graph) Cycles(yield func(files []int, typeOnly bool)) Tangle {
	var t Tangle
	for _, group := range g.Groups(Running(g.Out)) {
		t.Groups++
		t.Files += len(group)
		t.Sampled = g.cyclesIn(group, Running(g.Out), false, yield) || t.Sampled
	}
	for _, group := range g.Groups(between(g.Out, 0)) {
		t.Sampled = g.cyclesIn(group, between(g.Out, 0), true, yield) || t.Sampled
	}
	return t
}

// cyclesIn yields the cycles within a group. It reports whether it took only some of its files.
func (g *Graph) cyclesIn(group []int, next Next, typeOnly bool, yield func([]int, bool)) bool {
	inside := make(map[int]bool, len(group))
	for _, i := range group {
		inside[i] = true
	}
	sampled := len(group) > manyFiles
	for _, i := range group[:min(len(group), manyFiles)] {
		for _, files := range g.shortest(i, inside, next, sampled) {
			if g.runs(files) != typeOnly {
				yield(files, typeOnly)
			}
		}
	}
	return sampled
}

// shortest lists the shortest cycle through each arc into file i. If one is set it stops at the
// first.
func (g *Graph) shortest(i int, inside map[int]bool, next Next, one bool) [][]int {
	from := map[int]int{i: -1}
	var out [][]int
	for queue := []int{i}; len(queue) > 0; queue = queue[1:] {
		for _, a := range next(queue[0]) {
			to := int(a.To)
			if to == i {
				var files []int
				for j := queue[0]; j >= 0; j = from[j] {
					files = append(files, j)
				}
				slices.Reverse(files)
				if out = append(out, files); one {
					return out
				}
				continue
			}
			if _, known := from[to]; !known && inside[to] {
				from[to] = queue[0]
				queue = append(queue, to)
			}
		}
	}
	return out
}

// runs reports whether a cycle exists at run time: none of its imports is one of types.
func (g *Graph) runs(files []int) bool {
	for k, i := range files {
		to := files[(k+1)%len(files)]
		ok := slices.ContainsFunc(g.Out(i), func(a Arc) bool { return int(a.To) == to && a.Flags&Types == 0 })
		if !ok {
			return false
		}
	}
	return true
}
