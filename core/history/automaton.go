package history

import (
	"math/bits"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPositions is the number of positions that fit into one word.
const maxPositions = 64

// automaton is a nondeterministic finite automaton for a regular expression, in Glushkov's
// form: its states are the positions of the expression that take a character, and a step
// from a set of them is a few operations on words. Package regexp takes ten times as long
// for a text that does not match.
//
// Assertions such as ^ and \b are ignored, so the automaton admits every text that the
// expression matches, and some that it does not.
type automaton struct {
	first, last uint64                     // the positions that a match begins and ends with
	class       [utf8.RuneSelf + 1]uint64  // the positions that take a character; those beyond ASCII are one
	follow      [maxPositions / 8][]uint64 // what follows each set of eight positions
	after       [maxPositions]uint64       // what follows each position
	positions   int
	idle        [256]bool // the bytes that begin no match
	idleInJSON  [256]bool // the same without a backslash, which begins an escape
}

// newAutomaton returns the automaton of an expression, nil if it has too many positions or
// admits every text.
func newAutomaton(re *regexp.Regexp) *automaton {
	parsed, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return nil
	}
	a := &automaton{}
	f := a.add(parsed.Simplify())
	if f.empty || a.positions > maxPositions {
		return nil
	}
	a.first, a.last = f.first, f.last
	for k := range (a.positions + 7) / 8 {
		a.follow[k] = make([]uint64, 256)
		for set := 1; set < 256; set++ {
			rest := set & (set - 1)
			a.follow[k][set] = a.follow[k][rest] | a.after[8*k+bits.TrailingZeros(uint(set))]
		}
	}
	for c := range utf8.RuneSelf {
		a.idle[c] = a.class[c]&a.first == 0
	}
	a.idleInJSON = a.idle
	a.idleInJSON['\\'] = false
	return a
}

// takes reports whether a match may contain one of some ASCII characters.
func (a *automaton) takes(chars string) bool { return a.at(chars) != 0 }

// beginsWith reports whether a match may begin with one of some ASCII characters.
func (a *automaton) beginsWith(chars string) bool { return a.at(chars)&a.first != 0 }

// endsWith reports whether a match may end with one of some ASCII characters.
func (a *automaton) endsWith(chars string) bool { return a.at(chars)&a.last != 0 }

// at returns the positions that take one of some ASCII characters.
func (a *automaton) at(chars string) (set uint64) {
	for _, c := range []byte(chars) {
		set |= a.class[c]
	}
	return set
}

// admits reports whether a text may match. False is certain.
func (a *automaton) admits(text []byte) bool {
	var at uint64 // the positions that the characters so far may have reached
	for i := 0; i < len(text); {
		if at == 0 && a.idle[text[i]] {
			i++
			continue
		}
		c := text[i]
		size := 1
		if c >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(text[i:])
			c = utf8.RuneSelf
		}
		i += size
		if at = a.step(at, c); at&a.last != 0 {
			return true
		}
	}
	return false
}

// admitsJSON reports whether a value of JSON may match with the escapes in its strings
// decoded. False is certain, for each of its strings too. Escapes by number and what is not
// UTF-8 are not decoded: they may match.
func (a *automaton) admitsJSON(value []byte) bool {
	var at uint64
	for i := 0; i < len(value); {
		if at == 0 && a.idleInJSON[value[i]] {
			i++
			continue
		}
		c, size := jsonChar(value[i:])
		if size == 0 {
			return true
		}
		i += size
		if at = a.step(at, c); at&a.last != 0 {
			return true
		}
	}
	return false
}

// jsonChar returns the first character of some JSON, utf8.RuneSelf for one beyond ASCII, and
// its size in bytes, 0 if it is not known.
func jsonChar(value []byte) (c byte, size int) {
	switch c = value[0]; {
	case c >= utf8.RuneSelf:
		r, size := utf8.DecodeRune(value)
		if r == utf8.RuneError {
			size = 0
		}
		return utf8.RuneSelf, size
	case c != '\\':
		return c, 1
	case len(value) > 1:
		if k := strings.IndexByte(`"\/bfnrt`, value[1]); k >= 0 {
			return "\"\\/\b\f\n\r\t"[k], 2
		}
	}
	return 0, 0
}

// step returns the positions that a character may reach from some.
func (a *automaton) step(at uint64, c byte) uint64 {
	next := a.first
	for k := 0; at != 0; k++ {
		next |= a.follow[k][at&255]
		at >>= 8
	}
	return next & a.class[c]
}

// fragment is a part of an expression.
type fragment struct {
	first, last uint64 // the positions that it begins and ends with
	empty       bool   // whether it matches nothing at all
}

// add adds the positions of an expression.
func (a *automaton) add(re *syntax.Regexp) fragment {
	switch re.Op {
	case syntax.OpNoMatch:
		return fragment{}
	case syntax.OpLiteral:
		f := fragment{empty: true}
		for _, r := range re.Rune {
			f = a.join(f, a.position(literal(r, re.Flags&syntax.FoldCase != 0)))
		}
		return f
	case syntax.OpCharClass:
		return a.position(re.Rune)
	case syntax.OpAnyChar:
		return a.position([]rune{0, unicode.MaxRune})
	case syntax.OpAnyCharNotNL:
		return a.position([]rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune})
	case syntax.OpAlternate:
		var f fragment
		for _, sub := range re.Sub {
			s := a.add(sub)
			f = fragment{f.first | s.first, f.last | s.last, f.empty || s.empty}
		}
		return f
	case syntax.OpRepeat, syntax.OpStar, syntax.OpPlus:
		f := a.joinAll(re.Sub)
		a.link(f.last, f.first)
		f.empty = f.empty || re.Op != syntax.OpPlus
		return f
	case syntax.OpQuest:
		f := a.joinAll(re.Sub)
		f.empty = true
		return f
	}
	return a.joinAll(re.Sub) // one after the other, one in parentheses, or an assertion
}

// literal returns the ranges of a character and, if case is ignored, of those equal to it.
func literal(r rune, fold bool) []rune {
	ranges := []rune{r, r}
	for f := unicode.SimpleFold(r); fold && f != r; f = unicode.SimpleFold(f) {
		ranges = append(ranges, f, f)
	}
	return ranges
}

// position adds a position that takes the characters of some ranges.
func (a *automaton) position(ranges []rune) fragment {
	n := a.positions
	if a.positions++; n >= maxPositions {
		return fragment{}
	}
	bit := uint64(1) << n
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= min(ranges[i+1], utf8.RuneSelf); r++ {
			a.class[r] |= bit
		}
		if ranges[i+1] >= utf8.RuneSelf {
			a.class[utf8.RuneSelf] |= bit
		}
	}
	return fragment{first: bit, last: bit}
}

// joinAll adds expressions that follow each other.
func (a *automaton) joinAll(subs []*syntax.Regexp) fragment {
	f := fragment{empty: true}
	for _, sub := range subs {
		f = a.join(f, a.add(sub))
	}
	return f
}

// join returns what matches x and then y.
func (a *automaton) join(x, y fragment) fragment {
	a.link(x.last, y.first)
	if x.empty {
		x.first |= y.first
	}
	if y.empty {
		y.last |= x.last
	}
	return fragment{x.first, y.last, x.empty && y.empty}
}

// link records that each of some positions may be followed by each of others.
func (a *automaton) link(from, to uint64) {
	for ; from != 0; from &= from - 1 {
		a.after[bits.TrailingZeros64(from)] |= to
	}
}
