package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// findings returns the findings of Examine, one line each.
func findings(t *testing.T, st *store.Store) []string {
	t.Helper()
	found := must.Get(st.Examine(t.Context()))(t)
	out := must.Get(st.Check(t.Context(), false))(t).Problems
	for _, f := range found {
		out = append(out, fmt.Sprintf("%d %s", f.Count, f.Name))
	}
	return out
}

// summarized returns a store with a session of three messages, a leaf for two of them and
// nodes above it.
func summarized(t *testing.T) *store.Store {
	t.Helper()
	st := storetest.Open(t, filepath.Join(t.TempDir(), "own", "x.db"), sqlite.Write)
	storetest.Ingest(t, st, storetest.Branched(t, "one", "", "a1 - walrus", "a2 a1 walrus", "a3 a2 otter"))
	lease := must.Get(st.Summaries.Lease(t.Context(), "one", false))(t)
	for depth, sources := range [][]string{{"a1", "a2"}, {"s-000000000000"}, {"s-000000000001"}} {
		err := st.Summaries.PutSummary(t.Context(), lease, &summary.Node{
			Key: fmt.Sprintf("s-%012d", depth), Session: "one", Depth: depth, Kind: summary.Model, Sources: sources, First: "a1", Last: "a2", Entries: 2, Text: "walruses",
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := findings(t, st); len(got) > 0 {
		t.Fatalf("a new store: %q", got)
	}
	return st
}

// Holds history 66.
func TestExamineFindsWhatIsWrongWithAStore(t *testing.T) {
	for _, c := range []struct {
		breakage string
		want     string
	}{
		{`INSERT INTO words_fts (words_fts, rowid, prose, machine, kind) SELECT 'delete', max(content), 'x', '', '' FROM messages`, "1 texts that the index misses"},
		{`INSERT INTO words_fts (rowid, prose, machine, kind) VALUES (7, 'x', '', 'user')`, "1 documents of an index without a text"},
		{`INSERT INTO content (id, hash, codec, size, data) VALUES (7, x'00', 0, 1, 'x')`, "1 texts that nothing refers to"},
		{`UPDATE messages SET content = 7 WHERE entry_id = 'a3'`, "1 entries without text"},
		{`UPDATE messages SET conversation = 7 WHERE entry_id = 'a3'`, "1 entries without session"},
		{`UPDATE messages SET parent_id = 'a9' WHERE entry_id = 'a3'`, "1 entries whose parent is neither in their session nor in its file"},
		{`UPDATE summary_sources SET source = 'a9' WHERE source = 'a1'`, "1 summaries whose sources are gone: s-000000000000"},
		{`UPDATE summary_sources SET source = 's-000000000001' WHERE source = 's-000000000000'`, "1 summaries whose sources are gone: s-000000000001"}, // its own id
		{`UPDATE summary_sources SET source = 's-000000000002' WHERE source = 's-000000000000'`, "1 summaries whose sources are gone"},
	} {
		st := summarized(t)
		if _, err := storetest.DB(t, st.Path()).Exec(`PRAGMA foreign_keys = OFF; ` + c.breakage); err != nil {
			t.Fatalf("%s: %v", c.breakage, err)
		}
		if got := strings.Join(findings(t, st), "; "); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.breakage, got, c.want)
		}
	}
}

// Holds history 67.
func TestARepairBeginsWithTheLeavesAfterACopy(t *testing.T) {
	st := summarized(t)
	_, err := storetest.DB(t, st.Path()).Exec(`UPDATE summary_sources SET source = 'a9' WHERE source = 'a1';
		CREATE TABLE gone (at INTEGER PRIMARY KEY, key TEXT);
		CREATE TRIGGER going AFTER DELETE ON summaries BEGIN INSERT INTO gone (key) VALUES (old.key); END`)
	if err != nil {
		t.Fatal(err)
	}
	found, err := st.Examine(t.Context())
	if err != nil || len(found) != 1 || !found[0].Mendable() {
		t.Fatalf("%+v, %v", found, err)
	}
	copied := must.Get(st.Repair(t.Context(), found))(t)
	if got := findings(t, st); len(got) > 0 {
		t.Errorf("after the repair: %q", got)
	}
	var order string
	must.Do(t, storetest.DB(t, st.Path()).QueryRow(`SELECT group_concat(key, ' ') FROM (SELECT key FROM gone ORDER BY at)`).Scan(&order))
	must.Equal(t, order, "s-000000000000 s-000000000001 s-000000000002", "deleted in the order")
	// The copy has the state before the repair.
	kept := storetest.Open(t, copied, sqlite.Read)
	if nodes, err := kept.Summaries.Summaries(t.Context(), "one"); err != nil || len(nodes) != 3 {
		t.Errorf("%d summaries in the copy, %v", len(nodes), err)
	}
}

func TestARepairRebuildsTheIndex(t *testing.T) {
	st := summarized(t)
	must.Get(storetest.DB(t, st.Path()).Exec(`INSERT INTO words_fts (words_fts) VALUES ('delete-all')`))(t)
	found, err := st.Examine(t.Context())
	if err != nil || len(found) == 0 {
		t.Fatalf("%+v, %v", found, err)
	}
	must.Get(st.Repair(t.Context(), found))(t)
	res, err := history.Search(t.Context(), st.Search, history.Query{Text: "otter"})
	if err != nil || len(res.Hits) != 1 || res.Step != history.StepAll {
		t.Errorf("%+v, %v", res, err)
	}
}
