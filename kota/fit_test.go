package kota_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coctostan/pictx/kota"
)

// FuzzFit holds that no layout is above its limit, whatever its parts are.
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

func TestJSONKeepsAsMuchOfAListAsFits(t *testing.T) {
	list := make([]string, 500)
	for i := range list {
		list[i] = fmt.Sprint("element ", i)
	}
	build := func(n int) any {
		part, page := kota.Cut(list, 10, 0, n)
		return struct {
			List []string `json:"list"`
			kota.Page
		}{part, page}
	}
	for _, limit := range []int{kota.MinBytes, 1000, 5000, 0} {
		b, err := kota.FitJSON(limit, len(list), build)
		if err != nil || limit > 0 && len(b) > limit {
			t.Fatalf("limit %d: %d bytes, %v", limit, len(b), err)
		}
		var got struct {
			List                   []string
			Shown, Omitted, Offset int
			Truncated              bool
		}
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if got.Shown != len(got.List) || got.Shown+got.Omitted != 490 || got.Offset != 10 || got.Truncated != (limit > 0) || got.List[0] != "element 10" {
			t.Errorf("limit %d: %d shown, %d omitted, truncated %v", limit, got.Shown, got.Omitted, got.Truncated)
		}
		if limit > 0 && limit-len(b) > 20 {
			t.Errorf("limit %d: another element would fit in %d bytes", limit, limit-len(b))
		}
	}
	if b, _ := kota.FitJSON(30, 1, func(int) any { return strings.Repeat("x", 100) }); string(b) != `{"truncated":true,"max_bytes":30}`+"\n" {
		t.Errorf("nothing fits: %s", b)
	}
}
