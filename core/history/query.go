package history

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/text"
)

// Phrase is a sequence of consecutive words.
type Phrase struct {
	Words  []string // folded: lower case, without marks on Latin letters
	Prefix bool     // the last word is a prefix
	Also   []string // words equivalent to the phrase

	// part is the phrase as written, folded, for searching inside words.
	part string
	// written is the phrase as written.
	written string
}

// Expr is a query to an index of words: a text must contain all phrases, or any.
type Expr struct {
	Phrases []Phrase
	Any     bool
}

// ErrEmptyQuery is returned for a query without words.
var ErrEmptyQuery = errors.New("the query is empty")

// parseText splits a text query into phrases. Quotes hold words together; nothing else is
// special, so operators of other search languages are words or separators. A query of
// punctuation has no phrases.
func parseText(query string) ([]Phrase, error) {
	if strings.Trim(query, "\" \t\r\n") == "" {
		return nil, ErrEmptyQuery
	}
	var out []Phrase
	for i, part := range strings.Split(query, `"`) {
		quoted := i%2 == 1
		if quoted {
			out = appendPhrase(out, part)
			continue
		}
		for _, field := range strings.Fields(part) {
			out = appendPhrase(out, field)
		}
	}
	return out, nil
}

// maxPhrases bounds the phrases of a query: an index that is asked for the thousands of
// words of a pasted page never answers.
const maxPhrases = 64

// appendPhrase appends the words of a text as one phrase, unless it has none.
func appendPhrase(out []Phrase, body string) []Phrase {
	if len(out) == maxPhrases {
		return out
	}
	var words []string
	first, last := 0, 0
	for at := 0; ; {
		start, end, ok := nextWord(body, at)
		if !ok {
			break
		}
		if len(words) == 0 {
			first = start
		}
		words = append(words, text.FoldLetters(body[start:end]))
		at, last = end, end
	}
	if len(words) == 0 {
		return out
	}
	return append(out, Phrase{Words: words, part: text.FoldLetters(body[first:last]), written: body[first:last]})
}

// nextWord finds the next word of a text at or after an offset, like the tokenizer of the
// index: letters and digits, with the marks after them, make words; everything else
// separates them.
func nextWord(body string, at int) (start, end int, ok bool) {
	start = -1
	for i := at; i < len(body); {
		r, size := rune(body[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(body[i:])
		}
		switch word := wordRune(r); {
		case word && start < 0:
			start = i
		case !word && start >= 0 && !text.IsMark(r):
			return start, i, true
		}
		i += size
	}
	return start, len(body), start >= 0
}

// wordRune reports whether a character is part of words.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r)
}

// isWord reports whether a word, folded, equals want or begins with it. It avoids
// allocations, because it is called for every word of long texts.
func isWord(word, want string, prefix bool) bool {
	if len(word) < len(want) && text.IsASCII(word) || !prefix && len(word) != len(want) && text.IsASCII(word) {
		return false
	}
	for i := range len(word) {
		c := word[i]
		if c >= utf8.RuneSelf {
			folded := text.FoldLetters(word)
			return folded == want || prefix && strings.HasPrefix(folded, want)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if i >= len(want) {
			continue // only a later non-ASCII character can change the result
		}
		if c != want[i] {
			return false
		}
	}
	return prefix || len(word) == len(want)
}

// held implements matcher: one bit per phrase that the text contains, 0 when it contains
// too few.
func (x Expr) held(text string) uint64 {
	var held uint64
	for i, p := range x.Phrases {
		if p.find(text) >= 0 {
			held |= 1 << (i % 64)
		} else if !x.Any {
			return 0
		}
	}
	return held
}

// find returns the offset of the phrase in text, -1 if it is not there.
func (p Phrase) find(text string) int {
	for at := 0; ; {
		s, e, ok := nextWord(text, at)
		if !ok {
			return -1
		}
		if p.at(text, s, e) >= 0 {
			return s
		}
		at = e
	}
}

// at returns the end of the phrase if it begins with the word from start to end, else -1.
func (p Phrase) at(text string, start, end int) int {
	last := len(p.Words) - 1
	for _, want := range p.Also {
		if isWord(text[start:end], want, false) {
			return end
		}
	}
	for i, want := range p.Words {
		if i > 0 {
			var ok bool
			if start, end, ok = nextWord(text, end); !ok {
				return -1
			}
		}
		if !isWord(text[start:end], want, p.Prefix && i == last) {
			return -1
		}
	}
	return end
}

// CompileRegex compiles the regular expression of a query, by default ignoring case.
// Matching takes time linear in the text.
func CompileRegex(pattern string, caseSensitive bool) (*regexp.Regexp, error) {
	if strings.TrimSpace(pattern) == "" {
		return nil, ErrEmptyQuery
	}
	prefix := "(?m)"
	if !caseSensitive {
		prefix = "(?mi)"
	}
	re, err := regexp.Compile(prefix + pattern)
	if err != nil {
		// Report the error without the prefix.
		if _, own := regexp.Compile(pattern); own != nil {
			err = own
		}
		return nil, fmt.Errorf("parse regex: %w", err)
	}
	return re, nil
}

// LooksLikeRegex reports whether a query of words may have been meant as a regular
// expression.
func LooksLikeRegex(query string) bool {
	for _, mark := range []string{".*", ".+", `\d`, `\w`, `\b`, `\s`, "[", "(?", "|", "^", "$"} {
		if strings.Contains(query, mark) {
			return true
		}
	}
	return false
}

// Words returns the words of a text as the index has them, in order.
func Words(body string) []string {
	var out []string
	for at := 0; ; {
		start, end, ok := nextWord(body, at)
		if !ok {
			return out
		}
		out = append(out, text.FoldLetters(body[start:end]))
		at = end
	}
}
