package likeness

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/coctostan/pictx/core/text"
)

// maxNear bounds how many texts are compared in full. A comparison takes about 20 µs, so a
// very long log is first narrowed down by the prefixes of words.
const maxNear = 300

// prefix is the beginning of a word: up to four bytes, padded with zeros.
type prefix [4]byte

// wordByte returns a byte in lower case, and whether it belongs to a word: letters, digits
// and all bytes of non-ASCII characters do.
func wordByte(c byte) (byte, bool) {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c, c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}

// eachPrefix calls f with the prefix of each word of a text.
func eachPrefix(body string, f func(prefix)) {
	if text.IsASCII(body) {
		eachRun(body, f)
		return
	}
	for _, w := range splitWords(Normal(body)) {
		eachRun(w, f)
	}
}

// eachRun calls f with the prefix of each run of letters and digits.
func eachRun(text string, f func(prefix)) {
	var p prefix
	n := 0
	for i := range len(text) {
		c, inside := wordByte(text[i])
		switch {
		case inside:
			if n < len(p) {
				p[n] = c
			}
			n++
		case n > 0:
			f(p)
			p, n = prefix{}, 0
		}
	}
	if n > 0 {
		f(p)
	}
}

// probe finds texts that may be related to one text without comparing them. Each stem of
// the text gets a bit, which its synonyms and alternatives share.
type probe struct {
	whole map[prefix]uint64 // by the prefix of a word
	short map[prefix]uint64 // by the prefix of a word shorter than that
	found map[prefix]uint64 // cache of looked-up words, by prefix
	words uint64            // the bits of words; the other bits are numbers
	used  int               // number of bits in use
}

// maxBits is the number of stems of a text that get a bit of their own.
const maxBits = 64

// probe returns the probe for related texts.
func (f *features) probe() *probe {
	p := &probe{whole: make(map[prefix]uint64), short: make(map[prefix]uint64), found: make(map[prefix]uint64)}
	bit := make(map[string]uint64, len(f.stems))
	for _, s := range slices.Sorted(maps.Keys(f.stems)) {
		bit[s] = p.bit()
		p.words |= bit[s]
	}
	for s, b := range bit {
		p.addBeginning(s, b)
	}
	p.addSynonyms(f, bit)
	p.addRelated(f, bit)
	for _, n := range f.numbers {
		if n.text == "" {
			n.text = strconv.FormatFloat(n.value, 'f', -1, 64)
		}
		p.addWord(n.text, p.bit())
	}
	return p
}

// addSynonyms assigns the bits of stems to words and phrases of the same meaning, and to
// the alternatives of one kind.
func (p *probe) addSynonyms(f *features, bit map[string]uint64) {
	x := f.lexicon
	add := func(word, stem string) {
		p.addBeginning(word, bit[stem])
		for _, kind := range x.kinds[stem] {
			p.addBeginning(word, bit[f.topics[kind]])
		}
	}
	for w, rep := range x.same {
		add(w, x.stem(rep))
	}
	for s := range x.kinds {
		add(s, s)
	}
	for first, all := range x.phrase {
		for _, phrase := range all {
			for _, w := range phrase.means {
				add(first, x.stem(w))
			}
		}
	}
}

// addRelated assigns the bits of stems to near words and to opposites.
func (p *probe) addRelated(f *features, bit map[string]uint64) {
	x := f.lexicon
	for a := range x.near {
		for b := range f.stems {
			if x.nearby(a, b) {
				p.addBeginning(a, bit[b])
			}
		}
	}
	for a, facing := range x.facing {
		for b := range facing {
			p.addBeginning(a, bit[b])
		}
	}
}

// bit returns the next free bit, the last one again when all are used.
func (p *probe) bit() uint64 {
	b := uint64(1) << min(p.used, maxBits-1)
	p.used++
	return b
}

// addWord assigns bits to the first word of a text.
func (p *probe) addWord(text string, set uint64) {
	if first := firstPrefix(text); set != 0 && first != (prefix{}) {
		p.whole[first] |= set
	}
}

// addBeginning assigns bits to all words that begin like the first word of a text.
func (p *probe) addBeginning(text string, set uint64) {
	first := firstPrefix(text)
	if first[len(first)-1] != 0 { // whole has all words with this prefix
		p.addWord(text, set)
	} else if set != 0 && first != (prefix{}) {
		p.short[first] |= set
	}
}

