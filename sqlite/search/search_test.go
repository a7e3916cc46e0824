package search_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite/search"
)

// The index finds what reading every text finds, in the same order where the order is
// that of time.
//
// Holds history 33.
func TestIndexAndScanFindTheSame(t *testing.T) {
	st := storetest.Filled(t)
	reads := search.Reading{Store: st.Search}
	for _, q := range []history.Query{
		{Text: "idempotency key"},
		{Text: `"rounding"`},
		{Text: "roundings"},
		{Text: "checkout", Limit: 200},
		{Text: "src/checkout.ts"},
		{Text: "what did we decide about the key?"},
		{Text: "idempot"},
		{Text: "error", Filter: history.Filter{Roles: []string{"toolResult"}}},
		{Text: "test", Filter: history.Filter{Tool: "bash"}, Limit: 3},
		{Text: "test", Offset: 3, Limit: 3},
		{Text: "AND OR NOT NEAR"},
		{Text: `don't (panic): "a* -b^`},
	} {
		indexed, err := history.Search(t.Context(), st.Search, q)
		if err != nil {
			t.Fatalf("%q: %v", q.Text, err)
		}
		scanned, err := history.Search(t.Context(), reads, q)
		if err != nil {
			t.Fatalf("%q: %v", q.Text, err)
		}
		if indexed.Step != scanned.Step || indexed.More != scanned.More {
			t.Errorf("%q: index %s, %v; scan %s, %v", q.Text, indexed.Step, indexed.More, scanned.Step, scanned.More)
		}
		if indexed.Ranked {
			compareRanked(t, st.Search, reads, q)
			continue
		}
		if d := cmp.Diff(storetest.IDs(scanned), storetest.IDs(indexed)); d != "" {
			t.Errorf("%q (%s): scan and index differ:\n%s", q.Text, indexed.Step, d)
		}
	}
}

// compareRanked compares all hits of a ranked search without regard to order: without an index
// it is only counted which words a text has.
func compareRanked(t *testing.T, st, reads history.Searcher, q history.Query) {
	t.Helper()
	q.Limit, q.Offset = 100_000, 0 // a page has the better of those that trade places
	indexed, err := history.Search(t.Context(), st, q)
	if err != nil {
		t.Fatalf("%q: %v", q.Text, err)
	}
	scanned, err := history.Search(t.Context(), reads, q)
	if err != nil {
		t.Fatalf("%q: %v", q.Text, err)
	}
	if indexed.More || scanned.More || len(scanned.Hits) == 0 {
		t.Fatalf("%q: %d hits are not all", q.Text, len(scanned.Hits))
	}
	if lost, extra := unnamed(scanned, indexed), unnamed(indexed, scanned); len(lost)+len(extra) > 0 {
		t.Errorf("%q: only the scan finds %q, only the index %q", q.Text, lost, extra)
	}
}

// unnamed lists the hits of one search that another neither finds nor shows with a hit: which
// hits are the best, and so are shown with the end of their turn, may differ.
func unnamed(one, other history.Result) (out []string) {
	named := make(map[string]bool)
	for _, h := range other.Hits {
		for _, id := range append(h.With(), h.EntryID) {
			named[id] = true
		}
	}
	for _, id := range storetest.IDs(one) {
		if !named[id] {
			out = append(out, id)
		}
	}
	return out
}

// Holds history 33.
func TestRebuiltIndexFindsTheSame(t *testing.T) {
	st := storetest.Filled(t)
	q := history.Query{Text: "checkout", Limit: 500}
	before := must.Get(history.Search(t.Context(), st.Search, q))(t)
	must.Do(t, st.Search.Rebuild(t.Context()))
	after := must.Get(history.Search(t.Context(), st.Search, q))(t)
	if d := cmp.Diff(storetest.IDs(before), storetest.IDs(after)); d != "" || len(before.Hits) == 0 {
		t.Error(d)
	}
}

// planOf returns the steps of a query's plan, a line each.
func planOf(t *testing.T, db *sql.DB, query string, args ...any) string {
	t.Helper()
	rows := must.Get(db.Query("EXPLAIN QUERY PLAN "+query, args...))(t)
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var detail string
		must.Do(t, rows.Scan(&id, &parent, &unused, &detail))
		b.WriteString(detail + "\n")
	}
	return b.String()
}

