package mention

import (
	"slices"
	"strings"
	"testing"
)

// TestAFileIsNamedByItsLastElement in whatever way people write paths.
func TestAFileIsNamedByItsLastElement(t *testing.T) {
	t.Parallel()
	const file = "/home/me/app/docs/theme.md"
	for prompt, want := range map[string]bool{
		"read docs/theme.md in full, then stop":  true,
		"@docs/theme.md":                         true,
		"fix (theme.md).":                        true,
		"what does `theme.md` say?":              true,
		"look at theme":                          false,
		"my-theme.md":                            false,
		"theme.mdx":                              false,
		"theme.md5 is wrong":                     false,
		strings.Repeat("x ", 2000) + " theme.md": false, // pasted
		"":                                       false,
	} {
		var before, after Files
		before.Know(file, 7)
		var hit []int
		before.Note([]byte(prompt), func(n int) { hit = append(hit, n) })
		after.Note([]byte(prompt), func(int) { t.Error("a file that is not known was named") })
		if got := after.Know(file, 7); got != want || slices.Contains(hit, 7) != want {
			t.Errorf("%.40q names %s: %v when read later, %v when read before; want %v", prompt, file, got, hit, want)
		}
	}
}

// TestWordsWithADotAreThoseOfTheText whatever stands around them.
func TestWordsWithADotAreThoseOfTheText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", ".", "a.b", "..a", "a..", "see a.go, b.go;c.go. Then d", "é.ü x.\xc3 \xe2\x82a.b\xff.c", "日本.go。次",
		"v1.2.3 ./x.y/z -a.b- @c/d_e.f! \u00a0g.h", "x\x00.y\u2028z.w", "a.b" + strings.Repeat("é", 3000),
	} {
		var want []string
		for word := range strings.FieldsFuncSeq(text, separates) {
			if dot := strings.IndexByte(word, '.'); dot >= 0 && dot < len(word)-1 {
				want = append(want, word)
			}
		}
		var got []string
		for word := range dotted([]byte(text)) {
			got = append(got, string(word))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%.60q has %q, want %q", text, got, want)
		}
	}
}
