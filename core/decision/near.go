package decision

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// A text is compared in full with few others. Which ones is told by the beginnings
// of their words, which can be found in a log by looking through all texts, and in
// an Index by looking them up: both ways end with the same decisions.

// maxNear is how many decisions a text is compared with in full.
const maxNear = 300

// mark is the beginning of a word: up to four bytes of it, the first one highest,
// and zeros after a shorter one.
type mark uint32

// markBytes is how many bytes a mark has.
const markBytes = 4

// wordByte reports whether a byte in lower case belongs to a word: letters, digits
// and parts of all characters that are not ASCII.
func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}

// marksOf calls f with the beginning of each word of a text.
func marksOf(body string, f func(mark)) {
	if text.IsASCII(body) {
		eachMark(body, f)
		return
	}
	for _, w := range splitWords(Normal(body)) {
		eachMark(w, f)
	}
}

// eachMark calls f with the beginning of each run of letters and digits.
func eachMark(text string, f func(mark)) {
	m, n := mark(0), 0
	for i := range len(text) {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if wordByte(c) {
			if n < markBytes {
				m |= mark(c) << (8 * (markBytes - 1 - n))
			}
			n++
			continue
		}
		if n > 0 {
			f(m)
			m, n = 0, 0
		}
	}
	if n > 0 {
		f(m)
	}
}

// firstMark is the beginning of the first word of a text and its length, 0 when it
// has none.
func firstMark(text string) (mark, int) {
	var first mark
	marksOf(text, func(m mark) {
		if first == 0 {
			first = m
		}
	})
	return first, markBytes - bits.TrailingZeros32(uint32(first))/8
}

// hint is something that a related text may begin a word with: any mark from the
// one to the other.
type hint struct {
	from, to mark
	// number tells that it says nothing alone: only the order depends on it.
	number bool
}

// maxHints is how many hints there are at most; the last bit of a set of them says
// that there is a decision to choose.
const (
	maxHints  = 63
	candidate = uint64(1) << maxHints
)

// search is what a text is looked for by.
type search struct {
	hints []hint
	// any tells that the hints say nothing: every decision may be related.
	any bool
	// stems are the hints that are no numbers, as a set.
	stems uint64
}

// search says by what related texts are found: the words that the text is about,
// other words for them, and things that exclude them.
func (f *features) search() search {
	var all []hint
	add := func(word string, number bool) {
		m, n := firstMark(word)
		switch {
		case m == 0:
		case number:
			all = append(all, hint{m, m, true})
		default:
			all = append(all, hint{m, m | (1<<(8*(markBytes-n)) - 1), false})
		}
	}
	for s := range f.stems {
		add(s, false)
	}
	for w, s := range f.lexicon.aliases() {
		if t := f.lexicon.topics[s]; f.stems[s] || t != "" && f.topics[t] != "" {
			add(w, false)
		}
	}
	for s, t := range f.lexicon.topics {
		if f.topics[t] != "" {
			add(s, false)
		}
	}
	for _, n := range f.numbers {
		add(n, true)
	}
	slices.SortFunc(all, func(a, b hint) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	all = slices.Compact(all)
	s := search{hints: all[:min(len(all), maxHints)]}
	for i, h := range s.hints {
		if !h.number {
			s.stems |= 1 << i
		}
	}
	s.any = s.stems == 0
	return s
}

// order lets numbers come last.
func order(h hint) int {
	if h.number {
		return 1
	}
	return 0
}

// finder finds the hints of a search in texts.
type finder struct {
	search
	starts [1 << 16]bool // whether a mark with these first two bytes may be a hint
	exact  map[mark]uint64
	ranges []int // hints that stand for more than one mark
}

func (s search) finder() *finder {
	f := &finder{search: s, exact: make(map[mark]uint64)}
	for i, h := range s.hints {
		for m := h.from >> 16; m <= h.to>>16; m++ {
			f.starts[m] = true
		}
		if h.from == h.to {
			f.exact[h.from] |= 1 << i
		} else {
			f.ranges = append(f.ranges, i)
		}
	}
	return f
}

// in returns the hints that a text has.
func (f *finder) in(text string) uint64 {
	set := uint64(0)
	marksOf(text, func(m mark) {
		if !f.starts[m>>16] {
			return
		}
		set |= f.exact[m]
		for _, i := range f.ranges {
			if h := f.hints[i]; m >= h.from && m <= h.to {
				set |= 1 << i
			}
		}
	})
	return set
}

// best returns the places of the sets that have most in common with what is looked
// for, in their order: at most as many as wanted, and of equals the last ones. What
// few have in common counts more. Sets without the bit candidate are no candidates.
func (s search) best(sets []uint64, most int) []int {
	weights, last := s.weights(sets)
	scores := make([]int32, len(sets))
	counts := make([]int, last+1)
	eligible := 0
	for i, set := range sets {
		scores[i] = -1
		if set&candidate == 0 || !s.any && set&s.stems == 0 {
			continue
		}
		n := 0
		for rest := set &^ candidate; rest != 0; rest &= rest - 1 {
			n += weights[bits.TrailingZeros64(rest)]
		}
		scores[i] = int32(n)
		counts[n]++
		eligible++
	}
	least, room := leastScore(counts, min(most, eligible))
	var out []int
	for i := len(sets) - 1; i >= 0 && most > 0; i-- {
		switch n := int(scores[i]); {
		case n < 0 || n < least || n == least && room == 0:
			continue
		case n == least:
			room--
		}
		out = append(out, i)
	}
	slices.Reverse(out)
	return out
}

// leastScore is the score that one must have to be among so many of the best, and
// how many there are with just that one.
func leastScore(counts []int, most int) (least, room int) {
	room = most
	for n := len(counts) - 1; n >= 0; n-- {
		if counts[n] >= room {
			return n, room
		}
		room -= counts[n]
	}
	return 0, room
}

// weights says what each hint counts, and the most that all of them come to.
func (s search) weights(sets []uint64) ([]int, int) {
	all := 0
	have := make([]int, len(s.hints))
	for _, set := range sets {
		if set&candidate == 0 {
			continue
		}
		all++
		for rest := set &^ candidate; rest != 0; rest &= rest - 1 {
			have[bits.TrailingZeros64(rest)]++
		}
	}
	sum := 0
	for i, n := range have {
		w := bits.Len(uint(all / max(n, 1)))
		if s.hints[i].number {
			w = (w + 1) / 2
		}
		have[i] = w
		sum += w
	}
	return have, sum
}

// nearest are the active decisions that a text may have to do with, in the order in
// which they began. Of very many it is those that share most with it.
func (s *State) nearest(text string, f *features, except *Decision) []*Decision {
	all, found := s.near[strings.TrimSpace(text)]
	if !found {
		search := f.search()
		finder := search.finder()
		sets := make([]uint64, len(s.Decisions))
		for i, d := range s.Decisions {
			if d.Status == Active && !d.Removed {
				sets[i] = candidate | finder.in(d.Text)
			}
		}
		for _, i := range search.best(sets, maxNear) {
			all = append(all, s.Decisions[i])
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(d *Decision) bool { return d == except })
}
