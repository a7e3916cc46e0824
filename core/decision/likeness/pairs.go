package likeness

import (
	"cmp"
	"maps"
	"slices"
)

// Pair is two texts that are related, by their positions.
type Pair struct {
	A, B int
	Likeness
}

// What Pairs costs for each text: with how many others it is compared, and how many of
// those that share one of its stems are looked at.
const (
	maxCompared = 20
	maxSharing  = 400
)

// Pairs returns the related pairs of texts of which at least one is new, the nearest first.
// Of very many texts that have a stem in common only the latest are looked at.
func Pairs(bodies []string, isNew func(i int) bool) []Pair {
	x := newLexicon()
	all := make([]*features, len(bodies))
	sharing := make(map[string][]int)
	for i, body := range bodies {
		all[i] = x.features(body)
		for key := range all[i].keys() {
			sharing[key] = append(sharing[key], i)
		}
	}
	var out []Pair
	for i, f := range all {
		if !isNew(i) {
			continue
		}
		for _, j := range f.candidates(i, sharing) {
			if j > i && isNew(j) {
				continue // it comes again from the other side
			}
			if l, ok := f.compare(all[j]); ok {
				out = append(out, Pair{min(i, j), max(i, j), l})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	return out
}

// keys are what a text is found by: its stems, their kinds, and itself where it has none.
func (f *features) keys() map[string]bool {
	out := maps.Clone(f.stems)
	for topic := range f.topics {
		out["kind "+topic] = true
	}
	if len(out) == 0 {
		out["text "+f.normal] = true
	}
	return out
}

// candidates are the positions of the texts that share most with a text.
func (f *features) candidates(self int, sharing map[string][]int) []int {
	score := make(map[int]float64)
	for key := range f.keys() {
		list := sharing[key]
		for _, j := range list[max(0, len(list)-maxSharing):] {
			if j != self {
				score[j] += weight(key)
			}
		}
	}
	out := slices.SortedFunc(maps.Keys(score), func(a, b int) int { return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(b, a)) })
	return out[:min(len(out), maxCompared)]
}
