package history

import (
	"regexp"
	"strings"
	"testing"
)

// An expression that matches the empty text, or has more positions than a word has bits,
// has no automaton, and a search for it is as it is without.
func TestExpressionsWithoutAnAutomatonAreMatchedAllTheSame(t *testing.T) {
	for pattern, text := range map[string]string{
		`x*`:         "",
		`(a|b?)`:     "c",
		`^`:          "any",
		`[a-z]{65}`:  strings.Repeat("q", 65),
		`(ab?){900}`: strings.Repeat("ab", 900),
	} {
		re := regexp.MustCompile(pattern)
		if newAutomaton(re) != nil {
			t.Errorf("%s has an automaton", pattern)
		}
		if m, err := NewRegex(pattern, true); err != nil || m.Dismisses([]byte(text)) || m.Held(text) == 0 {
			t.Errorf("%s does not match %.20q", pattern, text)
		}
	}
}
