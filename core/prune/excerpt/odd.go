package excerpt

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

const (
	// manyAlike is how many lines have to be alike before one of them can be odd.
	manyAlike = 10
	// rare is the share of lines that are alike in which a rare word stands, at most: a line is odd
	// that has more of them than the others.
	rare = 0.03
	// Of lines that are alike, one in mostOdd is kept as odd, but leastOdd at least.
	mostOdd, leastOdd = 20, 4
)

// keepOdd keeps the lines that differ in a word from many others that are like them: the one
// container that is not healthy, the one request that was not answered.
func (p *page) keepOdd() {
	groups := make(map[string][]int)
	for i, line := range p.lines {
		if line == "" || p.hidden(i) {
			continue
		}
		name := p.kind(i, strings.TrimSpace(line))
		groups[name] = append(groups[name], i)
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if len(groups[name]) >= manyAlike {
			p.keepOddOf(groups[name])
		}
	}
}

// kind is how lines that are alike begin: with the same name of a member, or the same letters once
// numbers are left out.
func (p *page) kind(i int, line string) string {
	if name, _, ok := strings.Cut(line, `":`); ok && line[0] == '"' {
		return name
	}
	s := p.shape(i)
	return s[:min(2, len(s))]
}

// keepOddOf keeps the odd ones of lines that are alike.
func (p *page) keepOddOf(alike []int) {
	in := make(map[string]int)
	words := make([][]string, len(alike))
	for n, i := range alike {
		words[n] = wordsOf(p.lines[i])
		for _, w := range words[n] {
			in[w]++
		}
	}
	rares := make([]int, len(alike))
	for n := range alike {
		for _, w := range words[n] {
			if float64(in[w]) <= max(rare*float64(len(alike)), 1) {
				rares[n]++
			}
		}
	}
	usual := slices.Sorted(slices.Values(rares))[len(rares)/2] // such as the name of each
	var odd []int                                              // indexes into alike
	for n := range alike {
		if rares[n] > usual {
			odd = append(odd, n)
		}
	}
	slices.SortStableFunc(odd, func(a, b int) int { return rares[b] - rares[a] })
	for _, n := range odd[:min(len(odd), max(leastOdd, len(alike)/mostOdd))] {
		if p.room > 0 {
			p.take(alike[n])
		}
	}
}

// wordsOf returns what lines of one kind are compared by, each once and in lower case: words, and
// numbers of three digits, such as a status.
func wordsOf(line string) (out []string) {
	seen := make(map[string]bool)
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		digits := strings.Trim(w, "0123456789") == ""
		if w = strings.ToLower(w); seen[w] || len(w) < 3 || digits && len(w) > 3 {
			continue
		}
		seen[w] = true
		out = append(out, w)
	}
	return out
}
