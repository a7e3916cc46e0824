package index

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/lang"
)

// manyFiles is the size of a group up to which the cycles through each of its files are searched
// for.
const manyFiles = 400

// inPackage are the kinds of links between files of one package. Cycles of such links are what a
// package is for, and are not reported.
const inPackage = 1<<lang.Sibling | 1<<lang.Methods | 1<<lang.Called | 1<<lang.Embedded

// running filters the arcs of next: it keeps those that exist at run time.
func running(next func(int) []arc) func(int) []arc { return between(next, arcTypes) }

// between filters the arcs of next: it keeps those between packages that have none of these
// flags.
func between(next func(int) []arc, flags uint8) func(int) []arc {
	return func(i int) []arc {
		var out []arc
		for _, a := range next(i) {
			if a.flags&flags == 0 && a.kinds&^inPackage != 0 {
				out = append(out, a)
			}
		}
		return out
	}
}

// groupOf lists the files that are in a runtime cycle with a file, the file included.
func (g *graph) groupOf(i int) []int {
	there := g.reach([]int{i}, anyDepth, running(g.out))
	back := g.reach([]int{i}, anyDepth, running(g.in))
	var out []int
	for j := range there {
		if there[j] >= 0 && back[j] >= 0 {
			out = append(out, j)
		}
	}
	return out
}

// groups returns the strongly connected components of more than one file. It is Tarjan's
// algorithm with an explicit stack, so that deep graphs cannot overflow the call stack.
func (g *graph) groups(next func(int) []arc) [][]int {
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
		arcs []arc
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
				to := int(v.arcs[0].to)
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

// Cycles lists the shortest cycle through each import that is part of a cycle. Each cycle is
// listed once.
func (e *Engine) Cycles(context.Context) (kota.Cycles, error) {
	c := kota.Cycles{List: []kota.Cycle{}}
	seen := make(map[string]bool)
	for _, kind := range []struct {
		typeOnly bool
		next     func(int) []arc
	}{{false, running(e.graph.out)}, {true, between(e.graph.out, 0)}} {
		for _, group := range e.graph.groups(kind.next) {
			if !kind.typeOnly {
				c.Groups++
				c.Files += len(group)
			}
			c.Sampled = e.cyclesIn(&c, group, kind.next, kind.typeOnly, seen) || c.Sampled
		}
	}
	for _, x := range c.List {
		if x.TypeOnly {
			c.TypeOnly++
		} else {
			c.Total++
		}
	}
	slices.SortStableFunc(c.List, func(a, b kota.Cycle) int {
		return cmp.Or(falseFirst(a.TypeOnly, b.TypeOnly), len(a.Files)-len(b.Files), slices.Compare(a.Files, b.Files))
	})
	return c, nil
}

// cyclesIn adds the cycles within a group. It reports whether the search was cut short.
func (e *Engine) cyclesIn(c *kota.Cycles, group []int, next func(int) []arc, typeOnly bool, seen map[string]bool) bool {
	inside := make(map[int]bool, len(group))
	for _, i := range group {
		inside[i] = true
	}
	sampled := len(group) > manyFiles
	for k, i := range group {
		if sampled && k >= manyFiles {
			break
		}
		for _, files := range e.shortest(i, inside, next, sampled) {
			runs := e.runs(files)
			if typeOnly == runs {
				continue
			}
			names := make([]string, len(files))
			for k, j := range files {
				names[k] = e.name(j)
			}
			first := slices.Index(names, slices.Min(names)) // a cycle begins with the name that sorts first
			names = slices.Concat(names[first:], names[:first])
			if key := strings.Join(names, "\x00"); !seen[key] {
				seen[key] = true
				c.List = append(c.List, kota.Cycle{Files: names, TypeOnly: typeOnly})
			}
		}
	}
	return sampled
}

// shortest lists the shortest cycle through each arc into file i. If one is set it stops at the
// first.
func (e *Engine) shortest(i int, inside map[int]bool, next func(int) []arc, one bool) [][]int {
	from := map[int]int{i: -1}
	var out [][]int
	for queue := []int{i}; len(queue) > 0; queue = queue[1:] {
		for _, a := range next(queue[0]) {
			to := int(a.to)
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
func (e *Engine) runs(files []int) bool {
	for k, i := range files {
		to := files[(k+1)%len(files)]
		ok := slices.ContainsFunc(e.graph.out(i), func(a arc) bool { return int(a.to) == to && a.flags&arcTypes == 0 })
		if !ok {
			return false
		}
	}
	return true
}
