package config

import "strings"

// suggest returns the known key that name was probably meant to be, or "".
func suggest(specs []spec, name string) string {
	const longest = 80 // no key is near this; the comparison is quadratic
	if len(name) > longest {
		return ""
	}
	if found := seedName(specs, name); found != "" {
		return found
	}
	name = spelling(name)
	best, least := "", allowed(name)+1
	for _, s := range specs {
		if d := distance(name, spelling(s.Name)); d < least {
			best, least = s.Name, d
		}
	}
	if best == "" {
		return sameEnding(specs, name)
	}
	return best
}

// allowed is how many letters may differ: short keys are all near each other.
func allowed(name string) int { return min(3, max(1, len(name)/4)) }

// spelling evens out what people write differently.
func spelling(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), "-", "_")
}

// seedName finds the key whose name in another extension was used.
func seedName(specs []spec, name string) string {
	for _, s := range specs {
		if name != "" && (name == s.seed || name == s.env) {
			return s.Name
		}
	}
	return ""
}

// sameEnding finds the one key that ends as name does and begins with the same
// word, as in prune.minimum for prune.seed.minimum.
func sameEnding(specs []spec, name string) string {
	first, last := name[:strings.Index(name+".", ".")], name[strings.LastIndex(name, ".")+1:]
	found := ""
	for _, s := range specs {
		if !strings.HasPrefix(s.Name, first+".") || !strings.HasSuffix(s.Name, "."+last) {
			continue
		}
		if found != "" {
			return ""
		}
		found = s.Name
	}
	return found
}

// distance is the Levenshtein distance of two strings in bytes, with two
// exchanged neighbours counted as one mistake: people type turst for trust.
func distance(a, b string) int {
	above, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			next[j+1] = min(row[j]+differ(a[i], b[j]), next[j]+1, row[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], above[j-1]+1)
			}
		}
		above, row = row, next
	}
	return row[len(b)]
}

// differ is the cost of writing one byte for another.
func differ(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}
