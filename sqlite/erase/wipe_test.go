package erase_test

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/store"
)

// leave writes bytes into an unused part of a page, as SQLite leaves them when it moves
// rows.
func leave(t *testing.T, path string, left []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size := int(binary.BigEndian.Uint16(data[16:]))
	for at := size; at < len(data); at += size {
		rows, first := int(binary.BigEndian.Uint16(data[at+3:])), int(binary.BigEndian.Uint16(data[at+5:]))
		if data[at] == 13 && first-8-2*rows > len(left)+8 {
			copy(data[at+first-len(left):], left)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("no page has room")
}

// packed returns the text of an entry as it is stored.
func packed(t *testing.T, st *store.Store, entry string) []byte {
	t.Helper()
	var data []byte
	err := storetest.DB(t, st.Path()).QueryRow(`SELECT data FROM content WHERE id = (SELECT content FROM messages WHERE entry_id = ?)`, entry).Scan(&data)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// SQLite leaves a copy where it moved a row from. The copy goes with the text, even if only
// part of it remains.
func TestWhatUnusedBytesHaveOfATextGoesWithIt(t *testing.T) {
	re := regexp.MustCompile(`(?i)xylophone9\w+`)
	for name, left := range map[string]func(st *store.Store) []byte{
		"nothing":             nil,
		"the middle, packed":  func(st *store.Store) []byte { return packed(t, st, "aaaa0001")[30:60] },
		"the end of the word": func(*store.Store) []byte { return []byte("\x01\x0dlophone9quagmire\x02") },
		"a part of the word":  func(*store.Store) []byte { return []byte("\x01\x09quagmire\x02") },
		"as it was written":   func(*store.Store) []byte { return []byte(`"name":"XYLOPHONE9QUAGMIRE`) },
	} {
		for _, redact := range []bool{false, true} {
			st, _ := secretStoreWith(t, storetest.Recorded(t, "notes-1.5.jsonl"))
			path := st.Path()
			if left != nil {
				data := left(st)
				st.Close()
				leave(t, path, data)
				st = storetest.Open(t, path, sqlite.Write)
			}
			scrubbed(t, st, re, redact)
			if found := fileHolds(t, path, "lophone", "quagmire"); len(found) > 0 {
				t.Errorf("%s is left, redact %t: %v", name, redact, found)
			}
			if h, err := st.Health.Check(t.Context(), false); err != nil || len(h.Problems) > 0 {
				t.Errorf("%v, %v", h.Problems, err)
			}
		}
	}
}

// scrubbed erases a text. Nothing may be left in unused bytes, and the database must not
// have been rewritten for that.
func scrubbed(t *testing.T, st *store.Store, re *regexp.Regexp, redact bool) {
	t.Helper()
	c, err := st.Eraser.Choose(t.Context(), erase.Selection{Match: re})
	if err != nil || c.Entries != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	before := rewritings(t, st)
	run := func() (*erase.Traces, error) { return st.Eraser.Purge(t.Context(), c) }
	if redact {
		run = func() (*erase.Traces, error) { return st.Eraser.Redact(t.Context(), c, re) }
	}
	traces, err := run()
	if err != nil {
		t.Fatal(err)
	}
	r, err := st.Eraser.Scrub(t.Context(), traces)
	if err != nil || len(r.Files) > 0 || r.Words > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if n, err := erase.Soiled(t.Context(), storetest.DB(t, st.Path()), st.Path()); err != nil || n > 0 {
		t.Errorf("%d pages have unused bytes that were not overwritten, %v", n, err)
	}
	if rewritings(t, st) != before {
		t.Error("the database was rewritten")
	}
}

// rewritings returns a number that rewriting the database changes.
func rewritings(t *testing.T, st *store.Store) int {
	t.Helper()
	return storetest.Count(t, storetest.DB(t, st.Path()), `SELECT schema_version FROM pragma_schema_version`)
}

// A run does not know what a killed run erased before it could scrub.
func TestTheNextErasureRemovesWhatAKilledOneLeft(t *testing.T) {
	st, _ := secretStoreWith(t, storetest.Recorded(t, "notes-1.5.jsonl"))
	if err := st.Eraser.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := st.Path()
	st.Close()
	leave(t, path, []byte("nobody knows of gnu-veldt any more"))
	st = storetest.Open(t, path, sqlite.Write)
	if found, err := st.Health.Examine(t.Context()); err != nil || len(found) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	scrubbed(t, st, regexp.MustCompile(`(?i)xylophone9\w+`), true)
	if found := fileHolds(t, path, "gnu-veldt"); len(found) > 0 {
		t.Error(found)
	}
	if found, err := st.Health.Examine(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// A connection that has read a page before its unused bytes were overwritten does not write
// them back when it changes the page later.
func TestAnotherConnectionDoesNotWriteBackWhatItReadBefore(t *testing.T) {
	st, _ := secretStoreWith(t, storetest.Recorded(t, "notes-1.5.jsonl"))
	path := st.Path()
	other := storetest.DB(t, path)
	other.SetMaxOpenConns(1)
	for _, query := range []string{
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) INSERT INTO roots SELECT '/' || i, i FROM n`,
		`PRAGMA wal_checkpoint(TRUNCATE)`,
	} {
		if _, err := other.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
	var root int64
	if err := other.QueryRow(`SELECT rootpage FROM sqlite_schema WHERE name = 'roots'`).Scan(&root); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := data[(root-1)*4096 : root*4096]
	if page[0] != 10 {
		t.Fatal("the table is not on one page")
	}
	copy(page[int(binary.BigEndian.Uint16(page[5:]))-24:], "gnu-veldt left behind")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	third := storetest.DB(t, path)
	third.SetMaxOpenConns(1)
	if n := storetest.Count(t, third, `SELECT count(*) FROM roots`); n != 60 { // its cache has the page as it is
		t.Fatal(n)
	}
	if done, err := st.Eraser.WipeNow(t.Context()); err != nil || !done {
		t.Fatal(done, err)
	}
	if found := fileHolds(t, path, "gnu-veldt"); len(found) > 0 {
		t.Error("it is not overwritten:", found)
	}
	for _, query := range []string{`UPDATE roots SET seen = 7`, `PRAGMA wal_checkpoint(TRUNCATE)`} {
		if _, err := third.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
	if found := fileHolds(t, path, "gnu-veldt"); len(found) > 0 {
		t.Error("it is written back:", found)
	}
}

// While the log has later versions of pages, nobody knows what of the file is unused.
func TestNothingIsWipedBesideALogThatIsNotEmpty(t *testing.T) {
	st, _ := secretStoreWith(t, storetest.Recorded(t, "notes-1.5.jsonl"))
	path := st.Path()
	st.Close()
	leave(t, path, []byte("gnu-veldt left behind"))
	st = storetest.Open(t, path, sqlite.Write)
	if _, err := storetest.DB(t, path).Exec(`INSERT INTO roots VALUES ('/x', 1)`); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if done, err := st.Eraser.WipeNow(t.Context()); err != nil || done {
		t.Error(done, err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Error("the file was changed", err)
	}
}

// Pages of kinds that pictx never makes are not followed, and the database is rewritten.
func TestADatabaseThatCannotBeFollowedIsRewritten(t *testing.T) {
	st, _ := secretStoreWith(t, storetest.Recorded(t, "notes-1.5.jsonl"))
	path := st.Path()
	st.Close()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, query := range []string{`PRAGMA journal_mode = DELETE`, `PRAGMA auto_vacuum = FULL`, `VACUUM`, `PRAGMA journal_mode = WAL`} {
		if _, err := db.Exec(query); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	st = storetest.Open(t, path, sqlite.Write)
	re, before := regexp.MustCompile(`(?i)xylophone9\w+`), rewritings(t, st)
	c, err := st.Eraser.Choose(t.Context(), erase.Selection{Match: re})
	if err != nil {
		t.Fatal(err)
	}
	traces, err := st.Eraser.Redact(t.Context(), c, re)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := st.Eraser.Scrub(t.Context(), traces); err != nil || len(r.Files) > 0 || r.Words > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if rewritings(t, st) == before {
		t.Error("it was not rewritten")
	}
	if found := fileHolds(t, path, "xylophone9", "quagmire"); len(found) > 0 {
		t.Error(found)
	}
}

func TestWhateverWritesOverwritesWhatItDeletes(t *testing.T) {
	for _, mode := range []sqlite.Mode{sqlite.Write, sqlite.Hook} {
		db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), mode, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		for _, sql := range []string{
			`INSERT INTO roots (path, seen) VALUES (replace(hex(zeroblob(5000)), '00', 'Xylophone9 '), 1)`,
			`PRAGMA wal_checkpoint(TRUNCATE)`, `DELETE FROM roots`, `PRAGMA wal_checkpoint(TRUNCATE)`,
		} {
			if _, err := db.Exec(sql); err != nil {
				t.Fatal(err)
			}
		}
		if found := fileHolds(t, db.Path(), "Xylophone9"); len(found) > 0 {
			t.Error(found)
		}
		db.Close()
	}
}

// Purging an entry also deletes its marks and the summaries made from it.
func TestWhatUnusedBytesHaveOfASummaryOrAMarkerGoesWithTheEntry(t *testing.T) {
	const said, marker = "Extract: the harbour gate was painted vermilion yesterday", "[read harbour.txt: pruned, the vermilion gate]"
	const pinned = "the vermilion paint is not to be forgotten"
	for name, left := range map[string]string{"nothing": "", "a summary": said[9:40], "a marker": marker[6:40], "a pin": pinned[4:38]} {
		st, _ := secretStoreWith(t, storetest.Recorded(t, "notes-1.5.jsonl"))
		path := st.Path()
		for _, sql := range []string{
			`INSERT INTO summaries VALUES (1, 's-1', 'keeper', 0, 'extract', 'h', 'aaaa0001', 'aaaa0001', 1, 1, 1, '` + said + `', 1, 1, '', 1, 1)`,
			`INSERT INTO summary_sources VALUES (1, 0, 'aaaa0001')`,
			`INSERT INTO marks VALUES ('keeper', 'aaaa0001', 'aaaa0003', '` + marker + `', 'plan', 'old', 1, 1, 1)`,
			`INSERT INTO pins VALUES ('keeper', 'aaaa0001', 0, '` + pinned + `', 1)`,
			`PRAGMA wal_checkpoint(TRUNCATE)`,
		} {
			if _, err := storetest.DB(t, path).Exec(sql); err != nil {
				t.Fatal(err)
			}
		}
		if left != "" {
			st.Close()
			leave(t, path, []byte(left))
			st = storetest.Open(t, path, sqlite.Write)
		}
		scrubbed(t, st, regexp.MustCompile(`(?i)xylophone9\w+`), false)
		if found := fileHolds(t, path, "vermilion", "quagmire"); len(found) > 0 {
			t.Errorf("%s is left: %v", name, found)
		}
	}
}
