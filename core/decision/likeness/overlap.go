package likeness

import (
	"maps"
	"slices"
	"strings"
)

// overlap is the alignment of two texts: what they have in common, and what each has
// besides.
type overlap struct {
	f, g *features
	// both is the weight of the matched stems, all that of all stems.
	both, all float64
	// flips counts pairs of opposites.
	flips int
	// instead is a pair of alternatives of one kind, a stem of each text. exchanged is a
	// pair of unknown names that take each other's place.
	instead, exchanged [2]string
	// opposed is the last pair of opposites.
	opposed [2]string
	// met are the matched pairs of stems of f and g, except exchanged names.
	met [][2]string
	// certain counts the leading pairs of met that are firm, not words that may mean the
	// same.
	certain int
	// onlyF and onlyG are the unmatched stems of each text.
	onlyF, onlyG []string
}

// The weights of matches between different stems.
const (
	asOpposite    = 0.85
	asAlternative = 0.8
	asKindred     = 0.9 // inflected forms of one word
	asNear        = 0.6 // words that may mean the same
	asKind        = 0.6 // the name of a kind, such as database, and one of its members
	asNumber      = 0.5 // equal numbers, in addition to their dimension
)

// overlap aligns the stems of two texts: equal ones, then inflected forms, opposites,
// alternatives of one kind, near words, and finally names that take each other's place. A
// stem is matched once, so the order matters.
func (f *features) overlap(g *features) overlap {
	o := overlap{f: f, g: g}
	o.matchEqual()
	o.matchRelated()
	if o.both >= 1 && !o.subjectAlone() { // a shared subject alone does not show that two names are alternatives
		o.exchangeNames()
	}
	for _, list := range [][]string{o.onlyF, o.onlyG} {
		for _, s := range list {
			o.all += weight(s)
		}
	}
	return o
}

// matchEqual matches equal stems and equal numbers, and lists the other stems of each text.
func (o *overlap) matchEqual() {
	f, g := o.f, o.g
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
}

// matchRelated matches stems that mean the same, the opposite or an alternative.
func (o *overlap) matchRelated() {
	f, g, x := o.f, o.g, o.f.lexicon
	o.match(asKindred, kindred)
	o.match(asKindred, func(a, b string) bool { return f.rejected[a] != g.rejected[b] && x.opposite(a, b) })
	if n := o.match(asOpposite, x.opposite); n > 0 {
		o.flips, o.opposed = n, o.met[len(o.met)-1]
	}
	if f.reversed(g) {
		o.flips--
	}
	if o.match(asAlternative, func(a, b string) bool { return f.alternatives(g, a, b) }) > 0 {
		o.instead = o.met[len(o.met)-1]
	}
	o.certain = len(o.met)
	o.match(asNear, x.nearby)
	o.match(asKind, func(a, b string) bool { return f.isKind(a, g, b) || g.isKind(b, f, a) })
}

// exchangeNames matches unknown names that take each other's place. Their pairs are not
// listed in met.
func (o *overlap) exchangeNames() {
	f, g, met := o.f, o.g, o.met
	exchanged := o.match(asAlternative, func(a, b string) bool {
		unknown := len(f.kindsOf(a)) == 0 || len(g.kindsOf(b)) == 0
		theOnly := len(o.onlyF)+len(o.onlyG) == 2
		return f.names[a] && g.names[b] && !common(a) && !common(b) && (unknown || theOnly)
	})
	if exchanged > 0 {
		o.exchanged = o.met[len(o.met)-1]
	}
	o.met = met
}

// subjectAlone reports whether the texts agree only in their first words and give no
// opposites, alternatives or comparable numbers. Such texts may say anything about one
// subject.
func (o *overlap) subjectAlone() bool {
	f, g := o.f, o.g
	if o.flips > 0 || o.instead[0] != "" || len(f.numbers) > 0 && len(g.numbers) > 0 || !o.beginAlike() {
		return false
	}
	if len(f.subject) > 0 && slices.Equal(f.subject, g.subject) && len(o.onlyF) == 1 && len(o.onlyG) == 1 && f.oneSlot(g) {
		return false // as in "the default branch is X" and "the default branch is Y"
	}
	return len(o.onlyF)+len(o.onlyG) > 0
}

