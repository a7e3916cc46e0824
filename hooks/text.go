package hooks

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// byCount lists names by how often they were counted, the most frequent first.
func byCount(counts map[string]int) string {
	names := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	for i, n := range names {
		names[i] = fmt.Sprintf("%s %d", text.LogLine(n), counts[n])
	}
	return strings.Join(names, ", ")
}

// lines joins lines into a text.
func lines(l ...string) string { return strings.Join(l, "\n") }
