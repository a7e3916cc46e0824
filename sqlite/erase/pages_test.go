package erase

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/coctostan/pictx/sqlite" // registers the driver
)

// letters returns a text that occurs nowhere else.
func letters(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

// churned makes a database in which random rows were moved and deleted, and returns the
// deleted texts. Everything written has secure_delete on.
func churned(t *testing.T, path string, seed uint64, pageSize int) (gone []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	db, err := sql.Open("sqlite3", "file:"+path+"?_secure_delete=on&_journal_mode=WAL")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	do := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatal(query, err)
		}
	}
	do(fmt.Sprintf(`PRAGMA page_size = %d`, pageSize))
	do(`VACUUM`)
	do(`PRAGMA journal_mode = WAL`)
	do(`CREATE TABLE a (id INTEGER PRIMARY KEY, text TEXT)`)
	do(`CREATE INDEX a_text ON a (text)`)
	do(`CREATE TABLE b (key TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID`)
	live := make(map[int64]string)
	put := func() {
		id, size := r.Int64N(1<<40), 24+r.IntN(200)
		if r.IntN(6) == 0 {
			size = r.IntN(3 * min(pageSize, 4096))
		}
		text := letters(r, size)
		do(`INSERT OR REPLACE INTO a VALUES (?, ?)`, id, text)
		do(`INSERT OR REPLACE INTO b VALUES (?, ?)`, letters(r, 8)+text[:len(text)/2], text)
		live[id] = text
	}
	do(`BEGIN`)
	for range 300 {
		put()
	}
	do(`COMMIT`)
	for _, id := range slices.Sorted(maps.Keys(live))[:200] {
		text := live[id]
		do(`DELETE FROM a WHERE id = ?`, id)
		do(`DELETE FROM b WHERE text = ?`, text)
		delete(live, id)
		gone = append(gone, text)
		if r.IntN(4) == 0 {
			put()
		}
	}
	do(`PRAGMA wal_checkpoint(TRUNCATE)`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return gone
}

// rowsOf returns everything a database says.
func rowsOf(t *testing.T, db *sql.DB) string {
	t.Helper()
	var out strings.Builder
	for _, query := range []string{`PRAGMA integrity_check`, `SELECT id || text FROM a ORDER BY id`, `SELECT key || text FROM b ORDER BY key`} {
		rows, err := db.Query(query)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&out, text)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.HasPrefix(out.String(), "ok\n") {
		t.Fatal(out.String()[:200])
	}
	return out.String()
}

// pieces counts those of some texts of which the file has 15 consecutive bytes.
func pieces(t *testing.T, path string, texts []string) int {
	t.Helper()
	const size, step = 12, 4
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	of := make(map[string]int)
	for i, text := range texts {
		for at := 0; at+size <= len(text); at += step {
			of[text[at:at+size]] = i
		}
	}
	found := make(map[int]bool)
	for at := 0; at+size <= len(data); at++ {
		if i, has := of[string(data[at:at+size])]; has {
			found[i] = true
		}
	}
	return len(found)
}

// churnedDB is a database with remains of deleted rows, opened again.
func churnedDB(t *testing.T, seed uint64, pageSize int) (db *sql.DB, path string, gone []string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.db")
	gone = churned(t, path, seed, pageSize)
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, path, gone
}

