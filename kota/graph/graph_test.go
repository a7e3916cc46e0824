package graph_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota/graph"
	"github.com/coctostan/pictx/kota/lang"
)

// of builds a graph from arcs like "0>1", or "0~1" for an import of types.
func of(n int, arcs ...string) *graph.Graph {
	return graph.New(n, func(file int, add func(graph.Arc)) {
		for _, s := range arcs {
			var from, to int
			var how rune
			if _, err := fmt.Sscanf(s, "%d%c%d", &from, &how, &to); err != nil || from != file {
				continue
			}
			a := graph.Arc{To: int32(to), Kinds: 1 << lang.Static}
			if how == '~' {
				a.Flags = graph.Types
			}
			add(a)
		}
	})
}

// targets lists where arcs lead.
func targets(arcs []graph.Arc) []int {
	var out []int
	for _, a := range arcs {
		out = append(out, int(a.To))
	}
	return out
}

func TestImportsOfOneFileByAnotherAreOneArc(t *testing.T) {
	g := of(3, "0>2", "0>1", "0~2")
	must.Match(t, targets(g.Out(0)), []int{1, 2}, "file 0 imports")
	must.Match(t, targets(g.In(2)), []int{0}, "file 2 is imported by")
	must.Not(t, g.Out(0)[1].Is(graph.Types), "an import that exists at run time is taken for one of types")
}

func TestDistancesEndAtTheDepth(t *testing.T) {
	g := of(5, "0>1", "1>2", "2>3", "0>2")
	must.Match(t, g.Reach([]int{0}, graph.AnyDepth, g.Out), []int32{0, 1, 1, 2, -1}, "distances")
	must.Match(t, g.Reach([]int{0}, 1, g.Out), []int32{0, 1, 1, -1, -1}, "distances up to 1")
}

func TestCyclesOfTypesDoNotExistAtRunTime(t *testing.T) {
	g := of(6, "0>1", "1>0", "2>3", "3~2", "4>5")
	found := map[string]bool{}
	tangle := g.Cycles(func(files []int, typeOnly bool) {
		files = slices.Clone(files)
		slices.Sort(files)
		found[fmt.Sprint(files, typeOnly)] = true
	})
	must.Not(t, len(found) != 2 || !found["[0 1] false"] || !found["[2 3] true"], "cycles: %v", found)
	must.Equal(t, tangle, (graph.Tangle{Groups: 1, Files: 2}), "tangle")
	must.Match(t, g.Group(0), []int{0, 1}, "file 0 is in a cycle with")
}

func TestAVeryLongCycleIsOneGroup(t *testing.T) {
	const n = 200_000
	g := graph.New(n, func(i int, add func(graph.Arc)) { add(graph.Arc{To: int32((i + 1) % n), Kinds: 1 << lang.Static}) })
	groups := g.Groups(graph.Running(g.Out))
	must.Not(t, len(groups) != 1 || len(groups[0]) != n, "%d groups", len(groups))
}

func TestRankDoesNotStayBetweenTwoFilesThatImportEachOther(t *testing.T) {
	g := of(4, "0>1", "1>0", "1>2", "0>3")
	must.Match(t, targets(g.Outward(0)), []int{3}, "outward from 0")
	rank := g.Rank(map[int]float64{0: 1}, g.Outward)
	must.Not(t, rank[3] <= rank[1], "ranks %v", rank)
}
