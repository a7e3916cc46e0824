package lcm_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/lcm"
	"github.com/coctostan/pictx/sqlite/store"
)

// lcmSchema is what pi-lcm makes its tables with.
const lcmSchema = `
CREATE TABLE conversations (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, session_file TEXT, cwd TEXT NOT NULL,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE messages (id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL REFERENCES conversations(id), entry_id TEXT,
  role TEXT NOT NULL, content_text TEXT NOT NULL, content_json TEXT NOT NULL, tool_name TEXT,
  token_estimate INTEGER NOT NULL, timestamp INTEGER NOT NULL, seq INTEGER NOT NULL, is_compacted INTEGER DEFAULT 0,
  UNIQUE(conversation_id, seq));
CREATE TABLE summaries (id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL REFERENCES conversations(id), depth INTEGER NOT NULL,
  text TEXT NOT NULL, token_estimate INTEGER NOT NULL, metadata_json TEXT, created_at TEXT NOT NULL);
CREATE TABLE summary_sources (summary_id TEXT NOT NULL REFERENCES summaries(id), source_type TEXT NOT NULL,
  source_id TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (summary_id, source_type, source_id));`

// lcmMessages are messages as pi-lcm kept them: the message's JSON, and sometimes
// pi's id of the entry.
func lcmMessages() []struct{ id, entry, body string } {
	var out []struct{ id, entry, body string }
	for i := range 6 {
		entry := ""
		if i%2 == 0 {
			entry = fmt.Sprintf("aaaa000%d", i)
		}
		body := fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"The lighthouse number %d stands."}],"timestamp":%d}`, i, 1772442000000+int64(i)*1000)
		out = append(out, struct{ id, entry, body string }{fmt.Sprintf("0000-%d", i), entry, body})
	}
	return out
}

func lcmDatabase(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lcm.db")
	db := must.Get(sql.Open("sqlite3", path))(t)
	defer db.Close()
	run := func(query string, args ...any) {
		t.Helper()
		must.Get(db.Exec(query, args...))(t)
	}
	run(lcmSchema)
	run(`INSERT INTO conversations VALUES ('c1', 'session-one', '/s.jsonl', '/w', '2026-03-02T09:00:00.000Z', '2026-03-02T10:00:00.000Z')`)
	for i, m := range lcmMessages() {
		var entry any
		if m.entry != "" {
			entry = m.entry
		}
		run(`INSERT INTO messages VALUES (?, 'c1', ?, 'user', 'text', ?, NULL, 9, ?, ?, 0)`, m.id, entry, m.body, 1772442000000+int64(i)*1000, i)
	}
	run(`INSERT INTO summaries VALUES ('s1', 'c1', 0, 'Lighthouses 0 to 2.', 5, NULL, '2026-03-02T10:00:00.000Z'),
	  ('s2', 'c1', 0, 'Lighthouses 3 to 5.', 5, NULL, '2026-03-02T10:00:01.000Z'),
	  ('s3', 'c1', 1, 'All lighthouses.', 5, NULL, '2026-03-02T10:00:02.000Z'),
	  ('s4', 'c1', 0, 'Of nothing.', 5, NULL, '2026-03-02T10:00:03.000Z')`)
	for i, m := range lcmMessages() {
		run(`INSERT INTO summary_sources VALUES (?, 'message', ?, ?)`, []string{"s1", "s2"}[i/3], m.id, i)
	}
	run(`INSERT INTO summary_sources VALUES ('s3', 'summary', 's1', 0), ('s3', 'summary', 's2', 1)`)
	return path
}

// takeLCM imports a database of pi-lcm and returns how many entries and summaries
// were new.
func takeLCM(t *testing.T, st *store.Store, path string) (entries, summaries int) {
	t.Helper()
	l := must.Get(lcm.Open(t.Context(), path))(t)
	defer l.Close()
	sessions, err := l.Sessions(t.Context())
	if err != nil || len(sessions) != 1 || sessions[0].Messages != 6 || sessions[0].Summaries != 4 {
		t.Fatalf("%+v, %v", sessions, err)
	}
	for _, s := range sessions {
		must.Do(t, s.Except(t.Context(), st.Entries))
		rep := must.Get(history.Ingest(t.Context(), st.Entries, s, history.Options{}))(t)
		added, left, err := s.TakeSummaries(t.Context(), st.Summaries, st.Entries)
		if err != nil || left != 1 {
			t.Fatalf("%d left out, %v", left, err)
		}
		entries, summaries = entries+rep.Added, summaries+added
	}
	return entries, summaries
}

// Holds history 13.
func TestADatabaseOfPiLCMIsTakenOverOnceAndOnlyRead(t *testing.T) {
	path := lcmDatabase(t)
	before := must.Get(os.ReadFile(path))(t)
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	if entries, summaries := takeLCM(t, st, path); entries != 7 || summaries != 3 { // with the header
		t.Errorf("%d entries, %d summaries", entries, summaries)
	}
	if entries, summaries := takeLCM(t, st, path); entries != 0 || summaries != 0 {
		t.Errorf("again: %d entries, %d summaries", entries, summaries)
	}
	res, err := history.Search(t.Context(), st.Search, history.Query{Text: "lighthouse"})
	if err != nil || len(res.Hits) != 7 || res.Hits[0].Time != 1772442005000 {
		t.Errorf("%+v, %v", res.Hits, err)
	}
	x, err := history.Expand(t.Context(), st.Search, "aaaa0002", nil)
	if err != nil || string(x.Text()) != "The lighthouse number 2 stands." {
		t.Errorf("%+v, %v", x, err)
	}
	nodes, err := st.Summaries.Summaries(t.Context(), "session-one")
	if err != nil || len(nodes) != 3 || nodes[0].Sources[0] != "aaaa0000" || nodes[2].Entries != 6 || nodes[2].Sources[1] != nodes[1].Key {
		t.Errorf("%+v, %v", nodes, err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the database was written to: %v", err)
	}
}

// sessionOfLCM is the same session as pi wrote it, with ids of its own.
func sessionOfLCM(t *testing.T) pi.File {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"session-one","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}` + "\n")
	for i, m := range lcmMessages() {
		fmt.Fprintf(&b, `{"type":"message","id":"bbbb000%d","parentId":null,"timestamp":"2026-03-02T09:00:%02d.500Z","message":%s}`+"\n", i, i, m.body)
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	must.Do(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return pi.File{Path: path}
}

// Whichever is imported first, no message is there twice.
func TestSessionFileAndPiLCMGiveEveryMessageOnce(t *testing.T) {
	for _, fileFirst := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "x.db")
		st := storetest.Open(t, path, sqlite.Write)
		if fileFirst {
			storetest.Ingest(t, st, sessionOfLCM(t).Path)
		}
		takeLCM(t, st, lcmDatabase(t))
		if !fileFirst {
			storetest.Ingest(t, st, sessionOfLCM(t).Path)
		}
		res, err := history.Search(t.Context(), st.Search, history.Query{Text: "lighthouse"})
		if err != nil || strings.Join(storetest.IDs(res), " ") != "bbbb0005 bbbb0004 bbbb0003 bbbb0002 bbbb0001 bbbb0000 s-fe1f9d210a1a" {
			t.Errorf("file first %v: %v, %v", fileFirst, storetest.IDs(res), err)
		}
		if n := storetest.Count(t, storetest.DB(t, path), `SELECT count(*) FROM messages WHERE type = 'message'`); n != 6 {
			t.Errorf("file first %v: %d rows", fileFirst, n)
		}
		if !fileFirst { // what was shown before still works
			if x, err := history.Expand(t.Context(), st.Search, "aaaa0004", nil); err != nil || x.EntryID != "bbbb0004" {
				t.Errorf("%+v, %v", x, err)
			}
		}
	}
}

