package erase_test

import (
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
			if rewritten := scrubbed(t, st, re, redact); rewritten != (left != nil) {
				t.Errorf("%s is left, redact %t: rewritten %t", name, redact, rewritten)
			}
			if found := fileHolds(t, path, "lophone", "quagmire"); len(found) > 0 {
				t.Errorf("%s is left, redact %t: %v", name, redact, found)
			}
			if h, err := st.Health.Check(t.Context(), false); err != nil || len(h.Problems) > 0 {
				t.Errorf("%v, %v", h.Problems, err)
			}
		}
	}
}

// scrubbed erases a text and reports whether the database was rewritten.
func scrubbed(t *testing.T, st *store.Store, re *regexp.Regexp, redact bool) bool {
	t.Helper()
	c, err := st.Eraser.Choose(t.Context(), erase.Selection{Match: re})
	if err != nil || c.Entries != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	version := func() int {
		return storetest.Count(t, storetest.DB(t, st.Path()), `SELECT schema_version FROM pragma_schema_version`)
	}
	before := version()
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
	return version() != before // rewriting the database changes it
}

// A run does not know what a killed run erased, or what was deleted before deletions
// overwrote.
func TestAStoreOfWhichTooLittleIsKnownIsRewritten(t *testing.T) {
	for _, sql := range []string{
		`INSERT INTO meta (key, value) VALUES ('` + erase.Unscrubbed + `', '1')`,
		`DELETE FROM meta WHERE key = '` + sqlite.Clean + `'`,
	} {
		st, _ := secretStoreWith(t, storetest.Recorded(t, "notes-1.5.jsonl"))
		if _, err := storetest.DB(t, st.Path()).Exec(sql); err != nil {
			t.Fatal(err)
		}
		re := regexp.MustCompile(`(?i)xylophone9\w+`)
		if !scrubbed(t, st, re, true) {
			t.Errorf("after %s it was not rewritten", sql)
		}
		if n := storetest.Count(t, storetest.DB(t, st.Path()), `SELECT count(*) FROM meta WHERE key = '`+sqlite.Clean+`'`); n != 1 {
			t.Error("it is not noted that the store is clean now")
		}
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

// Purging an entry also deletes its marks and the summaries made from it. The database is
// rewritten only if remains of them are found.
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
		if rewritten := scrubbed(t, st, regexp.MustCompile(`(?i)xylophone9\w+`), false); rewritten != (left != "") {
			t.Errorf("%s is left: rewritten %t", name, rewritten)
		}
		if found := fileHolds(t, path, "vermilion", "quagmire"); len(found) > 0 {
			t.Errorf("%s is left: %v", name, found)
		}
	}
}
