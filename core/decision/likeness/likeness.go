package likeness

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/coctostan/pictx/core/text"
)

// Class is how a text relates to another.
type Class string

// The classes. They are guesses for a person to look at, never a reason to refuse.
const (
	Duplicate Class = "duplicate" // it seems to say the same
	Conflict  Class = "conflict"  // it seems to say the opposite, or something different about the same thing
	Narrower  Class = "narrower"  // one seems to be a special case of the other
)

// Likeness is how much alike two texts are, and in which way.
type Likeness struct {
	// Score is between 0 and 1, which is the same text.
	Score float64
	Class Class
}

// How much two texts must have in common to be listed.
const (
	minShared   = 0.40 // of weighted stems
	minTrigrams = 0.55 // of trigrams
)

// Text is a text that others are compared with.
type Text struct {
	print uint64
	words *features
}

// New prepares a text for comparisons.
func New(body string) *Text {
	return &Text{print: fingerprint(body), words: newLexicon().features(body)}
}

// Equals reports whether another text says the same after Normal.
func (t *Text) Equals(body string) bool {
	return fingerprint(body) == t.print && Normal(body) == t.words.normal
}

// Compare returns how alike another text is, and whether the two are related at all.
func (t *Text) Compare(body string) (Likeness, bool) {
	return t.words.compare(t.words.lexicon.features(body))
}

// fingerprint is a hash of the letters and digits of a text: texts that are equal
// after Normal have the same one, and it costs much less than Normal does.
func fingerprint(body string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	sum := uint64(offset)
	if !text.IsASCII(body) {
		body = Normal(body)
	}
	for i := range len(body) {
		if c, inside := wordByte(body[i]); inside {
			sum = (sum ^ uint64(c)) * prime
		}
	}
	return sum
}

// lexicon caches properties of words while texts are compared.
type lexicon struct {
	topics map[string]string // the kind, such as database, by the stem of a word
	stems  map[string]string // by word
	roots  map[string]string // by word, ignoring aliases
}

func newLexicon() *lexicon {
	x := &lexicon{topics: make(map[string]string), stems: make(map[string]string), roots: make(map[string]string)}
	for _, kind := range kinds {
		for _, word := range kind[1:] {
			x.topics[text.Stem(word)] = kind[0]
		}
	}
	return x
}

// stem is the stem of a word, or of the word that it is an alias of.
func (x *lexicon) stem(word string) string {
	s, ok := x.stems[word]
	if !ok {
		s = text.Stem(alias(word))
		x.stems[word] = s
	}
	return s
}

// root is the stem of a word, ignoring aliases.
func (x *lexicon) root(word string) string {
	s, ok := x.roots[word]
	if !ok {
		s = text.Stem(word)
		x.roots[word] = s
	}
	return s
}

// features are the properties by which texts are compared.
type features struct {
	lexicon  *lexicon
	normal   string
	words    []string        // of the normal text
	stems    map[string]bool // of the words that carry meaning
	topics   map[string]string
	numbers  []string
	denies   bool
	trigrams map[string]bool
}

func (x *lexicon) features(text string) *features {
	f := &features{lexicon: x, normal: Normal(text), stems: make(map[string]bool), topics: make(map[string]string)}
	f.words = splitWords(f.normal)
	f.denies = denies(f.words)
	for _, w := range f.words {
		switch {
		case isNumber(w):
			f.numbers = append(f.numbers, w)
		case filler(w) || denial(w):
		default:
			w = x.stem(w)
			f.stems[w] = true
			if t := x.topics[w]; t != "" {
				f.topics[t] = w
			}
		}
	}
	slices.Sort(f.numbers)
	return f
}

// splitWords splits a normal text into words. Hyphens and slashes separate words, signs
// inside names do not. In scripts without blanks every two characters are a word.
func splitWords(normal string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(normal, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("-/,;:()[]{}=\"`", r)
	}) {
		if w = trimWord(w); w == "" {
			continue
		}
		if runes := []rune(w); unicode.In(runes[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) && len(runes) > 2 {
			for i := range len(runes) - 1 {
				out = append(out, string(runes[i:i+2]))
			}
			continue
		}
		out = append(out, w)
	}
	return out
}

// isNumber reports whether a word is a number or a version.
func isNumber(w string) bool {
	digits := strings.TrimLeft(w, "v<>=~^$#")
	return digits != "" && digits[0] >= '0' && digits[0] <= '9'
}

// compare reports whether two texts are related, and how.
func (f *features) compare(g *features) (Likeness, bool) {
	if f.normal == g.normal {
		return Likeness{Score: 1, Class: Duplicate}, true
	}
	shared := f.shared(g)
	if shared == 0 {
		return Likeness{}, false
	}
	trigrams := f.dice(g)
	if shared < minShared && trigrams < minTrigrams {
		return Likeness{}, false
	}
	return Likeness{Score: min(max(shared, trigrams), 0.99), Class: f.class(g)}, true
}

