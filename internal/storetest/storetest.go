// Package storetest opens stores for tests, and puts sessions into them.
package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/sqlhook"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// Open opens the store at path until the end of the test.
func Open(tb testing.TB, path string, mode sqlite.Mode) *store.Store {
	tb.Helper()
	st, err := store.Open(context.Background(), path, mode, time.Now)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { st.Close() })
	return st
}

// Ingest stores a session file.
func Ingest(tb testing.TB, st *store.Store, file string) history.Report {
	tb.Helper()
	rep, err := history.Ingest(context.Background(), st.Entries, pi.File{Path: file}, history.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return rep
}

// Recorded is the path of a recorded session.
func Recorded(tb testing.TB, name string) string {
	tb.Helper()
	dir, err := filepath.Abs(".")
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return filepath.Join(dir, "testdata", "sessions", name)
		}
	}
	tb.Fatalf("find recorded sessions: there is no go.mod, %v", err)
	return ""
}

// Sessions are the paths of all recorded sessions.
func Sessions(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob(Recorded(tb, "*.jsonl"))
	if err != nil || len(files) < 4 {
		tb.Fatalf("recorded sessions: %v, %v", files, err)
	}
	return files
}

// Filled is a store with all recorded sessions.
func Filled(tb testing.TB) *store.Store {
	tb.Helper()
	st := Open(tb, filepath.Join(tb.TempDir(), "x.db"), sqlite.Write)
	for _, file := range Sessions(tb) {
		Ingest(tb, st, file)
	}
	return st
}

// Session writes a session file with a message of the user for each text, whose ids
// begin with that of the session.
func Session(tb testing.TB, id string, texts ...string) string {
	tb.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":%q,"timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}`+"\n", id)
	for i, text := range texts {
		fmt.Fprintf(&b, `{"type":"message","id":"%s%04d","timestamp":"2026-03-02T09:%02d:%02d.000Z","message":{"role":"user","content":%q}}`+"\n", id, i, i/60, i%60, text)
	}
	file := filepath.Join(tb.TempDir(), id+".jsonl")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
	return file
}

// Branched writes a session of messages, each given as "id parent text"; the parent "-"
// is none.
func Branched(tb testing.TB, id, parent string, messages ...string) string {
	tb.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":%q,"timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w","parentSession":%q}`+"\n", id, parent)
	for i, m := range messages {
		own, rest, _ := strings.Cut(m, " ")
		before, text, _ := strings.Cut(rest, " ")
		ref := "null"
		if before != "-" {
			ref = fmt.Sprintf("%q", before)
		}
		fmt.Fprintf(&b, `{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-03-02T09:00:%02d.000Z","message":{"role":"user","content":%q}}`+"\n", own, ref, i, text)
	}
	file := filepath.Join(tb.TempDir(), id+".jsonl")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
	return file
}

// WriteSession writes a session file of many messages of some bytes each.
func WriteSession(tb testing.TB, file string, messages, size int) {
	tb.Helper()
	f, err := os.Create(file)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	if err := corpus.Write(f, corpus.Session{ID: "bench-" + filepath.Base(file), CWD: "/home/dev/shop", Messages: messages, Size: size, Seed: 1}); err != nil {
		tb.Fatal(err)
	}
}

// IDs are the ids of the entries that were found.
func IDs(res history.Result) []string {
	var out []string
	for _, h := range res.Hits {
		out = append(out, h.EntryID)
	}
	return out
}

// Rows is a row for each text, the newest first.
func Rows(tb testing.TB, st *store.Store) []history.Row {
	tb.Helper()
	res, err := history.Search(tb.Context(), st.Search, history.Query{Text: `(?s:^.*$)`, Regex: true, Limit: 1 << 20, Context: 1})
	if err != nil {
		tb.Fatal(err)
	}
	rows := make([]history.Row, len(res.Hits))
	for i, h := range res.Hits {
		rows[i] = h.Row
	}
	return rows
}

