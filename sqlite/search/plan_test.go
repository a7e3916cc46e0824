package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/history"
)

func FuzzSearchQuery(f *testing.F) {
	for _, s := range [][2]string{
		{"lease timeout", "the lease timeout"}, {`"a b" c*`, "A b c"}, {"算法", "貪婪算法"}, {"cafe", "Cafe\u0301 \xff"}, {"=>", "a => b"}, {"what did we decide", "decided"},
	} {
		f.Add(s[0], s[1], uint8(3))
	}
	f.Fuzz(func(t *testing.T, query, text string, reach uint8) {
		text = strings.ToValidUTF8(text, "\ufffd")
		for _, regex := range []bool{false, true} {
			steps, err := plan(history.Query{Text: query, Regex: regex})
			if err != nil {
				continue
			}
			for _, st := range steps {
				held := st.Held(text) != 0
				start, end := st.Place(text, int(reach))
				if start < 0 || end < start || end > len(text) {
					t.Fatalf("%q in %q, %s: %d to %d", query, text, st.name, start, end)
				}
				if held && st.words != nil && end == start {
					t.Fatalf("%q in %q, %s: it holds it nowhere", query, text, st.name)
				}
				h := history.Snippet(history.Row{}, text, start, end, int(reach))
				if !utf8.ValidString(h.Snippet) || !utf8.ValidString(h.Snippet[:h.MatchStart]) || !utf8.ValidString(h.Snippet[:h.MatchEnd]) {
					t.Fatalf("%q in %q, %s: %q is cut inside a character", query, text, st.name, h.Snippet)
				}
			}
		}
	})
}
