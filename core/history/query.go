package history

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Phrase is a run of consecutive words.
type Phrase struct {
	Words  []string // folded: lower case, without marks on Latin letters
	Prefix bool     // the last word may go on
}

// Expr is a question to a text index: phrases of which a text holds all, or any.
type Expr struct {
	Phrases []Phrase
	Any     bool
}

// ErrEmptyQuery is returned for a query without a word in it.
var ErrEmptyQuery = errors.New("the query is empty")

// parseText splits a text query into phrases. Quotes hold words together, and
// nothing else has a meaning: operators of any search language are words or
// separators like everything else.
func parseText(query string) ([]Phrase, error) {
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
	if len(out) == 0 {
		return nil, ErrEmptyQuery
	}
	return out, nil
}

func appendPhrase(out []Phrase, text string) []Phrase {
	var words []string
	for at := 0; ; {
		start, end, ok := nextWord(text, at)
		if !ok {
			break
		}
		words = append(words, fold(text[start:end]))
		at = end
	}
	if len(words) == 0 {
		return out
	}
	return append(out, Phrase{Words: words})
}

// nextWord finds the next word of text at or after a place, as the index's
// tokenizer does: letters, digits and marks make words, everything else parts
// them.
func nextWord(text string, at int) (start, end int, ok bool) {
	start = -1
	for i := at; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		switch word := wordRune(r); {
		case word && start < 0:
			start = i
		case !word && start >= 0:
			return start, i, true
		}
		i += size
	}
	return start, len(text), start >= 0
}

// wordRune tells whether a character is part of words.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Co, r)
}

// isWord tells whether a word of a text, folded, is want, or begins with it. The
// texts that are read are long, so that nothing is allocated where it need not.
func isWord(word, want string, prefix bool) bool {
	if len(word) < len(want) && isASCII(word) || !prefix && len(word) != len(want) && isASCII(word) {
		return false
	}
	for i := range len(word) {
		c := word[i]
		if c >= utf8.RuneSelf {
			folded := fold(word)
			return folded == want || prefix && strings.HasPrefix(folded, want)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if i >= len(want) {
			continue // only a character that is not ASCII can change the answer
		}
		if c != want[i] {
			return false
		}
	}
	return prefix || len(word) == len(want)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// fold lowers a word and takes the marks off its Latin letters, as the index
// does.
func fold(word string) string {
	ascii := isASCII(word)
	word = strings.ToLower(word)
	if ascii {
		return word
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		if i := strings.IndexRune(marked, r); i >= 0 {
			return rune(unmarked[utf8.RuneCountInString(marked[:i])])
		}
		return r
	}, word)
}

// The precomposed Latin letters and what is left of them without their marks.
const (
	marked   = "àáâãäåçèéêëìíîïñòóôõöùúûüýÿāăąćĉċčďēĕėęěĝğġģĥĩīĭįĵķĺļľńņňōŏőŕŗřśŝşšţťũūŭůűųŵŷźżžșț"
	unmarked = "aaaaaaceeeeiiiinooooouuuuyyaaaccccdeeeeegggghiiiijklllnnnooorrrssssttuuuuuuwyzzzst"
)

// find returns where text matches: the first place of any phrase. held is how
// many of the phrases it holds; start is -1 when those are too few.
func (x Expr) find(text string) (start, end, held int) {
	start = -1
	for _, p := range x.Phrases {
		s, e := p.find(text)
		if s < 0 {
			continue
		}
		held++
		if start < 0 || s < start {
			start, end = s, e
		}
	}
	if held == 0 || !x.Any && held < len(x.Phrases) {
		return -1, -1, held
	}
	return start, end, held
}

// find returns where the phrase stands in text, -1 when it does not.
func (p Phrase) find(text string) (start, end int) {
	for at := 0; ; {
		s, e, ok := nextWord(text, at)
		if !ok {
			return -1, -1
		}
		if end := p.at(text, s, e); end >= 0 {
			return s, end
		}
		at = e
	}
}

// at returns where the phrase ends that begins with the word from start to end,
// -1 when none does.
func (p Phrase) at(text string, start, end int) int {
	last := len(p.Words) - 1
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

// stopWords are the words of a question that say nothing about its answer.
const stopWords = " a about an and any are as at be been but by can could did do does for from had has have how i if in into is it its me my no not of on or our should so that the their them then there these they this those to was we were what when where which who whom why will with would you your "

// withoutStopWords drops the phrases that are single stop words.
func withoutStopWords(in []Phrase) []Phrase {
	var out []Phrase
	for _, p := range in {
		if len(p.Words) > 1 || !strings.Contains(stopWords, " "+p.Words[0]+" ") {
			out = append(out, p)
		}
	}
	return out
}

// prefixes makes the last word of every phrase a prefix.
func prefixes(in []Phrase) []Phrase {
	out := make([]Phrase, len(in))
	for i, p := range in {
		out[i] = Phrase{Words: p.Words, Prefix: true}
	}
	return out
}

// CompileRegex compiles a regular expression of a query, ignoring case unless
// asked not to. Matching is linear in the text whatever the expression.
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
		// The prefix is ours and must not appear in what the user reads.
		if _, own := regexp.Compile(pattern); own != nil {
			err = own
		}
		return nil, fmt.Errorf("parse regex: %w", err)
	}
	return re, nil
}
