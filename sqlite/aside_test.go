package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// olderStore returns a store with the recorded sessions, marked as an older schema. Its
// last writer was a hook, so part of it is only in the log.
func olderStore(t *testing.T) (path, answered string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.db")
	st := storetest.Open(t, path, sqlite.Write)
	for _, f := range storetest.Sessions(t) {
		storetest.Ingest(t, st, f)
	}
	answered = storetest.Answers(t, st)
	st.Close()
	hook := storetest.Open(t, path, sqlite.Hook)
	must.Do(t, hook.Marks.AddPin(t.Context(), "s", prune.Pin{Target: "src/*.ts", IsPath: true, Reason: "kept", Time: 1}))
	hook.Close()
	must.Get(storetest.DB(t, path).Exec(`PRAGMA user_version = 9`))(t)
	return path, answered
}

// wantWhole checks that an older store is complete.
func wantWhole(t *testing.T, path string) {
	t.Helper()
	db := storetest.DB(t, path)
	entries := 0
	for _, f := range storetest.Sessions(t) {
		s := must.Get(pi.Open(f))(t)
		entries += len(s.Nodes)
		s.Close()
	}
	if n := storetest.Count(t, db, `SELECT count(*) FROM messages`); n != entries {
		t.Errorf("%s has %d entries of %d", filepath.Base(path), n, entries)
	}
	if n := storetest.Count(t, db, `SELECT count(*) FROM pins`); n != 1 {
		t.Errorf("%s has %d pins", filepath.Base(path), n)
	}
}

func TestCopiesThatKilledProcessesLeftAreRemovedByTheNext(t *testing.T) {
	t.Parallel()
	path, _ := olderStore(t)
	left, made := path+".copy-1", path+".copy-2"
	for _, file := range []string{left, made} {
		must.Do(t, os.WriteFile(file, []byte("a part"), 0o600))
	}
	long := time.Now().Add(-2 * time.Hour)
	must.Do(t, os.Chtimes(left, long, long))
	must.Get(sqlite.SetAside(t.Context(), path, time.Now))(t)
	if found, err := filepath.Glob(path + ".copy-*"); err != nil || len(found) != 1 || found[0] != made {
		t.Errorf("%v, %v: want only %s, which may be being made", found, err, made)
	}
}

// Holds history 71.
func TestOlderStoreIsRefusedSetAsideAndMadeAgain(t *testing.T) {
	path, want := olderStore(t)
	for _, mode := range []sqlite.Mode{sqlite.Read, sqlite.Write, sqlite.Hook} {
		if _, err := store.Open(t.Context(), path, mode, time.Now); !errors.Is(err, sqlite.ErrOlder) {
			t.Errorf("mode %d: %v", mode, err)
		}
	}
	aside, err := sqlite.SetAside(t.Context(), path, time.Now)
	if err != nil || aside == nil || aside.Path != path+".schema-9.bak" || aside.Schema != 9 {
		t.Fatalf("%+v, %v", aside, err)
	}
	wantWhole(t, aside.Path)
	st := storetest.Open(t, path, sqlite.Write)
	for _, f := range storetest.Sessions(t) {
		storetest.Ingest(t, st, f)
	}
	must.Match(t, storetest.Answers(t, st), want, "(-before +made again)")
	if found, err := st.Examine(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
	st.Close()

	// The next copy does not overwrite the first.
	must.Get(storetest.DB(t, path).Exec(`PRAGMA user_version = 9`))(t)
	second, err := sqlite.SetAside(t.Context(), path, time.Now)
	if err != nil || second == nil || second.Path == aside.Path {
		t.Fatalf("%+v, %v", second, err)
	}
	wantWhole(t, aside.Path)
}

// Holds history 72.
func TestOfManyProcessesOneSetsTheStoreAside(t *testing.T) {
	path, _ := olderStore(t)
	var mu sync.Mutex
	var done []string
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			aside, err := sqlite.SetAside(t.Context(), path, time.Now)
			if err != nil {
				t.Error(err)
			}
			if aside != nil {
				mu.Lock()
				defer mu.Unlock()
				done = append(done, aside.Path)
			}
		})
	}
	all.Wait()
	if len(done) != 1 {
		t.Fatalf("set aside as %s", strings.Join(done, ", "))
	}
	wantWhole(t, done[0])
}
