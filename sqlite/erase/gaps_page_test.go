package erase

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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

// Wherever SQLite leaves bytes of deleted rows, the search of unused bytes finds them: it
// succeeds whenever a search of the whole file does.
func TestUnusedBytesHoldWhateverTheWholeFileHoldsOfDeletedRows(t *testing.T) {
	left, clean := 0, 0
	sizes, seeds := []int{512, 4096}, []uint64{0, 1}
	if testing.Short() { // the whole file is read twice for each text
		sizes, seeds = sizes[1:], seeds[1:]
	}
	for _, pageSize := range sizes {
		for _, seed := range seeds {
			path := filepath.Join(t.TempDir(), "x.db")
			gone := churned(t, path, seed, pageSize)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range gone[:80] {
				f := (&Traces{plain: []string{text}}).finder(nil)
				found, err := f.inGaps(bytes.NewReader(data))
				if err != nil {
					t.Fatal(err)
				}
				if whole := f.in(data); whole != found {
					t.Fatalf("pages of %d, seed %d: in unused bytes %t, in the file %t", pageSize, seed, found, whole)
				}
				if found {
					left++
				} else {
					clean++
				}
			}
		}
	}
	if left == 0 || clean == 0 {
		t.Errorf("of %d deleted texts %d are left: the test shows nothing", left+clean, left)
	}
}

// The search covers the parts of a page that the file format leaves unused: the bytes
// before the first row, freed blocks between rows, and all of a page that belongs to no
// table or index.
func TestEachKindOfPageIsSearchedWhereItHasNoRows(t *testing.T) {
	const secret = "xylophone9quagmire5432-and-more"
	const size = 4096
	f := (&Traces{plain: []string{secret}}).finder(nil)
	table := func(at int) []byte { // one row at the end of the page, 100 freed bytes before it
		page := make([]byte, size)
		page[0] = 13
		page[1], page[2] = 3000>>8, 3000&255 // the first freed block
		page[4] = 1
		page[5], page[6] = 3000>>8, 3000&255 // the start of the rows
		page[8], page[9] = 4000>>8, 4000&255
		page[3002], page[3003] = 100>>8, 100
		if at >= 0 {
			copy(page[at:], secret)
		}
		return page
	}
	for name, c := range map[string]struct {
		page []byte
		want bool
	}{
		"below the first row":            {table(2000), true},
		"in a freed place":               {table(3020), true},
		"in a row":                       {table(4010), false},
		"nothing":                        {table(-1), false},
		"a page of the free list":        {append(make([]byte, 8), append([]byte(secret), make([]byte, size-8-len(secret))...)...), true},
		"a freed place in a circle":      {func() []byte { p := table(3020); p[3000], p[3001] = 3000>>8, 3000&255; return p }(), true},
		"a freed place that is too long": {func() []byte { p := table(4010); p[3002] = 255; return p }(), true},
	} {
		head := make([]byte, size)
		copy(head, "SQLite format 3\x00")
		head[16] = size >> 8
		head[100] = 13
		head[105], head[106] = size>>8, 0
		found, err := f.inGaps(io.MultiReader(bytes.NewReader(head), bytes.NewReader(c.page)))
		if err != nil || found != c.want {
			t.Errorf("%s: found %t, want %t; %v", name, found, c.want, err)
		}
	}
}
