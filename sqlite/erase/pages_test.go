package erase_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite/erase"
)

// remnants is a database whose pages have been used before: rows of all lengths were
// inserted in the middle of others and deleted, and nothing was overwritten.
func remnants(t *testing.T, pragmas string) (path string, db *sql.DB) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.db")
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	run := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatal(err)
		}
	}
	run(pragmas + `; PRAGMA secure_delete = OFF; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE a (id INTEGER PRIMARY KEY, kind TEXT, text TEXT); CREATE INDEX kinds ON a (kind, text)`)
	for i := range 900 {
		kind, length := "kept", []int{3, 40, 400, 1100, 4060, 4100, 9000, 30_000}[i%8]
		if i/8%3 == 0 {
			kind = "secret"
		}
		run(`INSERT INTO a VALUES (?, ?, ?)`, i*7919%900, kind, fmt.Sprint(kind, i, strings.Repeat("-"+kind, length/7)))
	}
	run(`DELETE FROM a WHERE kind = 'secret'`)
	run(`INSERT INTO a SELECT id + 5000, 'kept', substr(text, 1, length(text) / 2) FROM a WHERE id % 3 = 0`)
	return path, db
}

func TestWhatADatabaseDoesNotUseIsOverwritten(t *testing.T) {
	for _, size := range []int{512, 4096, 65536} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			path, db := remnants(t, fmt.Sprintf("PRAGMA page_size = %d", size))
			sum := func() (n, bytes int64) {
				t.Helper()
				var sound string
				if err := db.QueryRow(`SELECT count(*), sum(length(text)), (SELECT * FROM pragma_integrity_check) FROM a WHERE text LIKE 'kept%kept'`).Scan(&n, &bytes, &sound); err != nil || sound != "ok" {
					t.Fatalf("%s, %v", sound, err)
				}
				return n, bytes
			}
			rows, length := sum()
			if data, err := os.ReadFile(path); err != nil || bytes.Count(data, []byte("secret")) < 100 {
				t.Fatalf("the test has nothing to overwrite: %v", err)
			}
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			n, err := erase.Wipe(t.Context(), f)
			if err != nil || n < 10_000 {
				t.Fatalf("%d bytes overwritten, %v", n, err)
			}
			if again, err := erase.Wipe(t.Context(), f); err != nil || again != 0 {
				t.Errorf("%d bytes overwritten the second time, %v", again, err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			// A piece of three bytes or less between cells says nothing.
			for _, piece := range []string{"secr", "ecre", "cret"} {
				if i := bytes.Index(data, []byte(piece)); i >= 0 {
					t.Errorf("at %d: %q", i, data[max(0, i-20):i+20])
				}
			}
			if _, err := db.Exec(`PRAGMA shrink_memory`); err != nil {
				t.Fatal(err)
			}
			if r, l := sum(); r != rows || l != length {
				t.Errorf("%d rows of %d bytes, want %d of %d", r, l, rows, length)
			}
		})
	}
}

func TestPagesOfAnotherFormAreLeftAlone(t *testing.T) {
	moving, _ := remnants(t, "PRAGMA auto_vacuum = FULL")
	damaged, db := remnants(t, "PRAGMA page_size = 4096")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	data[4096] = 0x77
	if err := os.WriteFile(damaged, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{moving, damaged} {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := erase.Wipe(t.Context(), f); !errors.Is(err, erase.ErrPages) {
			t.Errorf("%v", err)
		}
		f.Close()
	}
}

// A text that was deleted before anything was overwritten, and copies of it that SQLite
// left where it moved rows, go with the next purge, and the file is not written anew.
func TestAPurgeLeavesNothingInFreeSpace(t *testing.T) {
	st, _ := secretStore(t)
	db := storetest.DB(t, st.Path())
	for _, query := range []string{
		`PRAGMA secure_delete = OFF`,
		`CREATE TABLE old (id INTEGER PRIMARY KEY, text TEXT)`,
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
			INSERT INTO old SELECT (i * 97) % 60, replace(hex(zeroblob(i * 12)), '00', 'gnu-veldt ') FROM n`,
		`DELETE FROM old WHERE id > 3`,
		`PRAGMA wal_checkpoint(TRUNCATE)`,
	} {
		if _, err := db.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec(`UPDATE old SET text = 'short'`); err != nil {
		t.Fatal(err)
	}
	if len(fileHolds(t, st.Path(), "gnu-veldt")) == 0 {
		t.Fatal("the test has nothing to overwrite")
	}
	c, err := st.Eraser.Choose(t.Context(), erase.Selection{Entries: []string{"aaaa0001"}})
	if err != nil {
		t.Fatal(err)
	}
	traces, err := st.Eraser.Purge(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var pages, after int64
	page := func(to *int64) {
		t.Helper()
		if err := db.QueryRow(`SELECT page_count FROM pragma_page_count`).Scan(to); err != nil {
			t.Fatal(err)
		}
	}
	page(&pages)
	if left, err := st.Eraser.Scrub(t.Context(), traces); err != nil || len(left.Files) > 0 || left.Words > 0 {
		t.Errorf("%+v, %v", left, err)
	}
	if page(&after); after < pages {
		t.Errorf("%d pages of %d are left: it was rewritten, and the test shows nothing", after, pages)
	}
	if found := fileHolds(t, st.Path(), "gnu-veldt", "eldt gnu"); len(found) > 0 {
		t.Error(found)
	}
	if found, err := st.Health.Examine(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}
