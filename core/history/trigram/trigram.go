// Package trigram says which three characters in a row a text must have to match: the part of
// a search that an index can answer. It must not know what the texts are of, nor how an index
// keeps them.
package trigram

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/text"
)

// Gram is a trigram: three consecutive characters of a text, folded and hashed to Bits
// bits. A text that contains a string has all of its grams.
type Gram uint32

// Bits is the number of bits of a Gram. Grams with characters beyond ASCII may collide.
const Bits = 20

// size is the number of characters in a gram.
const size = 3

// Set collects the grams of texts, each once. The zero Set is empty.
type Set struct {
	seen  []uint64 // a bit for each gram
	grams []Gram
}

// Reset empties the set.
func (s *Set) Reset() {
	for _, g := range s.grams {
		s.seen[g>>6] = 0
	}
	s.grams = s.grams[:0]
}

// Add adds the grams of a text.
func (s *Set) Add(text string) {
	if s.seen == nil {
		s.seen = make([]uint64, 1<<Bits/64)
	}
	each(text, func(g Gram) {
		if bit := uint64(1) << (g & 63); s.seen[g>>6]&bit == 0 {
			s.seen[g>>6] |= bit
			s.grams = append(s.grams, g)
		}
	})
}

// Grams returns the collected grams, valid until the set changes.
func (s *Set) Grams() []Gram { return s.grams }

// each calls fn with the grams of a text in order.
func each(text string, fn func(Gram)) {
	var a, b rune
	n := 0
	for i := 0; i < len(text); {
		r, width := rune(text[i]), 1
		switch {
		case 'A' <= r && r <= 'Z':
			r += 'a' - 'A'
		case r >= utf8.RuneSelf:
			r, width = utf8.DecodeRuneInString(text[i:])
			r = fold(r)
		}
		i += width
		if r < 0 {
			continue
		}
		if n++; n >= size {
			fn(hash(a, b, r))
		}
		a, b = b, r
	}
}

// hash hashes three characters.
func hash(a, b, c rune) Gram {
	const spread = 0x9e3779b1
	h := (uint32(a)*0x85ebca6b ^ uint32(b)*0xc2b2ae35 ^ uint32(c)) * spread
	return Gram((h ^ h>>15) & (1<<Bits - 1))
}

// fold folds a character, so that characters which a search or a regular expression
// treats as equal are equal. It returns -1 when folding removes the character.
func fold(r rune) rune {
	if r = text.FoldLetter(r); r < utf8.RuneSelf {
		return r
	}
	smallest := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		smallest = min(smallest, f)
	}
	if 'A' <= smallest && smallest <= 'Z' {
		smallest += 'a' - 'A'
	}
	return smallest
}

// Need is a necessary condition for a match: the text must contain at least one string of
// each group. The empty Need admits every text.
type Need [][]string

// Of returns the grams of a string of a Need, for a long string only those at its ends.
func Of(s string) []Gram {
	const most = 24
	var out []Gram
	each(s, func(g Gram) {
		if !slices.Contains(out, g) {
			out = append(out, g)
		}
	})
	if len(out) > most {
		out = append(out[:most/2:most/2], out[len(out)-most/2:]...)
	}
	return out
}

// holds reports whether a string is long enough to have a gram.
func holds(s string) bool {
	found := false
	each(s, func(Gram) { found = true })
	return found
}

// NeedOf is the condition for containing all of some strings.
func NeedOf(all []string) Need {
	var n Need
	for _, s := range all {
		if holds(s) {
			n = append(n, []string{s})
		}
	}
	return n
}

// NeedOfRegex is a condition for matching a regular expression, empty for one that cannot
// be parsed. Example: (foo|bar)baz+ needs foo or bar, and baz.
func NeedOfRegex(pattern string) Need {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	return needOfSyntax(re.Simplify())
}

// needOfSyntax is NeedOfRegex for a part of an expression, empty for unknown kinds of
// parts.
func needOfSyntax(re *syntax.Regexp) Need {
	switch re.Op {
	case syntax.OpLiteral:
		return NeedOf([]string{string(re.Rune)})
	case syntax.OpCapture, syntax.OpPlus:
		return needOfSyntax(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needOfSyntax(re.Sub[0])
		}
	case syntax.OpConcat:
		return needOfConcat(re.Sub)
	case syntax.OpAlternate:
		return needOfAlternate(re.Sub)
	}
	return nil
}

// needOfConcat joins adjacent literals: the parser splits a literal where a part of it
// ignores case or is repeated.
func needOfConcat(subs []*syntax.Regexp) Need {
	var n Need
	var run []rune
	flush := func() {
		n = append(n, NeedOf([]string{string(run)})...)
		run = run[:0]
	}
	for _, sub := range subs {
		if sub.Op == syntax.OpLiteral {
			run = append(run, sub.Rune...)
			continue
		}
		if sub.Op == syntax.OpPlus && sub.Sub[0].Op == syntax.OpLiteral {
			// The literal occurs at least once after what precedes it.
			run = append(run, sub.Sub[0].Rune...)
			flush()
			run = append(run, sub.Sub[0].Rune...)
			continue
		}
		flush()
		n = append(n, needOfSyntax(sub)...)
	}
	flush()
	return n
}

// maxAlternatives bounds the strings of a group, each of which is a query to the index.
const maxAlternatives = 32

// needOfAlternate needs one string of each branch. If one branch has no condition, neither
// has the whole.
func needOfAlternate(subs []*syntax.Regexp) Need {
	var group []string
	for _, sub := range subs {
		n := needOfSyntax(sub)
		if len(n) == 0 {
			return nil
		}
		best := slices.MaxFunc(n, func(a, b []string) int { return shortest(a) - shortest(b) })
		group = append(group, best...)
	}
	if len(group) > maxAlternatives {
		return nil
	}
	return Need{group}
}

// shortest returns the length of the shortest string.
func shortest(list []string) int {
	return len(slices.MinFunc(list, func(a, b string) int { return len(a) - len(b) }))
}