// beginAlike reports whether the firm matches are all at the beginning of both texts.
func (o *overlap) beginAlike() bool {
	n := 0
	one, other := slices.DeleteFunc(slices.Clone(o.f.order), light), slices.DeleteFunc(slices.Clone(o.g.order), light)
	for n < min(len(one), len(other)) && one[n] == other[n] {
		n++
	}
	certain := 0
	for _, m := range o.met[:o.certain] {
		if !light(m[0]) && !strings.HasPrefix(m[0], "§") {
			certain++
		}
	}
	return n > 0 && certain <= n
}

// subjectsDiffer reports whether the texts are about different things: a billing service
// and a search service, or timeouts for clients and for jobs.
func (o *overlap) subjectsDiffer(class Class) bool {
	f, g := o.f, o.g
	if o.flips > 0 || f.countsDiffer(g) != "" {
		return false
	}
	if class == Conflict && len(f.order) > 1 && len(g.order) > 1 && f.order[1] == g.order[1] && !light(f.order[1]) && slices.Contains(o.onlyF, f.order[0]) && slices.Contains(o.onlyG, g.order[0]) {
		return true
	}
	left := func(scope []string, side int) bool {
		return len(scope) > 0 && !slices.ContainsFunc(scope, func(s string) bool {
			return slices.ContainsFunc(o.met, func(m [2]string) bool { return m[side] == s })
		})
	}
	return left(f.scope, 0) && left(g.scope, 1) || left(f.subject, 0) && left(g.subject, 1)
}

// firm reports whether the difference is a known contradiction, rather than unknown names
// or words.
func (o *overlap) firm() bool {
	f, g := o.f, o.g
	return o.instead[0] != "" || o.flips > 0 || f.denies != g.denies || f.optional != g.optional || f.only != g.only || o.measures() != ""
}

// apart reports whether the common stems are not contiguous in one of the texts: a subject
// and, further on, what is done with it. A single common phrase could be the subject of
// anything.
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

// contradicts reports whether the texts are about one thing and firmly contradict each
// other.
func (o *overlap) contradicts() bool {
	common := o.common()
	if o.instead[0] != "" || o.sameNamed() {
		return common >= minJob
	}
	return o.firm() && common >= minCommon
}

// sameNamed reports whether the texts give different numbers for one name, such as
// versions.
func (o *overlap) sameNamed() bool {
	a, b, differ := o.f.numbersDiffer(o.g)
	return differ && a.named != "" && a.named == b.named
}

// common returns the weight of the stems that both texts have in the same or an inflected
// form.
func (o *overlap) common() float64 {
	sum := 0.0
	for _, m := range o.met {
		if m != o.instead && m != o.opposed && !strings.HasPrefix(m[0], "§") {
			sum += weight(m[0])
		}
	}
	return sum
}

// match matches the remaining stems that fit, with a share of their weight, and returns the
// number of pairs.
func (o *overlap) match(share float64, fit func(a, b string) bool) int {
	n := len(o.onlyF)
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
	return n - len(o.onlyF)
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

// The stems of the words that order two things.
const (
	beforeStem = "befor"
	afterStem  = "after"
)

// kindred reports whether two stems are forms of one word: a common beginning of five
// bytes, and at most three more.
func kindred(a, b string) bool {
	const same = 5
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n >= same && len(a)-n <= 3 && len(b)-n <= 3
}

// score returns the share of the weight that both texts have. One text may say more than
// the other.
func (o *overlap) score() float64 {
	if o.all == 0 {
		return 0
	}
	part := o.both / o.all
	small := min(o.f.mass(), o.g.mass())
	against := min(len(o.f.stems), len(o.g.stems)) == 1 && (o.flips > 0 || o.instead[0] != "" || o.exchanged[0] != "")
	if small > 0 && (against || len(o.f.stems) > 1 && len(o.g.stems) > 1 && o.both >= 1.9) {
		part = max(part, 0.65*o.both/small)
	}
	return min(part, 0.99)
}
