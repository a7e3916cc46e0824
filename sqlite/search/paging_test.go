package search_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// pagesOf reads all pages of a search, each by the cursor of the one before. between is
// called after every page.
func pagesOf(t *testing.T, st *store.Store, q history.Query, between func(page int)) (ids []string) {
	t.Helper()
	for page := 1; ; page++ {
		res := must.Get(history.Search(t.Context(), st.Search, q))(t)
		ids = append(ids, storetest.IDs(res)...)
		if !res.More {
			return ids
		}
		at, err := history.ParseCursor(history.Cursor{Offset: q.Offset + len(res.Hits), Stored: res.Stored}.String())
		if err != nil || page > 100 {
			t.Fatalf("page %d: %v", page, err)
		}
		q.Offset, q.Filter.Stored = at.Offset, at.Stored
		between(page)
	}
}

// Between two pages an agent goes on, and other sessions of the project are imported:
// entries of the same seconds as those on the edge of a page, with the same words, and
// summaries. No result is shown twice for that, and none is missed. (In a ranking words that
// become less rare meanwhile may move a result.)
func TestPagesGoOnWhereTheyStoppedWhileEntriesAndSummariesArrive(t *testing.T) {
	for name, q := range map[string]history.Query{
		"newest first":    {Text: "walrus"},
		"several, newest": {Text: "a walrus", Newest: true},
		"parts of names":  {Text: "Harbour"},
		"inside words":    {Text: "alru"},
		"regex":           {Text: "wal[r]us", Regex: true},
	} {
		for _, limit := range []int{1, 2, 3, 5} {
			t.Run(fmt.Sprint(name, ", ", limit), func(t *testing.T) {
				st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
				storetest.Ingest(t, st, storetest.Session(t, "old", pagedTexts()...))
				addSummary(t, st, 0)
				q := q
				q.Limit = 500
				all, err := history.Search(t.Context(), st.Search, q)
				if err != nil || len(all.Hits) < 6 {
					t.Fatalf("%d results, %v", len(all.Hits), err)
				}
				q.Limit = limit
				got := pagesOf(t, st, q, func(page int) {
					storetest.Ingest(t, st, storetest.Session(t, fmt.Sprintf("new%d-", page), arriving(page)...))
					addSummary(t, st, page)
				})
				must.Match(t, got, storetest.IDs(all), "the pages")
			})
		}
	}
}

// pagedTexts are texts with two words, of which one is rarer than the other.
func pagedTexts() (texts []string) {
	for i := range 12 {
		texts = append(texts, fmt.Sprintf("a walrus of openHarbourGate number %d", i))
		if i%3 == 0 {
			texts = append(texts, fmt.Sprintf("a spoon for %d", i), fmt.Sprintf("nothing of %d", i))
		}
	}
	return append(texts, "a walrus with a spoon")
}

// arriving are texts that make the rarer word the more common one.
func arriving(page int) (texts []string) {
	for i := range 30 {
		texts = append(texts, fmt.Sprintf("a spoon of page %d, %d", page, i))
	}
	return append(texts, fmt.Sprintf("a walrus of newHarbourGate page %d", page), fmt.Sprintf("Harbour and alru of page %d", page))
}

// addSummary stores a summary that has what is searched for.
func addSummary(t *testing.T, st *store.Store, n int) {
	t.Helper()
	l := must.Get(st.Summaries.Lease(t.Context(), "old", false))(t)
	defer func() { _ = st.Summaries.Release(t.Context(), l) }()
	entry, text := fmt.Sprintf("old%04d", n), "the walrus, a spoon"
	if n > 0 {
		text += ", Harbour and alru"
	}
	must.Do(t, st.Summaries.PutSummary(t.Context(), l, &summary.Node{
		Key: fmt.Sprintf("s-%012d", n), Session: "old", Kind: summary.Model, Hash: "h", First: entry, Last: entry, Entries: 1, From: 1, To: int64(n) + 2,
		Text: text, Tokens: 3, Input: 40, Name: "a/b", Prompt: 1, Created: 5, Sources: []string{entry},
	}))
}

// The more results are passed over, the more texts are read to rank them. That does not
// change the order of those before.
func TestAPageFarDownGoesOnWhereThePageBeforeStopped(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	texts := make([]string, 700)
	for i := range texts {
		texts[i] = fmt.Sprintf("the walrus %d", i)
		if i < 300 {
			texts[i] = fmt.Sprint(i, strings.Repeat(" walrus", 200))
		}
	}
	storetest.Ingest(t, st, storetest.Session(t, "many", texts...))
	seen := make(map[string]bool)
	for _, id := range pagesOf(t, st, history.Query{Text: "walrus spoon", Limit: 30}, func(int) {}) {
		if seen[id] {
			t.Errorf("%s is shown twice", id)
		}
		seen[id] = true
	}
	if len(seen) != len(texts) {
		t.Errorf("the pages have %d of %d results", len(seen), len(texts))
	}
}
