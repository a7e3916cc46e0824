package text

// ShortIDs returns the beginnings of ids, of one length at which all are distinct and which is
// eight characters at least, each safe to print. Commands accept such a beginning.
func ShortIDs(ids []string) []string {
	const least = 8
	length := least
	for again := true; again; length++ {
		again = false
		seen := make(map[string]string, len(ids))
		for _, id := range ids {
			short := id[:min(length, len(id))]
			if other, ok := seen[short]; ok && other != id {
				again = true
			}
			seen[short] = id
		}
	}
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = TerminalLine(id[:min(length-1, len(id))])
	}
	return out
}
