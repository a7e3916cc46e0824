package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// Holds history 5, 6.
func TestEveryLineOfASessionComesBackByteForByte(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	for _, file := range storetest.Sessions(t) {
		rep := storetest.Ingest(t, st, file)
		s := must.Get(pi.Open(file))(t)
		if rep.Added != len(s.Nodes) || len(rep.Problems) > 0 {
			t.Errorf("%s: added %d of %d entries, problems %v", file, rep.Added, len(s.Nodes), rep.Problems)
		}
		for i := range s.Nodes {
			n := &s.Nodes[i]
			if n.Type == message.EntrySession {
				continue
			}
			want := must.Get(s.Line(n))(t)
			x, err := history.Expand(t.Context(), st.Search, n.ID, []string{s.Header.ID})
			if err != nil {
				t.Fatalf("%s %s: %v", file, n.ID, err)
			}
			if !bytes.Equal(x.Raw, want) {
				t.Fatalf("%s %s: the stored line differs", file, n.ID)
			}
		}
		s.Close()
	}
}

// Holds history 1.
func TestIngestingAgainAddsNothingAndChangesNoRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	st := storetest.Open(t, path, sqlite.Write)
	rows := func() string {
		var b strings.Builder
		rs := must.Get(storetest.DB(t, path).Query(`SELECT id, entry_id, content FROM messages ORDER BY id`))(t)
		defer rs.Close()
		for rs.Next() {
			var id, content int
			var entry string
			must.Do(t, rs.Scan(&id, &entry, &content))
			fmt.Fprintln(&b, id, entry, content)
		}
		return b.String()
	}
	for _, file := range storetest.Sessions(t) {
		storetest.Ingest(t, st, file)
	}
	before := rows()
	for _, file := range storetest.Sessions(t) {
		// A copy is a different file with the same session: it is read in full.
		copied := filepath.Join(t.TempDir(), filepath.Base(file))
		data := must.Get(os.ReadFile(file))(t)
		must.Do(t, os.WriteFile(copied, data, 0o600))
		if rep := storetest.Ingest(t, st, file); !rep.Unchanged || rep.Added != 0 {
			t.Errorf("%s again: %+v", file, rep)
		}
		if rep := storetest.Ingest(t, st, copied); rep.Entries == 0 || rep.Added != 0 {
			t.Errorf("copy of %s: %+v", file, rep)
		}
	}
	if after := rows(); after != before {
		t.Error("rows changed")
	}
}

// Holds history 11.
func TestForkSharesTheTextItHasInCommon(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	st := storetest.Open(t, path, sqlite.Write)
	main := storetest.Ingest(t, st, storetest.Recorded(t, "shop-main.jsonl"))
	fork := storetest.Ingest(t, st, storetest.Recorded(t, "shop-fork.jsonl"))
	db := storetest.DB(t, path)
	if got, want := storetest.Count(t, db, `SELECT count(*) FROM messages`), main.Added+fork.Added; got != want {
		t.Errorf("%d rows, want the entries of both, %d", got, want)
	}
	shared := storetest.Count(t, db, `SELECT count(*) FROM (SELECT content FROM messages GROUP BY content HAVING count(*) > 1)`)
	if shared < 50 {
		t.Errorf("only %d texts are shared", shared)
	}
	if n := storetest.Count(t, db, `SELECT count(*) FROM content`); n != main.Added+fork.Added-shared {
		t.Errorf("%d texts for %d entries of which %d are shared", n, main.Added+fork.Added, shared)
	}
}

func TestManyWritersOnOneStoreLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	dir := t.TempDir()
	const writers, messages = 4, 40
	var files []string
	for i := range writers {
		f := filepath.Join(dir, fmt.Sprintf("s%d.jsonl", i))
		storetest.WriteSession(t, f, messages, 300)
		files = append(files, f)
	}
	var wg sync.WaitGroup
	errs := make(chan error, 2*writers)
	for i := range 2 * writers { // two writers per file
		wg.Go(func() {
			st, err := store.Open(context.Background(), path, sqlite.Write, time.Now)
			if err != nil {
				errs <- err
				return
			}
			defer st.Close()
			if _, err := history.Ingest(context.Background(), st.Entries, pi.File{Path: files[i%writers]}, history.Options{}); err != nil {
				errs <- err
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	db := storetest.DB(t, path)
	must.Equal(t, storetest.Count(t, db, `SELECT count(*) FROM messages`), writers*(messages+1), "rows")
	st := storetest.Open(t, path, sqlite.Read)
	h, err := st.Check(t.Context(), false)
	if err != nil || len(h.Problems) > 0 {
		t.Errorf("check: %v %v", h.Problems, err)
	}
}

// Holds history 73.
func TestStoreIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agent", "pictx")
	path := filepath.Join(dir, "x.db")
	st := storetest.Open(t, path, sqlite.Write)
	storetest.Ingest(t, st, storetest.Sessions(t)[0])
	for file, want := range map[string]os.FileMode{dir: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600} {
		info := must.Get(os.Stat(file))(t)
		must.Equal(t, info.Mode().Perm(), want, "%s has mode", filepath.Base(file))
	}
}

// Holds history 71.
func TestNewerStoreIsReadAndNotWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	st := storetest.Open(t, path, sqlite.Write)
	storetest.Ingest(t, st, storetest.Sessions(t)[0])
	st.Close()
	must.Get(storetest.DB(t, path).Exec(`PRAGMA user_version = 99`))(t)
	before := must.Get(os.ReadFile(path))(t)
	for _, mode := range []sqlite.Mode{sqlite.Write, sqlite.Hook} {
		if _, err := store.Open(t.Context(), path, mode, time.Now); !errors.Is(err, sqlite.ErrNewer) {
			t.Errorf("mode %d: %v", mode, err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the store was changed: %v", err)
	}
	res, err := history.Search(t.Context(), storetest.Open(t, path, sqlite.Read).Search, history.Query{Text: "the"})
	if err != nil || len(res.Hits) == 0 {
		t.Errorf("reading: %d hits, %v", len(res.Hits), err)
	}
}

func TestHookMakesAStoreAndLeavesTheLogToCommands(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	file := filepath.Join(t.TempDir(), "large.jsonl")
	storetest.WriteSession(t, file, 6000, 1000) // more than SQLite's own checkpoint would leave
	st := storetest.Open(t, path, sqlite.Hook)
	storetest.Ingest(t, st, file)
	st.Close()
	wal, err := os.Stat(path + "-wal")
	if err != nil || wal.Size() < 4<<20 {
		t.Errorf("the hook checkpointed: %v", err)
	}
	if db, err := os.Stat(path); err != nil || db.Size() > 1<<20 {
		t.Errorf("the hook wrote %d bytes into the database, %v", db.Size(), err)
	}
	st = storetest.Open(t, path, sqlite.Write)
	must.Do(t, st.Checkpoint(t.Context()))
	if wal, err := os.Stat(path + "-wal"); err != nil || wal.Size() != 0 {
		t.Errorf("after a checkpoint the log has %d bytes, %v", wal.Size(), err)
	}
}

func TestFileThatIsNotADatabaseIsReported(t *testing.T) {
	for name, data := range map[string]string{
		"text":      strings.Repeat("this is no database\n", 500),
		"cut short": "SQLite format 3\x00" + strings.Repeat("\x10", 200),
	} {
		path := filepath.Join(t.TempDir(), "x.db")
		must.Do(t, os.WriteFile(path, []byte(data), 0o600))
		for _, mode := range []sqlite.Mode{sqlite.Read, sqlite.Write, sqlite.Hook} {
			if _, err := store.Open(t.Context(), path, mode, time.Now); !errors.Is(err, sqlite.ErrDamaged) {
				t.Errorf("%s, mode %d: %v", name, mode, err)
			}
		}
		if after, _ := os.ReadFile(path); string(after) != data {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

func TestThereIsNothingToReadBeforeTheFirstImport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent", "x.db")
	if _, err := store.Open(t.Context(), path, sqlite.Read, time.Now); !errors.Is(err, sqlite.ErrNoStore) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading made a directory: %v", err)
	}
}

func TestStoreMovesWithItsLogAndKeepsTheOneInItsWay(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")
	hook := storetest.Open(t, from, sqlite.Hook) // its data is only in the log
	added := storetest.Ingest(t, hook, storetest.Sessions(t)[0]).Added
	hook.Close()
	storetest.Open(t, to, sqlite.Write).Close()
	if _, stays, err := sqlite.Adopt(t.Context(), from, to, time.Now); err != nil || !stays { // the hook has it open
		t.Fatal(stays, err)
	}
	if n := storetest.Count(t, storetest.DB(t, to), `SELECT count(*) FROM messages`); n != added {
		t.Errorf("%d entries arrived of %d", n, added)
	}
	kept, err := filepath.Glob(to + ".*.bak")
	if err != nil || len(kept) != 1 {
		t.Errorf("the old store was not kept: %v %v", kept, err)
	}
}