// wipeFile wipes an idle database and returns in how many places.
func wipeFile(t *testing.T, db *sql.DB, path string) int {
	t.Helper()
	w, f, err := walked(t.Context(), db, path)
	if err == nil {
		err = errors.Join(w.overwrite(f), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return len(w.found)
}

// Wherever SQLite leaves bytes of deleted rows, they are overwritten, and nothing else is.
func TestWipingLeavesNothingOfDeletedRowsAndTheOthersAsTheyWere(t *testing.T) {
	left := 0
	for _, pageSize := range []int{512, 1024, 4096} {
		for seed := range uint64(2) {
			db, path, gone := churnedDB(t, seed, pageSize)
			before, n := rowsOf(t, db), pieces(t, path, gone)
			left += n
			wipeFile(t, db, path)
			if n := pieces(t, path, gone); n > 0 {
				t.Errorf("pages of %d, seed %d: of %d texts something is left", pageSize, seed, n)
			}
			again, err := sql.Open("sqlite3", "file:"+path)
			if err != nil {
				t.Fatal(err)
			}
			if after := rowsOf(t, again); after != before {
				t.Errorf("pages of %d, seed %d: the rows are others", pageSize, seed)
			}
			if n, err := Soiled(t.Context(), again, path); err != nil || n > 0 {
				t.Errorf("pages of %d, seed %d: %d pages are soiled, %v", pageSize, seed, n, err)
			}
			again.Close()
		}
	}
	if left < 10 {
		t.Errorf("of %d deleted texts something was left: the test shows little", left)
	}
}

// failing is a file whose writes fail after some.
type failing struct {
	*os.File
	left int
}

var errStopped = errors.New("stopped")

// WriteAt writes half of the bytes of the write that fails.
func (f *failing) WriteAt(b []byte, at int64) (int, error) {
	if f.left--; f.left < 0 {
		n, _ := f.File.WriteAt(b[:len(b)/2], at)
		return n, errStopped
	}
	return f.File.WriteAt(b, at)
}

// A process may be killed at any write, even in the middle of one.
func TestAWipeThatStoppedAnywhereHarmsNothingAndIsFinishedByAnother(t *testing.T) {
	stopped := 0
	for at := 0; ; at++ {
		db, path, gone := churnedDB(t, 1, 512)
		before := rowsOf(t, db)
		w, f, err := walked(t.Context(), db, path)
		if err != nil {
			t.Fatal(err)
		}
		err = w.overwrite(&failing{f, at})
		f.Close()
		if err == nil {
			break
		}
		if !errors.Is(err, errStopped) {
			t.Fatal(err)
		}
		stopped++
		db.Close()
		if db, err = sql.Open("sqlite3", "file:"+path); err != nil {
			t.Fatal(err)
		}
		if rowsOf(t, db) != before {
			t.Fatalf("stopped at write %d: the rows are others", at)
		}
		wipeFile(t, db, path)
		if n := pieces(t, path, gone); n > 0 {
			t.Errorf("stopped at write %d: of %d texts something is left", at, n)
		}
		db.Close()
		at += at / 8
	}
	if stopped < 5 {
		t.Errorf("stopped %d times: the test shows little", stopped)
	}
}

// pageOf returns a page of a file, by number.
func pageOf(data []byte, no uint32) []byte {
	size := uint32(binary.BigEndian.Uint16(data[16:]))
	return data[(no-1)*size : no*size]
}

// freeingDB is a database with a row on overflow pages, freed blocks, and free pages.
func freeingDB(t *testing.T) (db *sql.DB, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.db")
	db, err := sql.Open("sqlite3", "file:"+path+"?_secure_delete=on")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, query := range []string{
		`CREATE TABLE a (id INTEGER PRIMARY KEY, text TEXT)`, `CREATE TABLE b (key TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID`,
		`INSERT INTO a VALUES (1, 'first'), (2, printf('%.300c', 'x')), (3, 'last'), (4, printf('%.8370c', 'o') || 'the-end')`,
		`DELETE FROM a WHERE id = 2`,
		`CREATE TABLE c (text TEXT)`, `INSERT INTO c VALUES (printf('%.30000c', 'c'))`, `DROP TABLE c`,
	} {
		if _, err := db.Exec(query); err != nil {
			t.Fatal(query, err)
		}
	}
	return db, path
}

// aPage is the number of the page with the rows of table a.
const aPage = 2

func TestEveryKindOfUnusedByteIsWiped(t *testing.T) {
	const secret = "xylophone9quagmire"
	for name, at := range map[string]func(data []byte) []byte{
		"before the first row": func(data []byte) []byte { return pageOf(data, aPage)[200:] },
		"on the first page":    func(data []byte) []byte { return pageOf(data, 1)[900:] },
		"in a freed block": func(data []byte) []byte {
			page := pageOf(data, aPage)
			return page[binary.BigEndian.Uint16(page[1:])+4:]
		},
		"after the end of a long row": func(data []byte) []byte { return data[bytes.Index(data, []byte("the-end"))+7:] },
		"on a free page": func(data []byte) []byte {
			return pageOf(data, binary.BigEndian.Uint32(pageOf(data, binary.BigEndian.Uint32(data[32:]))[8:]))
		},
		"on a page of the list of them": func(data []byte) []byte { return pageOf(data, binary.BigEndian.Uint32(data[32:]))[4096-len(secret):] },
	} {
		db, path := freeingDB(t)
		before := rowsOf(t, db)
		wipeFile(t, db, path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		copy(at(data), secret)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if n := wipeFile(t, db, path); n != 1 {
			t.Errorf("%s: %d places", name, n)
		}
		if n := pieces(t, path, []string{secret}); n > 0 || rowsOf(t, db) != before {
			t.Errorf("%s: it is left, or the rows are others", name)
		}
	}
}

// What cannot be followed for certain is not touched.
func TestNothingIsWipedInAFileThatCannotBeFollowed(t *testing.T) {
	for name, damage := range map[string]func(data []byte) []byte{
		"a freed block in a circle": func(data []byte) []byte {
			page := pageOf(data, aPage)
			block := page[binary.BigEndian.Uint16(page[1:]):]
			copy(block, page[1:3])
			return data
		},
		"a freed block that is too long": func(data []byte) []byte {
			page := pageOf(data, aPage)
			page[binary.BigEndian.Uint16(page[1:])+2] = 255
			return data
		},
		"a row outside of its page":   func(data []byte) []byte { pageOf(data, aPage)[8] = 255; return data },
		"more rows than fit":          func(data []byte) []byte { pageOf(data, aPage)[3] = 255; return data },
		"a page of no known kind":     func(data []byte) []byte { pageOf(data, aPage)[0] = 7; return data },
		"a page that nothing has":     func(data []byte) []byte { data[31]++; return append(data, make([]byte, 4096)...) },
		"more pages than are counted": func(data []byte) []byte { return append(data, make([]byte, 4096)...) },
		"a page of two owners": func(data []byte) []byte {
			trunk := pageOf(data, binary.BigEndian.Uint32(data[32:]))
			binary.BigEndian.PutUint32(trunk[8:], aPage)
			return data
		},
		"pages that begin with others' numbers": func(data []byte) []byte { data[55] = 3; return data },
		"reserved bytes":                        func(data []byte) []byte { data[20] = 8; return data },
		"half of a page":                        func(data []byte) []byte { return data[:len(data)-2048] },
		"another header":                        func(data []byte) []byte { data[3] = 'x'; return data },
		"nothing":                               func([]byte) []byte { return nil },
	} {
		db, path := freeingDB(t)
		_ = rowsOf(t, db)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data = damage(data)
		if _, err := unusedPlaces(t.Context(), bytes.NewReader(data), int64(len(data)), []uint32{aPage, aPage + 1}); !errors.Is(err, errOtherFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
