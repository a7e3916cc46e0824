package words

import (
	"path"
	"slices"
	"strings"
)

// maxNearest is how many names are suggested in the place of one that is not there.
const maxNearest = 3

// Nearest lists the candidates that look most like a name: those that end with
// it, then those whose last part differs least.
func Nearest(name string, candidates []string) []string {
	type scored struct {
		text  string
		score int
	}
	name = strings.ToLower(strings.ReplaceAll(name, `\`, "/"))
	base := Stem(name)
	var all []scored
	for _, c := range candidates {
		low := strings.ToLower(c)
		last := Stem(low)
		if d := len(base) - len(last); d > 4 || d < -12 && !strings.HasSuffix(low, name) {
			continue
		}
		score := 10 * distance(base, last)
		if strings.HasSuffix(low, "/"+strings.TrimPrefix(path.Clean(name), "./")) {
			score = -10
		}
		if score > 10*max(2, len(base)/2) {
			continue
		}
		if path.Ext(name) != path.Ext(low) {
			score++
		}
		all = append(all, scored{c, score + distance(path.Dir(name), path.Dir(low))/4})
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		if a.score != b.score {
			return a.score - b.score
		}
		return strings.Compare(a.text, b.text)
	})
	var out []string
	for _, s := range all[:min(maxNearest, len(all))] {
		out = append(out, s.text)
	}
	return out
}

// Stem is a path's last part without its extensions.
func Stem(p string) string {
	b, _, _ := strings.Cut(path.Base(p), ".")
	return b
}

// distance counts the changes between two texts, of which no more than the
// first 64 bytes count.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}

// Parts splits the symbol in a question into its name and that of its owner, which may be a
// path. Without a dot the symbol is the owner.
func Parts(symbol string) (owner, member string) {
	if i := strings.LastIndexByte(symbol, '.'); i >= 0 {
		return symbol[:i], symbol[i+1:]
	}
	return symbol, ""
}
