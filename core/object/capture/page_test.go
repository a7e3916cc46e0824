package capture

import (
	"fmt"
	"strings"
	"testing"
)

func TestAPageOfAFileIsWhatPisReadShows(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&long, "line %d\n", i+1)
	}
	wide := strings.Repeat("x", pageBytes) + "\ny\n"
	for name, c := range map[string]struct {
		text         string
		first, count int
		begin, end   string
		whole        bool
	}{
		"all":       {"a\nb\n", 0, 0, "a", "\nb\n", true},
		"empty":     {"", 0, 0, "", "", true},
		"a part":    {"a\nb\nc", 2, 1, "b", "b\n\n[1 more lines in file. Use offset=3 to continue.]", false},
		"the end":   {"a\nb\nc", 2, 0, "b", "c", false},
		"cut":       {long.String(), 0, 0, "line 1\n", "line 2000\n\n[Showing lines 1-2000 of 3001. Use offset=2001 to continue.]", false},
		"cut later": {long.String(), 10, 2500, "line 10\n", "line 2009\n\n[Showing lines 10-2009 of 3001. Use offset=2010 to continue.]", false},
		"a line":    {wide, 0, 0, "[Line 1 is longer", "head -c 51200]", false},
		"after it":  {wide, 2, 0, "y", "y\n", false},
	} {
		text, whole, err := Page(c.text, c.first, c.count)
		if err != nil || whole != c.whole || !strings.HasPrefix(text, c.begin) || !strings.HasSuffix(text, c.end) {
			t.Errorf("%s: %q ... %q, %v, %v", name, text[:min(len(text), 40)], text[max(0, len(text)-90):], whole, err)
		}
	}
	if _, _, err := Page("a\nb", 4, 0); err == nil {
		t.Error("a line that there is not was read")
	}
}

func FuzzPage(f *testing.F) {
	f.Add("a\nb\n", 1, 2)
	f.Fuzz(func(t *testing.T, text string, first, count int) {
		page, whole, err := Page(text, first, count)
		if err == nil && whole && page != text {
			t.Errorf("%q is not all of %q", page, text)
		}
	})
}
