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

// keepOdd keeps the lines that differ in a word from many others that are like them, because
// they begin in the same way: the one container that is not healthy, the one request that was
// not answered.
func (p *page) keepOdd() {
	groups := make(map[string][]int)
	for i, s := range p.shapes {
		if s != "" {
			begin := s[:min(2, len(s))]
			groups[begin] = append(groups[begin], i)
		}
	}
	for _, begin := range slices.Sorted(maps.Keys(groups)) {
		if alike := groups[begin]; len(alike) >= manyAlike {
			p.keepOddOf(alike)
		}
	}
}

// keepOddOf keeps the odd ones of lines that are alike.
func (p *page) keepOddOf(alike []int) {
	in := make(map[string]int) // how often a word stands in the lines
	words := make([][]string, len(alike))
	for n, i := range alike {
		words[n] = strings.FieldsFunc(strings.ToLower(p.lines[i]), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
		for _, w := range words[n] {
			in[w]++
		}
	}
	rares := make([]int, len(alike))
	for n := range alike {
		for _, w := range words[n] {
			if len(w) > 2 && float64(in[w]) <= max(rare*float64(len(alike)), 1) {
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