// The planner must start from the index and sort nothing: on a million messages that
// is the difference between a millisecond and seconds.
func TestQueryPlansStartFromTheIndexAndSortNothing(t *testing.T) {
	st := storetest.Filled(t)
	db := storetest.DB(t, st.Path())
	narrow := history.Filter{Sessions: []string{"a", "b"}, Roles: []string{"user"}, Tool: "read", After: 1, Before: 2}
	type asked func() (string, []any)
	for name, c := range map[string]struct {
		ask  asked
		want []string
	}{
		"match": {
			func() (string, []any) { return search.NewestQuery(`"key"`, history.Filter{}, search.Span{}) },
			[]string{"SCAN f VIRTUAL TABLE INDEX", "SEARCH m USING INDEX messages_content (content=?)", "SEARCH c USING INTEGER PRIMARY KEY"},
		},
		"match, narrowed": {
			func() (string, []any) { return search.NewestQuery(`"key"`, narrow, search.Span{}) },
			[]string{"SCAN f VIRTUAL TABLE INDEX", "SEARCH m USING INDEX messages_content (content=?)", "SEARCH c USING INTEGER PRIMARY KEY"},
		},
		"scan": {
			func() (string, []any) { return search.ScanQuery(history.Filter{}, nil, search.Span{}) },
			[]string{"SEARCH t USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", "SEARCH m USING INDEX messages_content (content=?)"},
		},
		"scan of what may match": {
			func() (string, []any) { return search.ScanQuery(narrow, search.NeedOf("walrus"), search.Span{}) },
			[]string{"SCAN g VIRTUAL TABLE INDEX", "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH m USING INDEX messages_content (content=?)"},
		},
		"answers": {
			func() (string, []any) { return search.AnswersQuery(history.Row{ID: 1, Ordinal: 2}, narrow) },
			[]string{
				"SEARCH p USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH m USING INDEX messages_conversation (conversation=? AND ordinal>? AND ordinal<?)",
				"SEARCH n USING INDEX messages_conversation (conversation=? AND ordinal>? AND ordinal<?)",
			},
		},
		"results": {
			func() (string, []any) { return search.ResultsQuery(history.Row{ID: 1, Ordinal: 2}, narrow) },
			[]string{
				"SEARCH p USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH m USING INDEX messages_conversation (conversation=? AND ordinal>? AND ordinal<?)",
				"SEARCH n USING INDEX messages_conversation (conversation=? AND ordinal>? AND ordinal<?)",
			},
		},
		"status": {
			func() (string, []any) { return search.StatusQuery, []any{"[1]"} },
			[]string{
				"SEARCH r USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH v USING COVERING INDEX sqlite_autoindex_messages_1 (entry_id=? AND conversation=?)",
				"SEARCH x USING COVERING INDEX summary_sources_source (source=?)", "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)",
			},
		},
		"scan of a session": {
			func() (string, []any) {
				return search.ScanQuery(history.Filter{Sessions: []string{"a"}}, nil, search.Span{})
			},
			[]string{"SEARCH c USING INDEX sqlite_autoindex_conversations_1", "SEARCH m USING INDEX messages_span (conversation=? AND content>? AND content<?)"},
		},
		"span": {
			func() (string, []any) { return search.SpanQuery, []any{"a", "a"} },
			[]string{"SEARCH messages USING COVERING INDEX messages_span (conversation=?)"},
		},
		"id": {
			func() (string, []any) { return search.FindQuery("abc", []string{"s"}, 50) },
			[]string{"SEARCH m USING INDEX sqlite_autoindex_messages_1 (entry_id>? AND entry_id<?)", "SEARCH c USING"},
		},
		"turns of sessions": {
			func() (string, []any) { return search.TurnsQuery, []any{"[1]"} },
			[]string{
				"SEARCH p USING INDEX messages_content (content=?)", "SEARCH m USING INDEX messages_turn (conversation=? AND ordinal>?)",
				"SEARCH b USING INDEX sqlite_autoindex_messages_1 (entry_id=? AND conversation=?)",
			},
		},
	} {
		query, args := c.ask()
		got := planOf(t, db, query, args...)
		for _, want := range c.want {
			must.Contain(t, got, want, "%s:", name)
		}
		if name == "status" { // it sorts the few summaries of an entry
			continue
		}
		if strings.Contains(got, "TEMP B-TREE FOR ORDER BY") || strings.Contains(got, "TEMP B-TREE FOR GROUP BY") {
			t.Errorf("%s: it is sorted:\n%s", name, got)
		}
	}
}
