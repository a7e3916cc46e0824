package history

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/text"
)

// The limits of the index of parts of words.
const (
	minPart       = 2  // minimum bytes of a part
	maxParts      = 8  // a word with more parts is a hash or the like
	maxPartedWord = 96 // longer words are not split
)

// PartSet collects the parts of words of a text, which the index of whole words cannot
// find: the humps of camelCase names, the letters and digits of words like sha256, and the
// characters of languages written without spaces, single and in pairs. The zero PartSet is
// empty.
type PartSet struct {
	seen  map[string]bool
	parts []string
}

// Of returns the parts of the words of a text, each once. They are valid until the next
// call.
func (s *PartSet) Of(body string) []string {
	if s.seen == nil {
		s.seen = make(map[string]bool)
	}
	clear(s.seen)
	s.parts = s.parts[:0]
	for at := 0; ; {
		start, end, ok := nextWord(body, at)
		if !ok {
			return s.parts
		}
		if word := body[start:end]; end-start <= maxPartedWord || !text.IsASCII(word) {
			s.word(word)
		}
		at = end
	}
}

// word adds the parts of one word that has several.
func (s *PartSet) word(word string) {
	if !text.IsASCII(word) && unspaced(word) {
		s.characters(word)
		return
	}
	var cuts [maxParts + 1]int
	n := splitHumps(word, cuts[:])
	if n < 2 || n > maxParts {
		return
	}
	from := 0
	for _, to := range cuts[:n] {
		s.add(text.FoldLetters(word[from:to]))
		from = to
	}
}

// characters adds the characters of a word, and each together with the next.
func (s *PartSet) characters(word string) {
	word = text.FoldLetters(word)
	last := -1
	for i, r := range word {
		next := i + utf8.RuneLen(r)
		if next < i { // not a character
			return
		}
		s.add(word[i:next])
		if last >= 0 {
			s.add(word[last:next])
		}
		last = i
	}
}

// add adds a part, unless it is too short or known.
func (s *PartSet) add(part string) {
	if len(part) >= minPart && !s.seen[part] {
		part = strings.Clone(part)
		s.seen[part] = true
		s.parts = append(s.parts, part)
	}
}

// splitHumps stores the ends of the parts of a word in a slice, as many as fit, and returns
// the number of parts. A part begins at an upper-case letter after a lower-case one
// (my|Name), at the last of several upper-case letters before a lower-case one
// (HTTP|Server), and between letters and digits (sha|256).
func splitHumps(word string, into []int) int {
	n := 0
	cut := func(at int) {
		if n < len(into) {
			into[n] = at
		}
		n++
	}
	before, last := kindNone, kindNone // kinds of the two preceding characters
	at := 0                            // offset of the preceding character
	for i, r := range word {
		k := kindOf(r)
		switch {
		case k == kindMark:
			continue
		case last == kindUpper && before == kindUpper && k == kindLower && at > 0:
			cut(at)
		case last != kindNone && k != last && (k != kindLower || last != kindUpper):
			cut(i)
		}
		before, last, at = last, k, i
	}
	cut(len(word))
	return n
}

// The kinds of characters that splitHumps distinguishes.
const (
	kindNone = iota
	kindLower
	kindUpper
	kindDigit
	kindMark // belongs to the character before it
)

// kindOf is the kind of a character.
func kindOf(r rune) int {
	switch {
	case 'a' <= r && r <= 'z':
		return kindLower
	case 'A' <= r && r <= 'Z':
		return kindUpper
	case unicode.IsDigit(r):
		return kindDigit
	case unicode.IsUpper(r):
		return kindUpper
	case text.IsMark(r):
		return kindMark
	}
	return kindLower
}

// nameTokens returns the parts that a text has when it contains the written words inside
// names: the parts of each word, or the word itself.
func nameTokens(written string) []string {
	var s PartSet
	out := s.Of(written)
	for at := 0; ; {
		start, end, ok := nextWord(written, at)
		if !ok {
			return out
		}
		word := written[start:end]
		var cuts [maxParts + 1]int
		if n := splitHumps(word, cuts[:]); n == 1 && !unspaced(word) && len(word) >= minPart {
			out = append(out, text.FoldLetters(word))
		}
		at = end
	}
}

// nameMatcher matches texts that contain all of some strings as parts of names, which the
// index of parts can find.
type nameMatcher struct {
	partMatcher
	tokens []string
}

// newNameMatcher makes a matcher for the phrases of a query; ok is false when the index of
// parts cannot answer it.
func newNameMatcher(phrases []Phrase) (n nameMatcher, ok bool) {
	for _, p := range phrases {
		tokens := nameTokens(p.written)
		if len(tokens) == 0 {
			return n, false
		}
		n.partMatcher = append(n.partMatcher, p.part)
		n.tokens = append(n.tokens, tokens...)
	}
	return n, len(n.tokens) > 0
}

func (n nameMatcher) held(text string) uint64 {
	held := n.partMatcher.held(text)
	if held == 0 {
		return 0
	}
	var s PartSet
	s.Of(text)
	for _, t := range n.tokens {
		if !s.seen[t] {
			return 0
		}
	}
	return held
}
