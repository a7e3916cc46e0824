package history

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/text"
)

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

// withoutStopWords removes phrases that are single stop words, unless all are.
func withoutStopWords(in []Phrase) []Phrase {
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

// prefixes makes the last word of every phrase a prefix.
func prefixes(in []Phrase) []Phrase {
	out := make([]Phrase, len(in))
	for i, p := range in {
		p.Prefix = true
		out[i] = p
	}
	return out
}

// stems turns single words into prefixes without their endings, so that "decide" finds
// "decided" and "discounts" finds "discount". changed reports whether any got shorter. It
// is crude because it is tried only when the words themselves find nothing.
func stems(in []Phrase) (out []Phrase, changed bool) {
	out = prefixes(in)
	for i, p := range out {
		if len(p.Words) > 1 {
			continue
		}
		if s := text.StemPrefix(p.Words[0]); s != p.Words[0] {
			out[i].Words, changed = []string{s}, true
		}
	}
	return out, changed
}

// unspaced reports whether a text has letters of a language written without spaces.
func unspaced(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool {
		return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	}) >= 0
}

// partMatcher matches texts that contain all of some strings, inside words or across them.
type partMatcher []string

// newPartMatcher makes a matcher for the phrases of a query as written, or for the whole
// query when it has no words.
func newPartMatcher(phrases []Phrase, query string) partMatcher {
	if len(phrases) == 0 {
		return partMatcher{text.FoldLetters(strings.Trim(strings.TrimSpace(query), `"`))}
	}
	var out partMatcher
	for _, p := range phrases {
		out = append(out, p.part)
	}
	return out
}

func (ps partMatcher) held(body string) uint64 {
	folded := text.FoldLetters(body)
	var held uint64
	for i, p := range ps {
		if !strings.Contains(folded, p) {
			return 0
		}
		held |= 1 << (i % 64)
	}
	return held
}

// rejects reports whether the text of a line certainly lacks one of the parts, without
// parsing the line. A run of letters and digits is the same in a line as in its text,
// unless the line has escapes or characters that fold to ASCII letters.
func (ps partMatcher) rejects(raw []byte) bool {
	if !slices.ContainsFunc(ps, plainRun) || bytes.Contains(raw, []byte(`\u`)) {
		return false
	}
	return slices.ContainsFunc(ps, func(p string) bool { return plainRun(p) && lacks(raw, []byte(p), onlyASCII) })
}

// Which texts lacks can be sure about.
const (
	anyText   = false
	onlyASCII = true
)

// lacks reports whether a text does not contain a run of letters and digits in any case
// and, with ascii set, is ASCII. It lowers the text in pieces that fit the processor's cache.
func lacks(raw, run []byte, ascii bool) bool {
	var small [2048]byte
	for len(run) < len(small)/2 {
		n := copy(small[:], raw)
		if plain := toSmall(small[:n]); ascii && !plain || bytes.Contains(small[:n], run) {
			return false
		}
		if n == len(raw) {
			return true
		}
		raw = raw[n-len(run)+1:]
	}
	return false
}

// toSmall converts the ASCII letters of b to lower case, eight bytes at a time, and reports
// whether all of b is ASCII.
func toSmall(b []byte) bool {
	const each = 0x0101010101010101 // 1 in each byte of a word
	foreign := uint64(0)
	for ; len(b) >= 8; b = b[8:] {
		x := binary.LittleEndian.Uint64(b)
		foreign |= x & (each * 0x80)
		low := x &^ (each * 0x80)
		// The sums set the high bit of bytes >= 'A', and of bytes > 'Z'.
		capital := (low + each*(0x80-'A')) &^ (low + each*(0x80-'Z'-1)) &^ x & (each * 0x80)
		binary.LittleEndian.PutUint64(b, x|capital>>2)
	}
	for i, c := range b {
		foreign |= uint64(c) & utf8.RuneSelf
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return foreign == 0
}

// plainRun reports whether a folded string is a run of ASCII letters and digits, and not
// part of a label that a text has but its line lacks.
func plainRun(s string) bool {
	const labels = "tool image" // of AppendText
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && !strings.Contains(labels, s)
}

// place implements matcher: the longest part, which is the most specific.
func (ps partMatcher) place(body string, _ int) (start, end int) {
	best := ps[0]
	for _, p := range ps {
		if len(p) > len(best) {
			best = p
		}
	}
	at := strings.Index(text.FoldLetters(body), best)
	if at < 0 {
		return 0, 0
	}
	return text.Unfolded(body, at), text.Unfolded(body, at+len(best))
}
