package decisions

import (
	"testing"

	"github.com/coctostan/pictx/internal/must"
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
		must.Match(t, splitWords(typed), want, "%q", typed)
	}
}
