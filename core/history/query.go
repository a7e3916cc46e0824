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
	for _, w := range tokens(text) {
		words = append(words, w.folded)
	}
	if len(words) == 0 {
		return out
	}
	return append(out, Phrase{Words: words})
}

// token is a word of a text and where it stands.
type token struct {
	folded     string
	start, end int
}

// tokens splits text as the index's tokenizer does: letters, digits and marks
// make words, everything else parts them.
func tokens(text string) []token {
	var out []token
	start := -1
	for i, r := range text {
		word := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Co, r)
		switch {
		case word && start < 0:
			start = i
		case !word && start >= 0:
			out = append(out, token{fold(text[start:i]), start, i})
			start = -1
		}
	}
	if start >= 0 {
		out = append(out, token{fold(text[start:]), start, len(text)})
	}
	return out
}

// fold lowers a word and takes the marks off its Latin letters, as the index
// does.
func fold(word string) string {
	ascii := true
	for i := 0; i < len(word) && ascii; i++ {
		ascii = word[i] < utf8.RuneSelf
	}
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

// find returns where text matches, the first place of any phrase, and whether it
// matches at all; words is how many phrases it holds.
func (x Expr) find(text string) (start, end, held int) {
	toks := tokens(text)
	start = -1
	for _, p := range x.Phrases {
		i := p.find(toks)
		if i < 0 {
			continue
		}
		held++
		if s := toks[i].start; start < 0 || s < start {
			start, end = s, toks[i+len(p.Words)-1].end
		}
	}
	if held == 0 || !x.Any && held < len(x.Phrases) {
		return -1, -1, held
	}
	return start, end, held
}

// find returns the position of the phrase in toks, -1 when it is not there.
func (p Phrase) find(toks []token) int {
	for i := 0; i+len(p.Words) <= len(toks); i++ {
		if p.at(toks[i:]) {
			return i
		}
	}
	return -1
}

func (p Phrase) at(toks []token) bool {
	last := len(p.Words) - 1
	for j, w := range p.Words {
		got := toks[j].folded
		if got != w && (!p.Prefix || j != last || !strings.HasPrefix(got, w)) {
			return false
		}
	}
	return true
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
