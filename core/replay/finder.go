package replay

import "strings"

// anchor is the length in bytes of the part of a text by which it is searched.
const anchor = 6

// finder finds which of many texts occur in other texts, in one pass over each of these.
type finder struct {
	byAnchor map[uint64][]anchored
	maybe    [1 << 12]uint64 // a Bloom filter of the anchors
	short    []string
	holders  map[string][]int32
}

// anchored is a text with the offset of its anchor.
type anchored struct {
	text string
	at   int
}

// newFinder returns a finder of texts. The anchor of a text is its part that is rarest
// among all texts.
func newFinder(texts []string) *finder {
	f := &finder{byAnchor: make(map[uint64][]anchored), holders: make(map[string][]int32, len(texts))}
	common := make(map[uint64]int)
	for _, t := range texts {
		for i := 0; i+anchor <= len(t); i++ {
			common[anchorAt(t, i)]++
		}
	}
	for _, t := range texts {
		if _, twice := f.holders[t]; twice {
			continue
		}
		f.holders[t] = nil
		if len(t) < anchor {
			f.short = append(f.short, t)
			continue
		}
		best := 0
		for i := 0; i+anchor <= len(t); i++ {
			if common[anchorAt(t, i)] < common[anchorAt(t, best)] {
				best = i
			}
		}
		a := anchorAt(t, best)
		f.byAnchor[a] = append(f.byAnchor[a], anchored{t, best})
		word, bit := filtered(a)
		f.maybe[word] |= bit
	}
	return f
}

// anchorAt returns the anchor at offset i of a text.
func anchorAt(s string, i int) uint64 {
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 | uint64(s[i+4])<<32 | uint64(s[i+5])<<40
}

// filtered returns the word and bit of an anchor in the filter.
func filtered(a uint64) (word, bit uint64) {
	h := a * 0x9E3779B97F4A7C15
	return h >> 52, 1 << (h >> 46 & 63)
}

// scan records which texts occur in that of a message. Messages come in ascending order.
func (f *finder) scan(m int32, text string) {
	for _, t := range f.short {
		if strings.Contains(text, t) {
			f.found(t, m)
		}
	}
	for i := 0; i+anchor <= len(text); i++ {
		a := anchorAt(text, i)
		if word, bit := filtered(a); f.maybe[word]&bit == 0 {
			continue
		}
		for _, n := range f.byAnchor[a] {
			if start := i - n.at; start >= 0 && strings.HasPrefix(text[start:], n.text) {
				f.found(n.text, m)
			}
		}
	}
}

// found records that a text occurs in message m.
func (f *finder) found(text string, m int32) {
	in := f.holders[text]
	if len(in) == 0 || in[len(in)-1] != m {
		f.holders[text] = append(in, m)
	}
}
