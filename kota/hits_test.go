package kota_test

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

// cookies are matches close to each other in one file.
func cookies() kota.Hits {
	return kota.Hits{Query: "cookie", Total: 3, Files: 1, List: []kota.Hit{
		{File: "a.ts", Line: 3, Text: "three", Before: []string{"one", "two"}, After: []string{"four", "five"}},
		{File: "a.ts", Line: 5, Text: "five", Before: []string{"three", "four"}, After: []string{"six", "seven"}},
		{File: "a.ts", Line: 9, Text: "nine", Before: []string{"seven", "eight"}, After: []string{"ten"}},
	}}
}

func TestSnippetsPrintEachLineOnce(t *testing.T) {
	t.Parallel()
	h := cookies()
	got := kota.Fit(0, h.Texts(kota.OutputSnippet, 2, kota.Window{}, "again"), nil)
	for i, word := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"} {
		n := strings.Count(got, " "+word+"\n")
		must.Not(t, n != 1, "line %d is there %d times:\n%s", i+1, n, got)
	}
	must.Equal(t, len(h.List[1].Before), 2, "the answer itself was changed")
}

func TestPathsAreNeverDirectories(t *testing.T) {
	t.Parallel()
	var h kota.Hits
	for _, dir := range strings.Split(strings.Repeat("packages/one packages/two src ", 40), " ") {
		h.List = append(h.List, kota.Hit{File: dir + "/" + strings.Repeat("x", len(h.List)) + ".ts", Line: 1})
	}
	got := kota.Fit(1000, h.Texts(kota.OutputPaths, 0, kota.Window{}, "again"), nil)
	for line := range strings.Lines(got) {
		must.Not(t, strings.HasPrefix(line, "  ") && !strings.Contains(line, ".ts ") && !strings.Contains(line, " more: "), "%s", line)
	}
}

func TestAnAnswerSaysWhenNoFileFitsWell(t *testing.T) {
	t.Parallel()
	for score, want := range map[float64]bool{0.2: true, 0.9: false, 0: false} { // 0: an engine that does not score
		h := kota.Hits{Query: "which barber polishes it", Ranked: true, Files: 1, Total: 1, List: []kota.Hit{{File: "a.ts", Score: score}}}
		got := h.Texts(kota.OutputCompact, 0, kota.Window{}, "pictx kota search")[0].Verdict
		must.Not(t, strings.Contains(got, "none fits well") != want, "score %v: %q", score, got)
	}
}
