package likeness

import (
	"maps"
	"slices"
	"strings"

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
	minShared   = 0.38 // of weighted stems
	minApart    = 0.24 // of weighted stems, where they stand in more than one place
	minTrigrams = 0.72 // of trigrams
	minSubject  = 0.5  // of weighted stems, where only what the texts begin with is the same
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

// compare reports whether two texts are related, and how.
func (f *features) compare(g *features) (Likeness, bool) {
	if f.normal == g.normal {
		return Likeness{Score: 1, Class: Duplicate}, true
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
	least := minShared
	if o.subjectAlone() {
		least = minSubject
	} else if o.apart() {
		least = minApart
	}
	if score < least && trigrams < minTrigrams {
		return Likeness{}, false
	}
	return Likeness{Score: min(max(score, trigrams), 0.99), Class: o.class()}, true
}

// overlap is what two texts have in common, and what each has beside that.
type overlap struct {
	f, g *features
	// both and all are the weights of what both texts have, and of everything.
	both, all float64
	// flips counts words that the other text has the opposite of.
	flips int
	// instead is set when the texts name different things of one kind in one place.
	instead bool
	// met are the stems of f and g that were matched, a pair of each, without names.
	met [][2]string
	// onlyF and onlyG are the stems that the other text has nothing for.
	onlyF, onlyG []string
}

// How much a stem counts whose counterpart is not the same word.
const (
	asOpposite    = 0.85
	asAlternative = 0.8
	asKindred     = 0.9 // another form of the word
	asNumber      = 0.5 // the same number, beside its dimension
)

// overlap matches the stems of two texts: the same ones, then forms of one word, opposites,
// alternatives of one kind, and at last names that stand where the other text has another.
func (f *features) overlap(g *features) overlap {
	o := overlap{f: f, g: g}
	for _, s := range slices.Sorted(maps.Keys(f.stems)) {
		if g.stems[s] {
			o.both, o.all = o.both+weight(s), o.all+weight(s)
			o.met = append(o.met, [2]string{s, s})
		} else {
			o.onlyF = append(o.onlyF, s)
		}
	}
	for _, s := range slices.Sorted(maps.Keys(g.stems)) {
		if !f.stems[s] {
			o.onlyG = append(o.onlyG, s)
		}
	}
	o.onlyF, o.onlyG = slices.DeleteFunc(o.onlyF, f.implied), slices.DeleteFunc(o.onlyG, g.implied)
	for _, n := range f.numbers {
		if slices.Contains(g.numbers, n) {
			o.both, o.all = o.both+asNumber, o.all+asNumber
		}
	}
	x := f.lexicon
	o.match(asKindred, kindred)
	n := len(o.onlyF)
	o.match(asOpposite, x.opposite)
	o.flips += n - len(o.onlyF)
	if f.reversed(g) {
		o.flips--
	}
	n = len(o.onlyF)
	o.match(asAlternative, func(a, b string) bool { return x.topics[a] != "" && x.topics[a] == x.topics[b] })
	o.instead = n > len(o.onlyF)
	if o.both >= 1 { // a name in the place of another says little of what both are about
		met := o.met
		n = len(o.onlyF)
		o.match(asAlternative, func(a, b string) bool {
			return f.names[a] && g.names[b] && (x.topics[a] == "" || x.topics[b] == "")
		})
		o.instead = o.instead || n > len(o.onlyF)
		o.met = met
	}
	for _, list := range [][]string{o.onlyF, o.onlyG} {
		for _, s := range list {
			o.all += weight(s)
		}
	}
	return o
}

// subjectAlone reports whether the texts begin with the same words, have nothing else in
// common, and nothing that contradicts: they may say anything of one subject.
func (o *overlap) subjectAlone() bool {
	f, g, n := o.f, o.g, 0
	for n < min(len(f.order), len(g.order)) && f.order[n] == g.order[n] {
		n++
	}
	shared := len(f.stems) - len(o.onlyF)
	return n > 0 && shared <= n && len(o.onlyF) > 0 && len(o.onlyG) > 0 &&
		o.flips == 0 && !o.instead && f.denials+g.denials == 0 && len(f.numbers)+len(g.numbers) == 0
}

// apart reports whether what the texts have in common stands in more than one place of one of
// them: a subject, say, and what is done with it, where one phrase alone may be anything's subject.
func (o *overlap) apart() bool {
	var at [2][]int
	for _, m := range o.met {
		if (weight(m[0])+weight(m[1]))/2 >= 1 {
			at[0] = append(at[0], slices.Index(o.f.order, m[0]))
			at[1] = append(at[1], slices.Index(o.g.order, m[1]))
		}
	}
	for _, p := range at {
		if len(p) > 1 && slices.Max(p)-slices.Min(p) >= len(p) {
			return true
		}
	}
	return false
}

// match takes pairs of stems that fit together out of those that were left.
func (o *overlap) match(share float64, fit func(a, b string) bool) {
	o.onlyF = slices.DeleteFunc(o.onlyF, func(a string) bool {
		i := slices.IndexFunc(o.onlyG, func(b string) bool { return fit(a, b) })
		if i < 0 {
			return false
		}
		w := (weight(a) + weight(o.onlyG[i])) / 2
		o.both, o.all = o.both+w*share, o.all+w
		o.met = append(o.met, [2]string{a, o.onlyG[i]})
		o.onlyG = slices.Delete(o.onlyG, i, i+1)
		return true
	})
}

// reversed reports whether one text says "a before b", and the other "b after a".
func (f *features) reversed(g *features) bool {
	for _, pair := range [2][2]*features{{f, g}, {g, f}} {
		i, j := slices.Index(pair[0].order, beforeStem), slices.Index(pair[1].order, afterStem)
		if i < 0 || j < 0 {
			continue
		}
		return slices.ContainsFunc(pair[0].order[:i], func(s string) bool { return slices.Contains(pair[1].order[j:], s) })
	}
	return false
}

// The stems of the words that tell which of two things comes first.
const (
	beforeStem = "befor"
	afterStem  = "after"
)

// kindred reports whether two stems are forms of one word.
func kindred(a, b string) bool {
	const same = 5
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n >= same && len(a)-n <= 3 && len(b)-n <= 3
}

// score is the share of what both texts have. One text may say more than the other.
func (o *overlap) score() float64 {
	if o.all == 0 {
		return 0
	}
	part := o.both / o.all
	small := min(o.f.mass(), o.g.mass())
	against := min(len(o.f.stems), len(o.g.stems)) == 1 && (o.flips > 0 || o.instead)
	if small > 0 && (against || len(o.f.stems) > 1 && len(o.g.stems) > 1 && o.both >= 1.9) {
		part = max(part, 0.65*o.both/small)
	}
	return min(part, 0.99)
}

// class classifies how two related texts relate to each other.
func (o *overlap) class() Class {
	f, g := o.f, o.g
	opposed := (o.flips%2 == 1) != (f.denies != g.denies)
	switch {
	case f.rejects(g) || g.rejects(f):
		return Conflict
	case !slices.Equal(f.operators, g.operators) && len(f.operators)+len(g.operators) > 0:
		return Conflict
	case f.numbersDiffer(g) || f.countsDiffer(g) || f.only && g.both || f.both && g.only:
		return Conflict
	case o.instead && len(f.rejected)+len(g.rejected) == 0:
		if f.denies != g.denies {
			return Duplicate // use one of them, not the other
		}
		return Conflict
	case o.excludes():
		return Duplicate
	case opposed:
		return Conflict
	case f.only != g.only && len(f.rejected)+len(g.rejected) == 0 && len(o.onlyF) > 0 && len(o.onlyG) > 0:
		return Conflict
	}
	return o.sameClass()
}

// excludes reports whether one text says only this, and the other never that.
func (o *overlap) excludes() bool {
	f, g := o.f, o.g
	return (f.only && g.denies && !f.denies || g.only && f.denies && !g.denies) && o.flips == 0 && len(o.onlyF) > 0 && len(o.onlyG) > 0
}

// sameClass tells duplicates from special cases, and from texts that differ in one place.
func (o *overlap) sameClass() Class {
	const more = 1.3 // less is a matter of wording
	var f, g float64
	for _, s := range o.onlyF {
		f += weight(s)
	}
	for _, s := range o.onlyG {
		g += weight(s)
	}
	switch {
	case f == 0 && g > more || g == 0 && f > more:
		return Narrower
	case f >= 1 && g >= 1 && o.f.denials == o.g.denials && o.f.oneSlot(o.g):
		return Conflict
	}
	return Duplicate
}

// rejects reports whether f says no to what g chooses.
func (f *features) rejects(g *features) bool {
	for s := range f.rejected {
		if g.stems[s] && !g.rejected[s] && !g.denies && !f.chosen(s) {
			return true
		}
	}
	return false
}

// chosen reports whether a text names a stem that it rejects elsewhere, too.
func (f *features) chosen(s string) bool { return f.rejected[s] && f.kept[s] }

// numbersDiffer reports whether both name quantities of one dimension, and different ones.
func (f *features) numbersDiffer(g *features) bool {
	for _, a := range f.numbers {
		same, other := false, false
		for _, b := range g.numbers {
			if a.dimension == b.dimension {
				same, other = same || a == b, true
			}
		}
		if other && !same {
			return true
		}
	}
	return false
}

// countsDiffer reports whether one text has one alone of what the other has several of.
func (f *features) countsDiffer(g *features) bool {
	for s, one := range f.counts {
		if other, ok := g.counts[s]; ok && other != one {
			return true
		}
	}
	return false
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

// oneSlot reports whether the texts differ in exactly one word.
func (f *features) oneSlot(g *features) bool {
	a, b := f.order, g.order
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
