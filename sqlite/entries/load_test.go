package entries_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/sqlhook"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/store"
)

// loadFiles has IngestAll read files, and returns the reports by file.
func loadFiles(t *testing.T, st history.Store, paths ...string) []history.Report {
	t.Helper()
	var files []history.File
	for _, p := range paths {
		files = append(files, pi.File{Path: p})
	}
	reports := make([]history.Report, len(paths))
	err := history.IngestAll(t.Context(), st, files, history.Options{}, func(i int, rep history.Report, err error) {
		if err != nil {
			t.Error(err)
		}
		reports[i] = rep
	})
	if err != nil {
		t.Fatal(err)
	}
	return reports
}

// loadable writes sessions, the last of them a fork, and returns their files and what
// to look for.
func loadable(t *testing.T) ([]string, []corpus.Needle) {
	t.Helper()
	dir := t.TempDir()
	needles := must.Get(corpus.History{CWD: "/w", Messages: 1500, Sessions: 5, Size: 120, Needles: 2, Twins: 3, Seed: 7}.WriteFiles(dir))(t)
	files := must.Get((pi.Sessions{}).Find(dir))(t)
	slices.Sort(files)
	text := must.Get(os.ReadFile(files[0]))(t)
	head, rest, _ := strings.Cut(string(text), "\n")
	_, end, _ := strings.Cut(head, `"id":"`)
	id, _, _ := strings.Cut(end, `"`)
	fork := filepath.Join(dir, "fork.jsonl")
	text = []byte(strings.Replace(head, id, "fork", 1) + "\n" + rest +
		`{"type":"message","id":"f0f0f0f0","timestamp":"2026-03-02T09:00:09.000Z","message":{"role":"user","content":"only the fork says Ärgernis \ud83d\ude00"}}` + "\n")
	must.Do(t, os.WriteFile(fork, text, 0o600))
	return append(files, fork), needles
}

// An import stores what reading the files one after the other stores, and finds the
// same, by an index that FTS5 finds nothing wrong with.
func TestAnImportOfManyFilesStoresWhatReadingThemOneByOneDoes(t *testing.T) {
	files, needles := loadable(t)
	one, all := storetest.Open(t, filepath.Join(t.TempDir(), "one.db"), sqlite.Write), storetest.Open(t, filepath.Join(t.TempDir(), "all.db"), sqlite.Write)
	defer one.Close()
	defer all.Close()
	var want []history.Report
	for _, f := range files {
		want = append(want, storetest.Ingest(t, one, f))
	}
	got := loadFiles(t, all.Entries, files...)
	added := func(reports []history.Report) (n int) {
		for i := range reports {
			n += reports[i].Added
		}
		return n
	}
	must.Equal(t, added(got), added(want), "added")
	state := func(st *store.Store) string {
		var b strings.Builder
		for _, r := range storetest.Rows(t, st) {
			fmt.Fprintln(&b, r.EntryID, r.Ordinal, r.Content, r.Copies)
		}
		for _, n := range needles {
			res := must.Get(history.Search(t.Context(), st.Search, history.Query{Text: n.Query, Regex: n.Regex}))(t)
			fmt.Fprintln(&b, n.Query, res.Step, storetest.IDs(res))
		}
		for _, q := range []string{"the", `"error return"`, "ärgernis", "argernis", "why does the error return null?"} {
			res := must.Get(history.Search(t.Context(), st.Search, history.Query{Text: q}))(t)
			fmt.Fprintln(&b, q, res.Step, storetest.IDs(res))
		}
		found := must.Get(st.Examine(t.Context()))(t)
		fmt.Fprintln(&b, found)
		return b.String()
	}
	must.Match(t, state(all), state(one), "(-one by one +all)")
	for _, rep := range loadFiles(t, all.Entries, files...) {
		if !rep.Unchanged {
			t.Errorf("%s is read again", rep.Path)
		}
	}
}

// partsOf are the trigrams of the index, each with the text that has it.
func partsOf(t *testing.T, st *store.Store) []string {
	t.Helper()
	db := must.Get(sql.Open(sqlhook.Driver, st.Path()))(t)
	defer db.Close()
	db.SetMaxOpenConns(1)
	must.Get(db.ExecContext(t.Context(), `CREATE VIRTUAL TABLE temp.parts USING fts5vocab('main', 'grams_fts', 'instance')`))(t)
	rows := must.Get(db.QueryContext(t.Context(), `SELECT p.term || ' ' || hex(c.hash) FROM temp.parts p LEFT JOIN content c ON c.id = p.doc ORDER BY 1`))(t)
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		must.Do(t, rows.Scan(&s))
		out = append(out, s)
	}
	return out
}

func TestAnImportIndexesWhatReadingItAgainDoes(t *testing.T) {
	files, _ := loadable(t)
	one, all := storetest.Open(t, filepath.Join(t.TempDir(), "one.db"), sqlite.Write), storetest.Open(t, filepath.Join(t.TempDir(), "all.db"), sqlite.Write)
	defer one.Close()
	defer all.Close()
	loadFiles(t, all.Entries, files...)
	for _, f := range files {
		storetest.Ingest(t, one, f)
	}
	must.Match(t, partsOf(t, all), partsOf(t, one), "trigrams (-read again +loaded)")
	must.Match(t, storetest.Answers(t, all), storetest.Answers(t, one), "answers (-read again +loaded)")
}

// What was indexed by an import is purged, searched and added to like everything else.
func TestTheIndexOfAnImportCanBeDeletedFromAndAddedTo(t *testing.T) {
	files, needles := loadable(t)
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	defer st.Close()
	loadFiles(t, st.Entries, files[:3]...)
	storetest.Ingest(t, st, files[3]) // over the connection that asked the index before
	loadFiles(t, st.Entries, files[4:]...)
	find := func(query string) []string {
		res := must.Get(history.Search(t.Context(), st.Search, history.Query{Text: query}))(t)
		return storetest.IDs(res)
	}
	for _, n := range needles {
		if n.Kind == "token" && !slices.Contains(find(n.Query), n.Entry) {
			t.Errorf("%s is not found", n.Query)
		}
	}
	n := needles[slices.IndexFunc(needles, func(n corpus.Needle) bool { return n.Kind == "token" })]
	c := must.Get(st.Eraser.Choose(t.Context(), erase.Selection{Entries: []string{n.Entry}}))(t)
	must.Do(t, st.Eraser.Purge(t.Context(), c))
	must.Get(st.Eraser.Scrub(t.Context()))(t)
	if got := find(n.Query); slices.Contains(got, n.Entry) {
		t.Errorf("%s is found after it was purged: %v", n.Query, got)
	}
	if found, err := st.Examine(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}
