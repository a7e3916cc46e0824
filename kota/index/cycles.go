package index

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota"
)

// Cycles lists the shortest cycle through each import that is part of a cycle. Each cycle is
// listed once.
func (e *Engine) Cycles(context.Context) (kota.Cycles, error) {
	c := kota.Cycles{List: []kota.Cycle{}}
	seen := make(map[string]bool)
	t := e.graph.Cycles(func(files []int, typeOnly bool) {
		names := make([]string, len(files))
		for k, i := range files {
			names[k] = e.name(i)
		}
		names = rotated(names)
		if key := strings.Join(names, "\x00"); !seen[key] {
			seen[key] = true
			c.List = append(c.List, kota.Cycle{Files: names, TypeOnly: typeOnly})
			c.TypeOnly += oneIf(typeOnly)
		}
	})
	c.Groups, c.Files, c.Sampled = t.Groups, t.Files, t.Sampled
	c.Total = len(c.List) - c.TypeOnly
	slices.SortStableFunc(c.List, func(a, b kota.Cycle) int {
		return cmp.Or(falseFirst(a.TypeOnly, b.TypeOnly), len(a.Files)-len(b.Files), slices.Compare(a.Files, b.Files))
	})
	return c, nil
}

// rotated rotates a cycle so that the name that sorts first comes first.
func rotated(names []string) []string {
	first := 0
	for k := range names {
		if names[k] < names[first] {
			first = k
		}
	}
	return append(slices.Clone(names[first:]), names[:first]...)
}
