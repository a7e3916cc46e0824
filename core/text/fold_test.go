package text

import (
	"strings"
	"testing"
	"unicode"

	"github.com/coctostan/pictx/internal/must"
)

func TestFoldTablesCoverTheirBlocks(t *testing.T) {
	for _, c := range []struct {
		name, table string
		from, to    rune
	}{{"latin", latinPlain, latinFrom, 0x24f}, {"more", morePlain, moreFrom, 0x1eff}} {
		if got, want := len(c.table), int(c.to-c.from)+1; got != want {
			t.Errorf("%s: %d letters for %d code points", c.name, got, want)
		}
		for i := range len(c.table) {
			r, plain := c.from+rune(i), c.table[i]
			if plain == '.' {
				continue
			}
			if plain < 'a' || plain > 'z' || !unicode.IsLetter(r) {
				t.Errorf("%U folds to %q", r, plain)
			}
			if lower := unicode.ToLower(r); lower != r && lower < 0x80 && rune(plain) != lower {
				t.Errorf("%U folds to %q, its lower case is %q", r, plain, lower)
			}
		}
	}
}

func TestFoldLetters(t *testing.T) {
	for body, want := range map[string]string{
		"Hello": "hello", "ÀÉÎÕÜ": "aeiou", "ñçßøÆ": "ncßøæ", "Łódź": "łodz", "tiếng Việt": "tieng viet", "cafe\u0301": "cafe",
		"ΣΊΣΥΦΟΣ": "σίσυφοσ", "σίσυφος": "σίσυφοσ", "ПРИВЕТ": "привет", "İstanbul": "istanbul", "漢字": "漢字", "हिन्दी": "हिन्दी", "ſ": "s", "😀": "😀",
	} {
		must.Equal(t, FoldLetters(body), want, "FoldLetters(%q)", body)
		if again := FoldLetters(FoldLetters(body)); again != FoldLetters(body) {
			t.Errorf("%q folded twice is %q", body, again)
		}
	}
}

func TestUnfoldedFindsThePlaceInTheText(t *testing.T) {
	const body = "Ünï cafe\u0301 Kelvin: \u212a, 漢字!"
	folded := FoldLetters(body)
	for _, c := range []struct{ part, want string }{{"uni", "Ünï"}, {"cafe ", "cafe\u0301 "}, {"k,", "\u212a,"}, {"漢字", "漢字"}, {"!", "!"}} {
		at := strings.Index(folded, c.part)
		start, end := Unfolded(body, at), Unfolded(body, at+len(c.part))
		if at < 0 || body[start:end] != c.want {
			t.Errorf("%q is at %d to %d: %q", c.part, start, end, body[start:end])
		}
	}
}
