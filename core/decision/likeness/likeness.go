package likeness

import (
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Class is the relation between two texts.
type Class string

// The classes. They are guesses for a person to judge, never a reason to refuse a text.
const (
	Duplicate Class = "duplicate" // they seem to say the same
	Conflict  Class = "conflict"  // they seem to contradict, or to say different things about the same thing
	Narrower  Class = "narrower"  // one seems to be a special case of the other
)

// Likeness says how similar two texts are, and in which way.
type Likeness struct {
	// Score is between 0 and 1; 1 means equal texts.
	Score float64
	Class Class
	// Why is the reason for the class, in a few words for a person.
	Why string
}

// The thresholds for listing a pair: minimum shares of the weighted stems, unless noted.
const (
	minShared   = 0.38 // in general
	minApart    = 0.24 // when the common stems are not in one place
	minTrigrams = 0.72 // share of trigrams
	minSubject  = 0.5  // when only the beginnings of the texts agree
	minOpposed  = 0.26 // when something suggests a contradiction
	minJob      = 0.5  // when they name things that do the same job
	minSame     = 0.55 // when their subjects differ
	minCommon   = 1.0  // weight that they have in common besides the contradiction
)

// Text is a text to compare others with.
type Text struct {
	body, normal string
	print        uint64
	words        *features // computed on first use
}

// New prepares a text for comparisons.
func New(body string) *Text {
	return &Text{body: body, normal: Normal(body), print: fingerprint(body)}
}

// features parses the words of the text on first use. That costs more than a test for
// equality.
func (t *Text) features() *features {
	if t.words == nil {
		t.words = newLexicon().features(t.body)
	}
	return t.words
}

// Equals reports whether another text is equal after Normal.
func (t *Text) Equals(body string) bool {
	return fingerprint(body) == t.print && Normal(body) == t.normal
}

// Compare returns how similar another text is, and whether the two are related.
func (t *Text) Compare(body string) (Likeness, bool) {
	f := t.features()
	return f.compare(f.lexicon.features(body))
}

// fingerprint hashes the letters and digits of a text. Texts that are equal after Normal
// have the same fingerprint, and it is much cheaper than Normal.
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

// compare reports whether two texts are related, and how.
func (f *features) compare(g *features) (Likeness, bool) {
	if f.normal == g.normal {
		return Likeness{Score: 1, Class: Duplicate, Why: "the same words"}, true
	}
	o := f.overlap(g)
	score := o.score()
	if len(f.stems)+len(g.stems) == 0 && len(f.numbers) > 0 && len(g.numbers) > 0 {
		score = f.dice(g)
	}
	if score == 0 {
		return Likeness{}, false
	}
	trigrams := f.dice(g)
	class, why := o.class()
	least := minShared
	alone := o.subjectAlone()
	switch {
	case alone && f.denials+g.denials == 0:
		least = minSubject
	case o.subjectsDiffer(class) && o.both/o.all < minSame:
		return Likeness{}, false
	case o.apart():
		least = minApart
	case class == Conflict && !alone && o.contradicts():
		least = minOpposed
	}
	if score < least && trigrams < minTrigrams {
		return Likeness{}, false
	}
	return Likeness{Score: min(max(score, trigrams), 0.99), Class: class, Why: why}, true
}

func (f *features) mass() float64 {
	m := 0.0
	for s := range f.stems {
		if !f.implied(s) {
			m += weight(s)
		}
	}
	return m
}

// dice returns the Dice coefficient of the trigrams of two texts.
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
