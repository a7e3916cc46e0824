package report

import "github.com/coctostan/pictx/core/text"

// CutIDs returns n ids, cut where no two look the same.
func CutIDs(n int, id func(i int) string) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = id(i)
	}
	length := idLength(ids)
	for i := range ids {
		ids[i] = text.TerminalLine(ids[i])
		ids[i] = ids[i][:min(length, len(ids[i]))]
	}
	return ids
}

// idLength is how much of ids is shown so that no two look the same: at least
// eight characters.
func idLength(ids []string) int {
	n := 8
	for again := true; again; n++ {
		again = false
		seen := make(map[string]string)
		for _, id := range ids {
			short := id[:min(n, len(id))]
			if other, ok := seen[short]; ok && other != id {
				again = true
			}
			seen[short] = id
		}
		if !again {
			return n
		}
	}
	return n
}