// firstPrefix returns the prefix of the first word of a text, the zero prefix when there is
// no word.
func firstPrefix(text string) prefix {
	var first prefix
	eachPrefix(text, func(x prefix) {
		if first == (prefix{}) {
			first = x
		}
	})
	return first
}

// bitsOf returns the bits of the words with a prefix.
func (p *probe) bitsOf(x prefix) uint64 {
	set, word := p.whole[x], x
	for n := len(word) - 1; n >= 0; n-- {
		set |= p.short[word]
		word[n] = 0
	}
	return set
}

// score returns how much a text has in common with the probed one, 0 when it cannot be
// related. Words count twice as much as numbers.
func (p *probe) score(text string) int {
	var set uint64
	eachPrefix(text, func(x prefix) {
		found, ok := p.found[x]
		if !ok {
			found = p.bitsOf(x)
			p.found[x] = found
		}
		set |= found
	})
	n := bits.OnesCount64(set) + bits.OnesCount64(set&p.words)
	switch {
	case p.words == 0:
		return n + 1 // a probe with only numbers: any text may be related
	case set&p.words == 0:
		return 0
	}
	return n
}

// Nearest returns the keys of the texts that may be related to this one, in order. When
// there are very many, it keeps those with most in common, and among equals the latest.
func (t *Text) Nearest(bodies iter.Seq2[int, string]) []int {
	type hit struct{ at, score int }
	p := t.features().probe()
	var hits []hit
	for i, body := range bodies {
		if score := p.score(body); score > 0 {
			hits = append(hits, hit{i, score})
		}
	}
	if len(hits) > maxNear {
		slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.at, a.at)) })
		hits = hits[:maxNear]
		slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(a.at, b.at) })
	}
	out := make([]int, len(hits))
	for i, h := range hits {
		out[i] = h.at
	}
	return out
}

// Closest returns the keys of up to n texts, nearest first, related or not: a reader may see
// that one contradicts this text though Compare does not. It leaves out texts that have
// nothing in common with this one.
func (t *Text) Closest(bodies iter.Seq2[int, string], n int) []int {
	type candidate struct {
		at    int
		score float64
	}
	texts := maps.Collect(bodies)
	f := t.features()
	keys := t.Nearest(bodies)
	near := make([]*features, len(keys))
	for i, key := range keys {
		near[i] = f.lexicon.features(texts[key])
	}
	rare := rarities(near)
	all := make([]candidate, len(keys))
	for i, g := range near {
		o := f.overlap(g)
		all[i] = candidate{keys[i], o.score() + f.dice(g) + rare.cosine(f, g)}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	var out []int
	for _, c := range all[:min(len(all), n)] {
		out = append(out, c.at)
	}
	return out
}

// rarity says how much the stems tell about the texts of a log: the fewer texts have a stem,
// the more.
type rarity struct {
	having map[string]int // the number of texts with a stem
	texts  int
}

func rarities(texts []*features) rarity {
	r := rarity{make(map[string]int), len(texts)}
	for _, f := range texts {
		for s := range f.stems {
			r.having[s]++
		}
	}
	return r
}

// of returns the inverse document frequency of a stem.
func (r rarity) of(stem string) float64 {
	return math.Log((float64(r.texts) + 1) / (float64(r.having[stem]) + 0.5))
}

// cosine returns the cosine of two texts as vectors of their stems.
func (r rarity) cosine(f, g *features) float64 {
	sum := 0.0
	for _, s := range slices.Sorted(maps.Keys(f.stems)) { // in order, since sums of floats depend on it
		if g.stems[s] {
			sum += r.of(s) * r.of(s)
		}
	}
	if sum == 0 {
		return 0
	}
	return sum / (r.norm(f) * r.norm(g))
}

// norm returns the length of the vector of a text.
func (r rarity) norm(f *features) float64 {
	sum := 0.0
	for _, s := range slices.Sorted(maps.Keys(f.stems)) {
		sum += r.of(s) * r.of(s)
	}
	return math.Sqrt(sum)
}

// Pair is two related texts by their positions.
type Pair struct {
	A, B int
	Likeness
}

// The bounds of Pairs for each text: how many others it is compared with, and how many
// texts with one of its stems are considered.
const (
	maxCompared = 20
	maxSharing  = 400
)

// Pairs returns the related pairs of texts with at least one new text, nearest first. Of
// very many texts that share a stem only the latest are considered.
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
				continue // the pair is found from the other side too
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

// keys returns what a text is indexed by: its stems and their kinds, or the text itself
// when it has no stems.
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

// candidates returns the positions of the texts that share most keys with a text.
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
