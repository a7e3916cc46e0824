package text

// Closest returns the name with the smallest Distance to name, up to limit. Among equals it
// returns the first; "" when there is none.
func Closest(name string, names []string, limit int) string {
	best, least := "", limit+1
	for _, n := range names {
		if max(len(n)-len(name), len(name)-len(n)) >= least { // the distance is at least the difference in length
			continue
		}
		if d := Distance(name, n); d < least {
			best, least = n, d
		}
	}
	return best
}

// Distance returns the edit distance of two strings in bytes. Insertions, deletions,
// substitutions and swaps of neighbours, as in turst for trust, count 1 each. It takes time
// proportional to the product of the lengths.
func Distance(a, b string) int {
	above, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := row[j]
			if a[i] != b[j] {
				cost++
			}
			next[j+1] = min(cost, next[j]+1, row[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], above[j-1]+1)
			}
		}
		above, row = row, next
	}
	return row[len(b)]
}

// Mistyped returns the strings of small letters at Distance 1 from s, which a user may have
// meant.
func Mistyped(s string) []string {
	var out []string
	for i := range len(s) + 1 {
		for c := byte('a'); c <= 'z'; c++ {
			out = append(out, s[:i]+string(c)+s[i:])
			if i < len(s) && s[i] != c {
				out = append(out, s[:i]+string(c)+s[i+1:])
			}
		}
		if i < len(s) {
			out = append(out, s[:i]+s[i+1:])
		}
		if i+1 < len(s) {
			out = append(out, s[:i]+string(s[i+1])+string(s[i])+s[i+2:])
		}
	}
	return out
}
