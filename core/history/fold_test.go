package history

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/text"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"src/checkout.ts:42": "src checkout ts 42", "snake_case-kebab": "snake case kebab", "don't": "don t", "  ": "", "\u0301x\u0301y": "x\u0301y",
		"x²½": "x²½", "a\xffb": "a b", "हिन्दी": "ह न द", "中文 words": "中文 words", "a\u0301 ": "a\u0301",
	} {
		var got []string
		for at := 0; ; {
			s, e, ok := nextWord(text, at)
			if !ok {
				break
			}
			got, at = append(got, text[s:e]), e
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestIsWordComparesFoldedWords(t *testing.T) {
	words := []string{"", "a", "A", "ab", "abc", "É", "é", "e", "Éa", "ea", "e\u0301a", "\u212a", "k", "ka", "ﬀ", "ab\u0301c", "漢", "漢字"}
	for _, word := range words {
		for _, w := range words {
			want := text.FoldLetters(w)
			if want == "" || word == "" {
				continue
			}
			if got := isWord(word, want, false); got != (text.FoldLetters(word) == want) {
				t.Errorf("%q is %q: %v", word, want, got)
			}
			if got := isWord(word, want, true); got != strings.HasPrefix(text.FoldLetters(word), want) {
				t.Errorf("%q begins with %q: %v", word, want, got)
			}
		}
	}
}

func FuzzSearchQuery(f *testing.F) {
	for _, s := range [][2]string{
		{"lease timeout", "the lease timeout"}, {`"a b" c*`, "A b c"}, {"算法", "貪婪算法"}, {"cafe", "Cafe\u0301 \xff"}, {"=>", "a => b"}, {"what did we decide", "decided"},
	} {
		f.Add(s[0], s[1], uint8(3))
	}
	f.Fuzz(func(t *testing.T, query, text string, reach uint8) {
		text = strings.ToValidUTF8(text, "\ufffd")
		for _, regex := range []bool{false, true} {
			steps, err := plan(Query{Text: query, Regex: regex})
			if err != nil {
				continue
			}
			for _, st := range steps {
				held := st.held(text) != 0
				start, end := st.place(text, int(reach))
				if start < 0 || end < start || end > len(text) {
					t.Fatalf("%q in %q, %s: %d to %d", query, text, st.name, start, end)
				}
				if held && st.expr != nil && end == start {
					t.Fatalf("%q in %q, %s: it holds it nowhere", query, text, st.name)
				}
				h := snippet(Row{}, text, start, end, int(reach))
				if !utf8.ValidString(h.Snippet) || !utf8.ValidString(h.Snippet[:h.MatchStart]) || !utf8.ValidString(h.Snippet[:h.MatchEnd]) {
					t.Fatalf("%q in %q, %s: %q is cut inside a character", query, text, st.name, h.Snippet)
				}
			}
		}
	})
}
