package store_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
)

// twoLines writes a session of two messages that differ only in the given parts.
func twoLines(t *testing.T, first, second string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "s.jsonl")
	text := `{"type":"session","version":3,"id":"twins","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}` + "\n" + first + "\n" + second + "\n"
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// Holds history 2, 3, 4.
func TestTwinsAreTwoEntries(t *testing.T) {
	long := strings.Repeat("the same first kilobytes of output ", 100)
	result := func(id, tail string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":%q}],"timestamp":1}}`, id, long+tail)
	}
	for name, file := range map[string]string{
		"equal but for the id": twoLines(t,
			`{"type":"message","id":"aaaa0001","timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"user","content":"walrus","timestamp":1}}`,
			`{"type":"message","id":"aaaa0002","timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"user","content":"walrus","timestamp":1}}`),
		"equal beginnings": twoLines(t, result("aaaa0001", "walrus one"), result("aaaa0002", "walrus two")),
		"no timestamps":    twoLines(t, `{"type":"message","id":"aaaa0001","message":{"role":"user","content":"walrus"}}`, `{"type":"message","id":"aaaa0002","message":{"role":"user","content":"walrus"}}`),
	} {
		st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
		for i := range 2 {
			if i == 1 { // the file is read in full again
				must.Do(t, os.Rename(file, file+".2.jsonl"))
				file += ".2.jsonl"
			}
			if rep := storetest.Ingest(t, st, file); rep.Added != 3*(1-i) {
				t.Errorf("%s: %+v", name, rep)
			}
			res, err := history.Search(t.Context(), st.Search, history.Query{Text: "walrus"})
			if err != nil || strings.Join(storetest.IDs(res), " ") != "aaaa0002 aaaa0001" {
				t.Errorf("%s: %v, %v", name, storetest.IDs(res), err)
			}
		}
	}
}

// More entries with the same second than the second has ids are all stored, and are
// returned in the order of their time.
func TestManyEntriesOfOneSecondAreAllFoundInOrder(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"crowd","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}` + "\n")
	const n = 700
	for i := range n {
		fmt.Fprintf(&b, `{"type":"message","id":"dddd%04d","timestamp":"2026-03-02T09:00:01.%03dZ","message":{"role":"user","content":"walrus %d"}}`+"\n", i, i, i)
	}
	file := filepath.Join(t.TempDir(), "s.jsonl")
	must.Do(t, os.WriteFile(file, []byte(b.String()), 0o600))
	if rep := storetest.Ingest(t, st, file); rep.Added != n+1 {
		t.Fatalf("%+v", rep)
	}
	res, err := history.Search(t.Context(), st.Search, history.Query{Text: "walrus", Limit: n})
	if err != nil || len(res.Hits) != n {
		t.Fatalf("%d hits, %v", len(res.Hits), err)
	}
	for i, h := range res.Hits {
		if want := fmt.Sprintf("dddd%04d", n-1-i); h.EntryID != want {
			t.Fatalf("result %d is %s, want %s", i, h.EntryID, want)
		}
	}
}

// Holds history 13.
func TestTimesAreThoseOfTheSession(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	storetest.Ingest(t, st, twoLines(t,
		`{"type":"message","id":"aaaa0001","timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"user","content":"walrus","timestamp":1}}`,
		`{"type":"message","id":"aaaa0002","timestamp":"2026-03-02T09:00:02.500Z","message":{"role":"user","content":"a walrus","timestamp":1}}`))
	res := must.Get(history.Search(t.Context(), st.Search, history.Query{Text: "walrus"}))(t)
	times := make(map[string]int64)
	for _, h := range res.Hits {
		times[h.EntryID] = h.Time
	}
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).UnixMilli()
	must.Match(t, times, map[string]int64{"aaaa0001": at + 1000, "aaaa0002": at + 2500}, "times")
}

// Holds history 7.
func TestThinkingAndImagesAreKeptAndNotSearched(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	line := `{"type":"message","id":"aaaa0001","timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"secretthought"},{"type":"text","text":"spoken"}],"timestamp":1}}`
	image := `{"type":"message","id":"aaaa0002","timestamp":"2026-03-02T09:00:02.000Z","message":{"role":"user","content":[{"type":"image","data":"aW1hZ2ViYXNlNjQ=","mimeType":"image/png"},{"type":"text","text":"spoken"}],"timestamp":1}}`
	storetest.Ingest(t, st, twoLines(t, line, image))
	for query, want := range map[string]int{"secretthought": 0, "retthou": 0, "aW1hZ2ViYXNlNjQ": 0, "spoken": 2, "[image]": 1} {
		res, err := history.Search(t.Context(), st.Search, history.Query{Text: query})
		if err != nil || len(res.Hits) != want {
			t.Errorf("%q: %d hits, want %d, %v", query, len(res.Hits), want, err)
		}
	}
	for id, want := range map[string]string{"aaaa0001": line, "aaaa0002": image} {
		if x, err := history.Expand(t.Context(), st.Search, id, nil); err != nil || string(x.Raw) != want {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// Holds history 15.
func TestAMessageOfTenMegabytesIsFoundByItsEndAndReadInPages(t *testing.T) {
	if testing.Short() {
		t.Skip("not run: short")
	}
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	var text bytes.Buffer
	for i := 0; text.Len() < 10<<20; i++ {
		fmt.Fprintf(&text, "line %d of a very long output\n", i)
	}
	text.WriteString("the walrusAtTheVeryEnd")
	line := fmt.Sprintf(`{"type":"message","id":"aaaa0001","timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":%q}],"timestamp":1}}`, text.String())
	storetest.Ingest(t, st, twoLines(t, line, `{"type":"message","id":"aaaa0002","message":{"role":"user","content":"x"}}`))
	for _, q := range []string{"walrusAtTheVeryEnd", "VeryEnd", "usAtTheVe"} {
		res, err := history.Search(t.Context(), st.Search, history.Query{Text: q})
		if err != nil || len(res.Hits) != 1 || !strings.Contains(res.Hits[0].Snippet, q) {
			t.Errorf("%q: %d hits, %v", q, len(res.Hits), err)
		}
	}
	a, err := recall.ExpandText(t.Context(), st.Search, recall.ExpandRequest{ID: "aaaa0001", Cursor: text.Len() - 10})
	if err != nil || !strings.Contains(a.Text, "TheVeryEnd") {
		t.Errorf("%.300s, %v", a.Text, err)
	}
}

// Holds history 27.
func TestTheNewestComeFirstOfOneWordAndTheBestOfSeveral(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	texts := []string{"walrus walrus walrus"}
	for i := range 30 {
		texts = append(texts, fmt.Sprintf("one walrus among many other words that say nothing of it %d", i))
	}
	storetest.Ingest(t, st, storetest.Session(t, "ab", texts...))
	newest, err := history.Search(t.Context(), st.Search, history.Query{Text: "walrus", Limit: 3})
	if err != nil || strings.Join(storetest.IDs(newest), " ") != "ab0030 ab0029 ab0028" || !newest.More {
		t.Errorf("%v, %v", storetest.IDs(newest), err)
	}
	best, err := history.Search(t.Context(), st.Search, history.Query{Text: "walrus otter", Limit: 3}) // several words
	first := "ab0000"
	if err != nil || len(best.Hits) != 3 || best.Hits[0].EntryID != first {
		t.Errorf("%v, %v", storetest.IDs(best), err)
	}
}
