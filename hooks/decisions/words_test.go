package decisions

import (
	"slices"
	"testing"
)

func TestQuotedWordsStayTogetherAndApostrophesAreLetters(t *testing.T) {
	for typed, want := range map[string][]string{
		"":                                 nil,
		"  add  Use tabs ":                 {"add", "Use", "tabs"},
		`add "Use tabs" x`:                 {"add", "Use tabs", "x"},
		`add 'don't do it' --reason="a b"`: {"add", "don't do it", "--reason=a b"},
		`add it's "open`:                   {"add", "it's", `"open`},
		`add "" --reason= 'x'`:             {"add", "", "--reason=", "x"},
		"add a\nb":                         {"add", "a", "b"},
	} {
		if got := splitWords(typed); !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", typed, got, want)
		}
	}
}
