package likeness

import (
	"maps"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// class classifies how two related texts relate, and returns the reason. The order of the
// checks matters: more specific relations come first.
func (o *overlap) class() (Class, string) {
	f, g := o.f, o.g
	if why := o.measures(); why != "" {
		return Conflict, why
	}
	contrasts := len(f.rejected)+len(g.rejected) > 0
	instead := o.instead
	if instead[0] == "" {
		instead = o.exchanged
	}
	switch {
	case instead[0] != "" && !contrasts && f.denies != g.denies:
		return Duplicate, "one takes " + o.pair(instead[0], instead[1]) + ", not the other"
	case o.instead[0] != "" && !contrasts:
		return Conflict, o.pair(instead[0], instead[1]) + " do the same job"
	case instead[0] != "" && !contrasts:
		return Conflict, o.pair(instead[0], instead[1]) + " stand in one place"
	case o.excludes():
		return Duplicate, "one says only this, the other never that"
	case f.optional != g.optional:
		return Conflict, "one leaves open what the other asks for"
	case (o.flips%2 == 1) != (f.saysNo(g) != g.saysNo(f)):
		if o.flips%2 == 1 {
			return Conflict, o.pair(o.opposed[0], o.opposed[1]) + " are opposites"
		}
		return Conflict, "one denies what the other says"
	case f.only != g.only && !contrasts && len(o.onlyF) > 0 && len(o.onlyG) > 0:
		return Conflict, "one says only"
	}
	return o.sameClass()
}

// measures explains how the counts, operators, numbers or rejections of the texts differ,
// "" when they do not.
func (o *overlap) measures() string {
	f, g := o.f, o.g
	for _, pair := range [2][2]*features{{f, g}, {g, f}} {
		if s := pair[0].rejects(pair[1]); s != "" {
			return "one decides against " + pair[0].word(s) + ", which the other takes"
		}
	}
	if !slices.Equal(f.operators, g.operators) {
		return strings.TrimSpace("the signs differ: " + strings.Join(f.operators, " ") + " and " + strings.Join(g.operators, " "))
	}
	if a, b, differ := f.numbersDiffer(g); differ {
		return "the numbers differ: " + text.TerminalLine(a.written) + " and " + text.TerminalLine(b.written)
	}
	if s := f.countsDiffer(g); s != "" {
		return "one says a single " + f.word(s) + ", the other several"
	}
	if f.only && g.both || f.both && g.only {
		return "one says only, the other both"
	}
	return ""
}

// saysNo reports whether a text denies what g says: as a whole, or because g's own denial
// covers a stem that f rejects.
func (f *features) saysNo(g *features) bool {
	return f.denies || g.denies && slices.ContainsFunc(slices.Collect(maps.Keys(f.rejected)), func(s string) bool { return g.stems[s] && weight(s) >= 1 })
}

// pair returns a stem of each text as the words that it was read from.
func (o *overlap) pair(a, b string) string { return o.f.word(a) + " and " + o.g.word(b) }

// sharedWords lists the first few words that both texts have.
func (o *overlap) sharedWords() string {
	var all []string
	for _, s := range o.f.order {
		if o.g.stems[s] && !light(s) && !strings.HasPrefix(s, "§") && !slices.Contains(all, o.f.word(s)) {
			all = append(all, o.f.word(s))
		}
	}
	if len(all) == 0 {
		return "the words are alike"
	}
	const few = 4
	return "both say " + strings.Join(all[:min(len(all), few)], ", ")
}

// excludes reports whether one text says "only X" and the other "never Y".
func (o *overlap) excludes() bool {
	f, g := o.f, o.g
	return (f.only && g.denies && !f.denies || g.only && f.denies && !g.denies) && o.flips == 0 && len(o.onlyF) > 0 && len(o.onlyG) > 0
}

// sameClass distinguishes duplicates from special cases and from texts that differ in one
// place.
func (o *overlap) sameClass() (Class, string) {
	const more = 1.6 // a smaller difference is a matter of wording
	var f, g float64
	for _, s := range o.onlyF {
		f += weight(s)
	}
	for _, s := range o.onlyG {
		g += weight(s)
	}
	switch {
	case f == 0 && g > more || g == 0 && f > more:
		return Narrower, "one says all that the other does, and more"
	case (f >= 1 && g >= 1 || len(o.f.subject) > 0 && slices.Equal(o.f.subject, o.g.subject)) && o.f.denials == o.g.denials && o.f.oneSlot(o.g):
		return Conflict, "all is the same but " + o.pair(o.onlyF[0], o.onlyG[0])
	}
	return Duplicate, o.sharedWords()
}

// rejects returns a stem that f rejects and g chooses, "" when there is none.
func (f *features) rejects(g *features) string {
	for _, s := range slices.Sorted(maps.Keys(f.rejected)) {
		if g.stems[s] && !g.rejected[s] && !g.denies && !f.chosen(s) {
			return s
		}
	}
	return ""
}

// chosen reports whether a text both rejects and names a stem.
func (f *features) chosen(s string) bool { return f.rejected[s] && f.kept[s] }

// numbersDiffer returns two comparable quantities with different values.
func (f *features) numbersDiffer(g *features) (one, other quantity, differ bool) {
	for _, a := range f.numbers {
		same := false
		for _, b := range g.numbers {
			if a.comparable(f, b, g) {
				same = same || a.equals(b)
				one, other, differ = a, b, true
			}
		}
		if differ && !same {
			return one, other, true
		}
		differ = false
	}
	return one, other, false
}

// comparable reports whether two quantities may measure the same thing: they have the same
// dimension, and their names and counted nouns do not rule it out.
func (q quantity) comparable(f *features, r quantity, g *features) bool {
	if q.dimension != r.dimension {
		return false
	}
	if q.named != "" && r.named != "" && q.named != r.named {
		return false
	}
	return q.counted == "" || r.counted == "" || q.counted == r.counted || g.stems[q.counted] || f.stems[r.counted]
}

func (q quantity) equals(r quantity) bool {
	return q.dimension == r.dimension && q.value == r.value && q.text == r.text
}

// countsDiffer returns a stem of which one text has a single one and the other several, ""
// for none.
func (f *features) countsDiffer(g *features) string {
	for _, s := range slices.Sorted(maps.Keys(f.counts)) {
		if other, ok := g.counts[s]; ok && other != f.counts[s] {
			return s
		}
	}
	return ""
}

// oneSlot reports whether the texts differ in exactly one stem.
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