// DB opens the database beside the store, to look at it or to damage it.
func DB(tb testing.TB, path string) *sql.DB {
	tb.Helper()
	db, err := sql.Open(sqlhook.Driver, path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return db
}

// Count returns the number that a query gives.
func Count(tb testing.TB, db *sql.DB, query string) int {
	tb.Helper()
	var n int
	if err := db.QueryRow(query).Scan(&n); err != nil {
		tb.Fatal(err)
	}
	return n
}

// Copy copies a store with its log, as a process that was killed left them.
func Copy(tb testing.TB, path string) string {
	tb.Helper()
	to := filepath.Join(tb.TempDir(), "copy.db")
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + end)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(to+end, data, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return to
}

// Answers are the results of many kinds of queries, in full.
func Answers(tb testing.TB, st *store.Store) string {
	tb.Helper()
	var b strings.Builder
	for _, q := range []history.Query{
		{Text: "checkout", Limit: 500},
		{Text: "the", Limit: 30, Offset: 40},
		{Text: "idempotency key"},
		{Text: "what did we decide about the rounding of discounts and why?"},
		{Text: "error test total"},
		{Text: "heckou"},
		{Text: "ProductLine"},
		{Text: `npm (test|run)`, Regex: true, Limit: 100},
		{Text: "test", Filter: history.Filter{Roles: []string{"toolResult"}, Tool: "bash"}},
		{Text: "nothing holds this zzyzx order"},
	} {
		res, err := history.Search(tb.Context(), st.Search, q)
		if err != nil {
			tb.Fatalf("%q: %v", q.Text, err)
		}
		fmt.Fprintf(&b, "%q by %s, more %v\n", q.Text, res.Step, res.More)
		for _, h := range res.Hits {
			fmt.Fprintf(&b, "  %s %s %d %d %q\n", h.Session, h.EntryID, h.Time, h.Copies, h.Snippet)
		}
	}
	return b.String()
}

// WriteOften opens the store at path and stores a session that grows, as an agent's does.
// The seed tells one session from another.
func WriteOften(path, file string, seed, messages, rounds int) error {
	var whole strings.Builder
	if err := corpus.Write(&whole, corpus.Session{ID: fmt.Sprint("w", seed), CWD: "/w", Messages: messages, Size: 300, Seed: int64(seed)}); err != nil {
		return err
	}
	lines := strings.SplitAfter(whole.String(), "\n")
	st, err := store.Open(context.Background(), path, sqlite.Write, time.Now)
	if err != nil {
		return err
	}
	defer st.Close()
	for r := 1; r <= rounds; r++ {
		if err := os.WriteFile(file, []byte(strings.Join(lines[:len(lines)*r/rounds], "")), 0o600); err != nil {
			return err
		}
		if _, err := history.Ingest(context.Background(), st.Entries, pi.File{Path: file}, history.Options{Small: true}); err != nil {
			return err
		}
	}
	return nil
}

// Clock is a clock that tests set.
type Clock struct{ Time time.Time }

// Now is the time that the clock was set to.
func (c *Clock) Now() time.Time { return c.Time }

// OpenClocked opens a new store with a clock, and returns its path too.
func OpenClocked(tb testing.TB, c *Clock) (*store.Store, string) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "o.db")
	st, err := store.Open(context.Background(), path, sqlite.Write, c.Now)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { st.Close() })
	return st, path
}

// FileDoc is a file with a content.
func FileDoc(path, content string) *object.Document {
	return &object.Document{Kind: object.KindFile, Content: []byte(content), File: &object.File{Path: path, FileType: "txt", Chars: len(content)}}
}

// Submit makes changes to objects.
func Submit(tb testing.TB, w object.Writer, ops ...object.Op) object.Receipt {
	tb.Helper()
	r, err := w.Submit(context.Background(), object.Tx{Actor: object.ActorCapture, Session: "s1", Ops: ops})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// Put writes a file as it is from now on.
func Put(tb testing.TB, w object.Writer, path, content string) object.Result {
	tb.Helper()
	return Submit(tb, w, object.Op{Do: object.Put, Key: object.FileKey("", path), Doc: FileDoc(path, content)}).Results[0]
}
