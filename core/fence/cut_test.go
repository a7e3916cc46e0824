package fence

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCutsAreNeverInsideACharacter(t *testing.T) {
	for _, s := range []string{
		"plain ascii", "a\r\nb\r\n", "e\u0301e\u0301e\u0301", "\U0001f468\u200d\U0001f469\u200d\U0001f467 family",
		"日本語テキスト", "👍🏽👍🏽", "\xff\xfe broken \xe6\x97", "x\u0300", "\u0301 starts with a mark",
	} {
		for i := -1; i <= len(s)+1; i++ {
			before, after := CutBefore(s, i), CutAfter(s, i)
			if before > max(i, 0) || after < min(i, len(s)) || before < 0 || after > len(s) {
				t.Fatalf("%q at %d: cut before at %d, after at %d", s, i, before, after)
			}
			for _, at := range []int{before, after} {
				if utf8.ValidString(s) && !utf8.ValidString(s[:at]) {
					t.Errorf("%q at %d: cut at %d is inside a sequence", s, i, at)
				}
				if at > 0 && at < len(s) && s[at-1] == '\r' && s[at] == '\n' {
					t.Errorf("%q at %d: cut at %d is inside a CRLF", s, i, at)
				}
				for _, joined := range []string{"\u0301", "\u200d", "\U0001f3fd"} {
					if at > 0 && (strings.HasPrefix(s[at:], joined) || joined == "\u200d" && strings.HasSuffix(s[:at], joined)) {
						t.Errorf("%q at %d: cut at %d takes a character apart", s, i, at)
					}
				}
			}
		}
	}
}

func TestACutMovesToTheNearestPlaceBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		s             string
		i             int
		before, after int
	}{
		{"abc", 1, 1, 1},
		{"a\r\nb", 2, 1, 3},
		{"aéb", 2, 1, 3},
		{"ae\u0301b", 2, 1, 4},
		{"a👍b", 3, 1, 5},
		{"", 0, 0, 0},
	} {
		if b, a := CutBefore(c.s, c.i), CutAfter(c.s, c.i); b != c.before || a != c.after {
			t.Errorf("%q at %d: %d and %d, want %d and %d", c.s, c.i, b, a, c.before, c.after)
		}
	}
}

func TestCutsOfCombiningMarksStayNear(t *testing.T) {
	s := strings.Repeat("\u0301", 5000)
	for _, i := range []int{4000, 4001} {
		b, a := CutBefore(s, i), CutAfter(s, i)
		if i-b > maxJoined || a-i > maxJoined || b%2 != 0 || a%2 != 0 {
			t.Errorf("at %d: cuts at %d and %d", i, b, a)
		}
	}
}
