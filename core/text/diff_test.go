package text_test

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/internal/must"
)

// What is compared can be put together again, from either side.
func FuzzDiffLines(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc")
	f.Add("", "a")
	f.Add("a\n\n\nb", "a\nb\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 4000 {
			return
		}
		var before, after strings.Builder
		all := text.DiffLines(a, b)
		for _, l := range all {
			if l.Op != "+" {
				before.WriteString(l.Text)
			}
			if l.Op != "-" {
				after.WriteString(l.Text)
			}
		}
		if before.String() != a || after.String() != b {
			t.Errorf("%q and %q became %q and %q", a, b, before.String(), after.String())
		}
		changed := 0
		for _, h := range text.Hunks(all, 3) {
			for _, l := range h.Lines {
				if l.Op != "=" {
					changed++
				}
			}
		}
		for _, l := range all {
			if l.Op != "=" {
				changed--
			}
		}
		must.Equal(t, changed, 0, "hunks of %q and %q lack %d changes", a, b, -changed)
	})
}

func TestHunksKnowTheirLineNumbers(t *testing.T) {
	before := strings.Repeat("same\n", 10) + "old\n" + strings.Repeat("same\n", 10)
	after := strings.Repeat("same\n", 10) + "new\nmore\n" + strings.Repeat("same\n", 10)
	got := text.Hunks(text.DiffLines(before, after), 3)
	if len(got) != 1 || got[0].From != 8 || got[0].FromLines != 7 || got[0].To != 8 || got[0].ToLines != 8 || len(got[0].Lines) != 9 {
		t.Errorf("%+v", got)
	}
}
