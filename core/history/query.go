package history

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/coctostan/pictx/core/text"
)

// Phrase is a sequence of consecutive words.
type Phrase struct {
	Words  []string // folded: lower case, without marks on Latin letters
	Prefix bool     // the last word is a prefix
	Stems  bool     // a word in another form is the same: "decide" is "decided"

	written string // the phrase as written
}

// Expr is a query to an index of words: a text must contain all phrases, or any.
type Expr struct {
	Phrases []Phrase
	Any     bool
}

// ErrEmptyQuery is returned for a query without words.
var ErrEmptyQuery = errors.New("the query is empty")

// ParseText splits a text query into phrases, whose words may have other forms. Quotes hold
// words together; nothing else is special, so operators of other search languages are words
// or separators. A query of punctuation has no phrases.
func ParseText(query string) ([]Phrase, error) {
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
	return append(out, Phrase{Words: words, Stems: true, written: body[first:last]})
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

// at returns the end of the phrase if it begins with the word from start to end, else -1.
func (p Phrase) at(body string, start, end int) int {
	for i := range p.Words {
		if i > 0 {
			var ok bool
			if start, end, ok = nextWord(body, end); !ok {
				return -1
			}
		}
		if !p.isWord(body[start:end], i) {
			return -1
		}
	}
	return end
}

// isWord reports whether a word of a text is the i-th of the phrase.
func (p Phrase) isWord(word string, i int) bool {
	if isWord(word, p.Words[i], p.Prefix && i == len(p.Words)-1) {
		return true
	}
	return p.Stems && word[0]|0x20 == p.Words[i][0] && text.IsASCII(word) && text.Porter(strings.ToLower(word)) == text.Porter(p.Words[i])
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
	re, err := regexp.Compile(prefix + inAnyForm(pattern))
	if err != nil {
		// Report the error without the prefix.
		if _, own := regexp.Compile(pattern); own != nil {
			err = own
		}
		return nil, fmt.Errorf("parse regex: %w", err)
	}
	return re, nil
}

// inAnyForm returns a regular expression that matches composed and decomposed letters, but for those
// in classes: macOS decomposes the letters of paths.
func inAnyForm(pattern string) string {
	composed, decomposed := norm.NFC.String(pattern), norm.NFD.String(pattern)
	if composed == decomposed || regexp.MustCompile(`\[[^\]]*[^\x00-\x7f]`).MatchString(pattern) {
		return pattern
	}
	return "(?:" + composed + "|" + decomposed + ")"
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

// ReplaceWord replaces the first occurrence of a folded word in a text.
func ReplaceWord(body, word, by string) string {
	for at := 0; by != word; {
		start, end, ok := nextWord(body, at)
		if !ok {
			break
		}
		if isWord(body[start:end], word, false) {
			return body[:start] + by + body[end:]
		}
		at = end
	}
	return body
}

// isStopWord reports whether a word of a question says nothing about its answer.
func isStopWord(word string) bool {
	switch word {
	case "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could",
		"did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is",
		"it", "its", "me", "my", "no", "not", "of", "on", "or", "our", "should", "so", "that", "the",
		"their", "them", "then", "there", "these", "they", "this", "those", "to", "was", "we", "were",
		"what", "when", "where", "which", "who", "whom", "why", "will", "with", "would", "you", "your":
		return true
	}
	return false
}

// Content removes phrases that are single stop words, unless all are.
func Content(in []Phrase) []Phrase {
	var out []Phrase
	for _, p := range in {
		if len(p.Words) > 1 || !isStopWord(p.Words[0]) {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return in
	}
	return out
}

// WithWords adds the words of what was written as one, such as a file name.
func WithWords(in []Phrase) []Phrase {
	out := slices.Clone(in)
	for _, p := range in {
		if len(p.Words) == 1 {
			continue
		}
		for _, w := range p.Words {
			if len(w) > 1 { // not the end of "don't"
				out = append(out, Phrase{Words: []string{w}, Stems: true, written: w})
			}
		}
	}
	return out
}

// Unspaced reports whether a text has letters of a language written without spaces, whose
// words are parts of what an index takes for words.
func Unspaced(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool {
		return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	}) >= 0
}
