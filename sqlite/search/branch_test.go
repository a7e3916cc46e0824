package search_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
)

// standings searches and returns how each result stands, the newest first.
func standings(t *testing.T, st history.Searcher, query string) string {
	t.Helper()
	res := must.Get(history.Search(t.Context(), st, history.Query{Text: query}))(t)
	var out []string
	for _, h := range res.Hits {
		s := h.EntryID
		if h.OffBranch {
			s += " off"
		}
		if h.Summary != "" {
			s += " in " + h.Summary
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// Holds history 12, 29.
func TestAResultSaysWhetherItsBranchWasLeft(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	file := storetest.Branched(
		t, "one", "",
		"a1 - walrus", "a2 a1 walrus", "a3 a2 walrus", // back to a1
		"b1 a1 walrus", "b2 b1 walrus", // back to a2
		"c1 a2 walrus", "c2 c1 walrus",
	)
	storetest.Ingest(t, st, file)
	if got, want := standings(t, st.Search, "walrus"), "c2; c1; b2 off; b1 off; a3 off; a2; a1"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// What the session does next decides.
	more := strings.ReplaceAll(`{"type":"message","id":"d1","parentId":"b2","timestamp":"2026-03-02T09:01:00.000Z","message":{"role":"user","content":"x"}}`, "x", "otter") + "\n"
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, append(data, more...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	storetest.Ingest(t, st, file)
	if got, want := standings(t, st.Search, "walrus"), "c2 off; c1 off; b2; b1; a3 off; a2 off; a1"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// A fork that kept a branch has it still.
	storetest.Ingest(t, st, storetest.Branched(t, "two", file, "a1 - walrus", "a2 a1 walrus", "a3 a2 walrus"))
	if got, want := standings(t, st.Search, "walrus"), "c2 off; c1 off; b2; b1; a3; a2; a1"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A page of results mostly has one result of each of many sessions.
func TestBranchesOfManySessionsTakeNoMoreQueriesThanThoseOfOne(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	for i := range 8 {
		id := fmt.Sprintf("s%d", i)
		storetest.Ingest(t, st, storetest.Branched(t, id, "", id+"1 - walrus", id+"2 "+id+"1 walrus "+id, id+"3 "+id+"2 walrus"))
	}
	found := must.Get(history.Search(t.Context(), st.Search, history.Query{Text: "walrus", Limit: 50}))(t)
	var rows []history.Row
	for _, h := range found.Hits {
		rows = append(rows, h.Row)
	}
	prepared := 0
	must.Do(t, st.Search.OnPrepare(t.Context(), func() { prepared++ }))
	ask := func(rows []history.Row) int {
		t.Helper()
		prepared = 0
		must.Get(st.Search.BranchStatus(t.Context(), rows))(t)
		return prepared
	}
	one, all := ask(rows[:1]), ask(rows)
	if len(rows) < 8 || one == 0 || all > one {
		t.Errorf("%d queries are prepared for %d rows, %d for one", all, len(rows), one)
	}
}

func TestASessionThatStartsOverLeavesTheBranchBefore(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	storetest.Ingest(t, st, storetest.Branched(t, "one", "", "a1 - walrus", "a2 a1 walrus", "b1 - walrus", "b2 b1 walrus"))
	must.Equal(t, standings(t, st.Search, "walrus"), "b2; b1; a2 off; a1 off", "got")
}

// Holds history 29.
func TestAResultNamesTheSummaryThatCoversIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	st := storetest.Open(t, path, sqlite.Write)
	storetest.Ingest(t, st, storetest.Branched(t, "one", "", "a1 - walrus", "a2 a1 walrus", "a3 a2 walrus"))
	storetest.Ingest(t, st, storetest.Branched(t, "two", "", "a2 - a walrus of elsewhere"))
	lease := must.Get(st.Summaries.Lease(t.Context(), "one", false))(t)
	put := func(key string, depth int, kind summary.Kind, text string, sources ...string) {
		t.Helper()
		err := st.Summaries.PutSummary(t.Context(), lease, &summary.Node{
			Key: key, Session: "one", Depth: depth, Kind: kind, Sources: sources,
			First: "a1", Last: "a2", Entries: 2, Text: text, Created: 1772442000000 - int64(depth),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	put("s-000000000001", 0, summary.Model, "about a walrus", "a1", "a2")
	put("s-000000000002", 0, summary.Extract, "nothing", "a1", "a2")
	put("s-000000000003", 1, summary.Model, "nothing", "s-000000000001")
	want := "a3; a2 in s-000000000001; a2; a1 in s-000000000001; s-000000000001 in s-000000000003"
	if got := standings(t, st.Search, "walrus"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	a, err := recall.GrepText(t.Context(), st.Search, recall.GrepRequest{Query: "walrus"})
	if err != nil || !strings.Contains(a.Text, "a1 user 2026-03-02 09:00Z in s-000000000001 line 1: ") {
		t.Errorf("%v: %s", err, a.Text)
	}
}

// Whatever order entries come in, the store knows at which of them a session went back.
func TestBranchPointsOfASessionAreThoseInItsEntries(t *testing.T) {
	st := storetest.Filled(t)
	storetest.Ingest(t, st, storetest.Branched(t, "turned", "", "a1 - an otter", "b1 a1 a heron", "c1 a1 went back"))
	db := storetest.DB(t, st.Path())
	var turns, wrong int
	err := db.QueryRow(`SELECT sum(turn), sum(turn <> (type <> 'session' AND NOT EXISTS (SELECT 1 FROM messages a
		WHERE a.conversation = m.conversation AND a.ordinal = m.ordinal - 1 AND a.entry_id = m.parent_id))) FROM messages m`).Scan(&turns, &wrong)
	if err != nil || turns < 3 || wrong != 0 {
		t.Errorf("%d turns, %d of all entries wrong: %v", turns, wrong, err)
	}
}

// Summaries come after the messages, dated by what they stand for; of a summary and the one
// it was made into one is a result, and extracts are none: they repeat the messages.
func TestSummariesComeAfterMessagesAndOncePerSpan(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	storetest.Ingest(t, st, storetest.Branched(t, "one", "", "a1 - walrus harbour", "a2 a1 a walrus in the harbour"))
	lease := must.Get(st.Summaries.Lease(t.Context(), "one", false))(t)
	ended := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).UnixMilli()
	put := func(key string, depth int, kind summary.Kind, sources ...string) {
		t.Helper()
		err := st.Summaries.PutSummary(t.Context(), lease, &summary.Node{
			Key: key, Session: "one", Depth: depth, Kind: kind, Sources: sources, First: "a1", Last: "a2", Entries: 2,
			Text: "the walrus of the harbour " + key, From: ended - 60_000, To: ended, Created: ended + 1_000_000_000,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	put("s-000000000001", 0, summary.Model, "a1", "a2")
	put("s-000000000002", 1, summary.Model, "s-000000000001")
	put("s-000000000003", 0, summary.Extract, "a1", "a2")
	for _, text := range []string{"walrus", "walrus harbour"} {
		res, err := history.Search(t.Context(), st.Search, history.Query{Text: text})
		if err != nil || len(res.Hits) != 3 {
			t.Fatalf("%s: %+v, %v", text, res.Hits, err)
		}
		last := res.Hits[2]
		if res.Hits[0].Role == history.RoleSummary || res.Hits[1].Role == history.RoleSummary || last.Role != history.RoleSummary || last.Time != ended {
			t.Errorf("%s: %+v", text, res.Hits)
		}
	}
}

// An entry that was changed in its file is the changed one for whoever asks for its id, also when of
// two processes that read the file the one that had it before is the last to store.
func TestAnEntryThatWasRewrittenExpandsAsItIsNow(t *testing.T) {
	for _, texts := range [][]string{{"before", "after"}, {"after", "before", "after"}} {
		st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
		for _, text := range texts {
			storetest.Ingest(t, st, storetest.Branched(t, "one", "", "a1 - hello", "a2 a1 walrus "+text))
		}
		x, err := history.Expand(t.Context(), st.Search, "a2", nil)
		if err != nil || string(x.Text()) != "walrus after" {
			t.Errorf("%v: %v", texts, err)
		}
	}
}

func TestAResultSaysThatItsEntryWasRewritten(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	file := storetest.Branched(t, "one", "", "a1 - walrus", "a2 a1 walrus")
	storetest.Ingest(t, st, file)
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(strings.Replace(string(data), "walrus", "a walrus, rewritten", 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	storetest.Ingest(t, st, file)
	res := must.Get(history.Search(t.Context(), st.Search, history.Query{Text: "walrus"}))(t)
	replaced := map[string]bool{}
	for _, h := range res.Hits {
		replaced[h.EntryID+" "+h.Snippet] = h.Replaced
	}
	for hit, want := range map[string]bool{"a1 a walrus, rewritten": false, "a1 walrus": true, "a2 walrus": false} {
		if got, found := replaced[hit]; !found || got != want {
			t.Errorf("%s: found %t, replaced %t, want %t; all: %v", hit, found, got, want, replaced)
		}
	}
	x, err := history.Expand(t.Context(), st.Search, "a1", nil)
	if err != nil || string(x.Text()) != "a walrus, rewritten" {
		t.Errorf("%v, %v", x, err)
	}
}
