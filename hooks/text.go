package hooks

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxOneLine bounds a line in a log or in the agent's footer, in bytes.
const maxOneLine = 400

// oneLine makes a text fit for one line of a log.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
	if len(s) <= maxOneLine {
		return s
	}
	cut := maxOneLine
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// byCount lists names by how often they were counted, the most frequent first.
func byCount(counts map[string]int) string {
	names := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	for i, n := range names {
		names[i] = fmt.Sprintf("%s %d", oneLine(n), counts[n])
	}
	return strings.Join(names, ", ")
}
