package history

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/internal/must"
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
			must.Equal(t, isWord(word, want, false), (text.FoldLetters(word) == want), "%q is %q", word, want)
			must.Equal(t, isWord(word, want, true), strings.HasPrefix(text.FoldLetters(word), want), "%q begins with %q", word, want)
		}
	}
}
