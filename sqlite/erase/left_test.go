package erase_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
)

// Indexes store words in lower case and without accents, so a masked word is searched for
// in that form too.
func TestAMaskedWordIsLookedForAsTheIndexesHaveIt(t *testing.T) {
	for _, secret := range []string{"ПАРОЛЬКВАГМИР", "GEHEIMNISTRÄGERÄÖÜ"} {
		for _, left := range []bool{false, true} {
			st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
			storetest.Ingest(t, st, storetest.Recorded(t, "notes-1.5.jsonl"))
			storetest.Ingest(t, st, storetest.Session(t, "keeper", "it is "+secret+" here"))
			must.Do(t, st.Checkpoint(t.Context()))
			path, word := st.Path(), history.Words(secret)[0]
			if left {
				st.Close()
				leave(t, path, []byte("\x01\x0d"+word[len(word)/2:]+"\x02"))
				st = storetest.Open(t, path, sqlite.Write)
			}
			re := regexp.MustCompile(secret)
			c, err := st.Eraser.Choose(t.Context(), erase.Selection{Match: re})
			if err != nil || c.Entries != 1 {
				t.Fatalf("%+v, %v", c, err)
			}
			must.Do(t, st.Eraser.Redact(t.Context(), c, re))
			if r, err := st.Eraser.Scrub(t.Context()); err != nil || len(r.Files) > 0 {
				t.Errorf("%+v, %v", r, err)
			}
			if found := fileHolds(t, path, word[len(word)/2:]); len(found) > 0 {
				t.Errorf("left %t: %v", left, found)
			}
		}
	}
}

// A log that another process reads cannot be truncated, and the database lacks what only
// the log has. Remains in either are reported.
func TestALogThatCannotBeEmptiedIsReadWithTheDatabase(t *testing.T) {
	st, _ := secretStoreWith(t, storetest.Recorded(t, "notes-1.5.jsonl"))
	path := st.Path()
	st.Close()
	st = storetest.Open(t, path, sqlite.Hook) // a hook waits for nobody
	other := storetest.DB(t, path)
	must.Get(other.Exec(`INSERT INTO pins VALUES ('keeper', 'src/**', 1, 'because of xylophone9quagmire', 1)`))(t)
	re := regexp.MustCompile(`(?i)xylophone9\w+`)
	c := must.Get(st.Eraser.Choose(t.Context(), erase.Selection{Match: re}))(t)
	must.Do(t, st.Eraser.Redact(t.Context(), c, re))
	conn := must.Get(other.Conn(t.Context()))(t)
	defer conn.Close()
	for _, sql := range []string{`BEGIN`, `SELECT count(*) FROM pins`} {
		must.Get(conn.ExecContext(t.Context(), sql))(t)
	}
	for _, file := range []string{path, path + "-wal"} {
		if data, err := os.ReadFile(file); err != nil || !bytes.Contains(data, []byte("xylophone9quagmire")) {
			t.Fatalf("%s does not hold it to begin with: %v", file, err)
		}
	}
	r, err := st.Eraser.Scrub(t.Context())
	if err != nil || !slices.Equal(r.Files, []string{path, path + "-wal"}) {
		t.Errorf("%+v, %v", r, err)
	}
	must.Get(conn.ExecContext(context.WithoutCancel(t.Context()), `COMMIT`))(t)
	if n := storetest.Count(t, other, `SELECT count(*) FROM meta WHERE key = '`+erase.Unscrubbed+`'`); n != 1 {
		t.Error("it is not noted that something is left")
	}
	must.Get(st.Eraser.Vacuum(t.Context()))(t)
	if found := fileHolds(t, path, "xylophone9quagmire"); len(found) > 0 {
		t.Error(found)
	}
}

// leave writes bytes into an unused part of a page, as SQLite leaves them when it moves
// rows.
func leave(t *testing.T, path string, left []byte) {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	size := int(binary.BigEndian.Uint16(data[16:]))
	for at := size; at < len(data); at += size {
		rows, first := int(binary.BigEndian.Uint16(data[at+3:])), int(binary.BigEndian.Uint16(data[at+5:]))
		if data[at] == 13 && first-8-2*rows > len(left)+8 {
			copy(data[at+first-len(left):], left)
			must.Do(t, os.WriteFile(path, data, 0o600))
			return
		}
	}
	t.Fatal("no page has room")
}