// weight is how much a stem counts: common words distinguish less, long words more.
func weight(stem string) float64 {
	switch {
	case common(stem):
		return 0.5
	case len(stem) > 6:
		return 1.25
	}
	return 1
}

// shared is the share of weighted stems that two texts have in common. Alternatives of
// one kind, such as two databases, count as nearly the same.
func (f *features) shared(g *features) float64 {
	const other = 0.8
	both, all := 0.0, 0.0
	small := min(f.mass(), g.mass())
	stood := make(map[string]bool) // stems of g matched with another of their kind in f
	for _, s := range slices.Sorted(maps.Keys(f.stems)) {
		w := weight(s)
		topic := f.lexicon.topics[s]
		o := g.topics[topic]
		switch {
		case g.stems[s]:
			both, all = both+w, all+w
		case topic != "" && o != "" && !f.stems[o] && !stood[o]:
			w = (w + weight(o)) / 2
			both, all = both+w*other, all+w
			stood[o] = true
		default:
			all += w
		}
	}
	for s := range g.stems {
		if !f.stems[s] && !stood[s] {
			all += weight(s)
		}
	}
	if all == 0 {
		return numbersOnly(f, g)
	}
	part := both / all
	if small > 0 && len(f.stems) > 1 && len(g.stems) > 1 && both >= 2 {
		part = max(part, 0.7*both/small) // one text may say more than the other
	}
	return part
}

// numbersOnly compares texts that have no stems but numbers.
func numbersOnly(f, g *features) float64 {
	if len(f.numbers) > 0 && len(g.numbers) > 0 {
		return f.dice(g)
	}
	return 0
}

func (f *features) mass() float64 {
	m := 0.0
	for s := range f.stems {
		m += weight(s)
	}
	return m
}

// dice is the Dice coefficient of the trigrams of two texts.
func (f *features) dice(g *features) float64 {
	a, b := f.trigramSet(), g.trigramSet()
	if len(a)+len(b) == 0 {
		return 0
	}
	n := 0
	for t := range a {
		if b[t] {
			n++
		}
	}
	return 2 * float64(n) / float64(len(a)+len(b))
}

func (f *features) trigramSet() map[string]bool {
	if f.trigrams != nil {
		return f.trigrams
	}
	f.trigrams = make(map[string]bool)
	runes := []rune(" " + strings.Join(f.words, " ") + " ")
	for i := 0; i+3 <= len(runes); i++ {
		f.trigrams[string(runes[i:i+3])] = true
	}
	return f.trigrams
}

// class classifies how two related texts relate to each other.
func (f *features) class(g *features) Class {
	switch {
	case f.denies != g.denies && !f.excludes(g), f.opposes(g), f.numbersDiffer(g):
		return Conflict
	case f.denies == g.denies && f.excludes(g):
		return Conflict
	case f.holds(g) != g.holds(f):
		return Narrower
	case f.oneSlot(g):
		return Conflict
	}
	return Duplicate
}

// excludes reports whether the texts name different alternatives of one kind, such as
// two databases.
func (f *features) excludes(g *features) bool {
	for t, w := range f.topics {
		if o := g.topics[t]; o != "" && o != w && !f.stems[o] && !g.stems[w] {
			return true
		}
	}
	return false
}

// numbersDiffer reports whether both name numbers, and different ones.
func (f *features) numbersDiffer(g *features) bool {
	return len(f.numbers) > 0 && len(g.numbers) > 0 && !slices.Equal(f.numbers, g.numbers)
}

// opposes reports whether one text has a word and the other its opposite.
func (f *features) opposes(g *features) bool {
	for _, pair := range opposites {
		a, b := pair[0], pair[1]
		if f.has(a) && g.has(b) && !f.has(b) && !g.has(a) || f.has(b) && g.has(a) && !f.has(a) && !g.has(b) {
			return true
		}
	}
	return false
}

func (f *features) has(word string) bool {
	return f.stems[f.lexicon.root(word)] || slices.Contains(f.words, word)
}

// holds reports whether f covers everything that g is about, and more.
func (f *features) holds(g *features) bool {
	const more = 1.3 // less is a matter of wording
	for s := range g.stems {
		if !f.stems[s] {
			return false
		}
	}
	return len(g.stems) > 0 && f.mass()-g.mass() > more
}

// oneSlot reports whether the texts differ in exactly one word.
func (f *features) oneSlot(g *features) bool {
	a, b := f.content(), g.content()
	if len(a) != len(b) || len(a) < 2 {
		return false
	}
	differ := 0
	for i := range a {
		if a[i] != b[i] {
			differ++
		}
	}
	return differ == 1
}

// content are the stems in their order.
func (f *features) content() []string {
	var out []string
	for _, w := range f.words {
		if !isNumber(w) && !filler(w) && !denial(w) {
			out = append(out, f.lexicon.stem(w))
		}
	}
	return out
}
