package kota_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

// FuzzFit checks that no layout exceeds its limit, whatever its parts are.
//
// Holds kota 54, 55.
func FuzzFit(f *testing.F) {
	f.Add("verdict", "title", "item", "footer", "pictx kota deps x", 30, 300, true)
	f.Add(strings.Repeat("é", 400), "", strings.Repeat("日本", 300), strings.Repeat("f", 900), "", 3, 200, false)
	f.Fuzz(func(t *testing.T, verdict, title, item, footer, more string, n, limit int, grouped bool) {
		limit, n = kota.MinBytes+max(limit, 0)%10_000, max(n, 0)%200
		one := func(s string) string { return strings.ToValidUTF8(strings.ReplaceAll(s, "\n", " "), "?") }
		var items []kota.Item
		for i := range n {
			items = append(items, kota.Item{Text: fmt.Sprint("  ", one(item), i), File: fmt.Sprintf("%s/%d/x", one(title), i%7)})
		}
		block := kota.Block{Title: one(title), Items: items, Grouped: grouped, Left: n % 3, More: func(o int) string { return fmt.Sprint(one(more), " --offset ", o) }}
		s := kota.Text{Verdict: one(verdict), Blocks: []kota.Block{block, block}, Footer: one(footer)}.Fit(limit)
		if len(s) > limit || !utf8.ValidString(s) || !strings.HasSuffix(s, "\n") {
			t.Errorf("%d bytes of %d, valid %v:\n%s", len(s), limit, utf8.ValidString(s), s)
		}
	})
}

// A title without items below it is useless.
func TestATitleIsWholeAndHasSomethingBelowIt(t *testing.T) {
	title := "dependents, most important first:"
	var items []kota.Item
	for i := range 40 {
		items = append(items, kota.Item{Text: fmt.Sprintf("  src/some/file%02d.ts", i), File: "src/some/x"})
	}
	block := kota.Block{Title: title, Items: items, More: func(o int) string { return fmt.Sprint("pictx kota deps src/a.ts --offset ", o) }}
	answer := kota.Text{Verdict: "src/a.ts: 80 dependents", Blocks: []kota.Block{block, block}, Footer: "index fresh"}
	for limit := kota.MinBytes; limit < 900; limit += 7 {
		lines := strings.Split(answer.Fit(limit), "\n")
		for k, l := range lines {
			if strings.Contains(l, ":") && strings.Contains(l, "…") || l == title && !strings.HasPrefix(lines[k+1], "  src/") {
				t.Errorf("in %d bytes:\n%s", limit, strings.Join(lines, "\n"))
				break
			}
		}
	}
}

func TestAGroupedListFillsTheBytesItHas(t *testing.T) {
	var items []kota.Item
	for i := range 300 {
		items = append(items, kota.Item{Text: fmt.Sprintf("  packages/p%d/src/file%03d.ts  imported on 3", i%4, i), File: fmt.Sprintf("packages/p%d/src/file.ts", i%4)})
	}
	block := kota.Block{Items: items, Grouped: true, More: func(o int) string { return fmt.Sprint("pictx kota usages x --offset ", o) }}
	for _, limit := range []int{1000, 2000, 5000} {
		s := kota.Text{Verdict: "x: 300 lines", Blocks: []kota.Block{block}, Footer: "index fresh"}.Fit(limit)
		must.Not(t, len(s) < limit-120 || len(s) > limit || !strings.Contains(s, "by directory: packages/p"), "%d bytes of %d:\n%s", len(s), limit, s)
	}
}

func TestDirectoriesThatDoNotFitAreCounted(t *testing.T) {
	var items []kota.Item
	for i := range 120 {
		items = append(items, kota.Item{Text: fmt.Sprintf("  item %03d", i), File: fmt.Sprintf("%s%d/a.ts", strings.Repeat("d", 30), i%6)})
	}
	seen := make(map[string]bool)
	for limit := 300; limit < 900; limit++ {
		s := kota.Text{Verdict: "x", Blocks: []kota.Block{{Items: items, Grouped: true, More: func(int) string { return "more" }}}}.Fit(limit)
		for _, m := range regexp.MustCompile(`\d+ more director\w+`).FindAllString(s, -1) {
			seen[m] = true
		}
	}
	must.Not(t, !seen["1 more directory"] || !seen["2 more directories"] || seen["1 more directories"], "%v", seen)
}

func TestJSONKeepsAsMuchOfAListAsFits(t *testing.T) {
	list := kota.Map{List: make([]kota.MapFile, 500)}
	for i := range list.List {
		list.List[i] = kota.MapFile{File: fmt.Sprint("element ", i)}
	}
	for _, limit := range []int{kota.MinBytes, 1000, 5000, 0} {
		b, err := kota.JSON(list, limit, kota.Window{Offset: 10})
		must.Stop(t, err != nil || limit > 0 && len(b) > limit, "limit %d: %d bytes, %v", limit, len(b), err)
		var got kota.Map
		must.Do(t, json.Unmarshal(b, &got))
		if got.Shown != len(got.List) || got.Shown+got.Omitted != 490 || got.Offset != 10 || got.Truncated != (limit > 0) || got.List[0].File != "element 10" {
			t.Errorf("limit %d: %d shown, %d omitted, truncated %v", limit, got.Shown, got.Omitted, got.Truncated)
		}
		must.Not(t, limit > 0 && limit-len(b) > 60, "limit %d: another element would fit in %d bytes", limit, limit-len(b))
	}
	if b, _ := kota.JSON(list, 30, kota.Window{}); string(b) != `{"truncated":true,"max_bytes":30}`+"\n" {
		t.Errorf("nothing fits: %s", b)
	}
}

func TestWhatCanBeAskedNextNamesAFileOfTheAnswer(t *testing.T) {
	t.Parallel()
	task := kota.Task{Query: "pay", Files: []kota.TaskFile{{Hit: kota.Hit{File: "src/pay now.ts"}}}}
	if got := task.Texts()[0].Fit(0); !strings.Contains(got, " · more: pictx kota context 'src/pay now.ts'\n") {
		t.Error(got)
	}
	b := kota.Briefing{Files: []kota.FileBrief{{File: "src/pay.ts"}}}
	if got := b.Text(kota.Window{}, "more").Fit(0); !strings.Contains(got, " · more: pictx kota deps src/pay.ts\n") {
		t.Error(got)
	}
	task.Files = nil
	if got := task.Texts()[0].Fit(0); strings.Contains(got, "more:") {
		t.Error(got)
	}
}