func TestAFileThatIsNotADatabaseOfPiLCMIsRefused(t *testing.T) {
	other := filepath.Join(t.TempDir(), "x.db")
	storetest.Open(t, other, sqlite.Write).Close()
	must.Get(storetest.DB(t, other).Exec(`DROP TABLE summary_sources`))(t)
	if _, err := lcm.Open(t.Context(), other); !errors.Is(err, lcm.ErrNotLCM) {
		t.Errorf("%v", err)
	}
	if _, err := lcm.Open(t.Context(), filepath.Join(t.TempDir(), "none.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	text := filepath.Join(t.TempDir(), "text.db")
	must.Do(t, os.WriteFile(text, []byte(strings.Repeat("no database\n", 400)), 0o600))
	if _, err := lcm.Open(t.Context(), text); !errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("%v", err)
	}
}

func TestALongSessionOfPiLCMIsReadAFewMessagesAtATime(t *testing.T) {
	path := lcmDatabase(t)
	db := must.Get(sql.Open("sqlite3", path))(t)
	defer db.Close()
	const more, bytes = 1400, 20_000
	must.Get(db.Exec(`WITH RECURSIVE n (i) AS (SELECT 6 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO messages SELECT 'm' || (i * 7919 % 1400), 'c1', NULL, 'user', '', '{"role":"user","content":"number ' || i || ' ' || hex(zeroblob(?)) || '","timestamp":1}',
			NULL, 9, 1772442000000 + i * 1000, i, 0 FROM n`, 5+more, bytes/2))(t)
	l := must.Get(lcm.Open(t.Context(), path))(t)
	defer l.Close()
	sessions := must.Get(l.Sessions(t.Context()))(t)
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	lines := must.Get(sessions[0].Open(message.Position{}))(t)
	n := 0
	for ; ; n++ {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if n > 6 && !strings.Contains(string(line.Raw), fmt.Sprintf(`"number %d `, n-1)) {
			t.Fatalf("line %d is %.200s", n, line.Raw)
		}
		if n%200 == 0 {
			if grown := heap() - before; grown > more*bytes*6/10 {
				t.Fatalf("%d bytes in memory after %d lines, all messages have %d", grown, n, more*bytes)
			}
		}
	}
	must.Equal(t, n, 1+6+more, "lines")
}

// Whoever made the database chose what its schema computes.
func TestNothingRunsThatTheSchemaOfAForeignDatabaseNames(t *testing.T) {
	t.Parallel()
	path := lcmDatabase(t)
	db := must.Get(sql.Open("sqlite3", path))(t)
	// SQLite creates no such column, so one as long is replaced in the file.
	const harmless, unsafe = `lower         ('/nowhere')`, `load_extension('/nowhere')`
	must.Get(db.Exec(`ALTER TABLE conversations RENAME COLUMN cwd TO dir; ALTER TABLE conversations ADD COLUMN cwd TEXT AS (` + harmless + `) VIRTUAL`))(t)
	db.Close()
	file := must.Get(os.ReadFile(path))(t)
	must.Do(t, os.WriteFile(path, bytes.Replace(file, []byte(harmless), []byte(unsafe), 1), 0o600))
	l, err := lcm.Open(t.Context(), path)
	if err == nil {
		defer l.Close()
		_, err = l.Sessions(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), "unsafe use of load_extension") {
		t.Errorf("%v", err)
	}
}
