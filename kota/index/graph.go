package index

import (
	"github.com/coctostan/pictx/kota/graph"
	"github.com/coctostan/pictx/kota/lang"
)

// graphOf builds the import graph of a tree. also returns a second file to which the k-th link of a
// file leads, "" when there is none.
func graphOf(t *tree, also func(i, k int) string) *graph.Graph {
	return graph.New(len(t.files), func(i int, add func(graph.Arc)) {
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
					add(graph.Arc{To: int32(to), Flags: flagsOf(*l), Kinds: 1 << l.kind})
				}
			}
		}
	})
}

// flagsOf returns the flags of a link's arc.
func flagsOf(l link) graph.Flags {
	var f graph.Flags
	if l.typeOnly {
		f |= graph.Types
	}
	if l.inferred {
		f |= graph.Inferred
	}
	return f
}
