package sqlite_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
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
	must.Get(storetest.DB(t, path).Exec(`PRAGMA user_version = 16`))(t)
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

// Holds history 71.
func TestOlderStoreIsRefusedSetAsideAndMadeAgain(t *testing.T) {
	path, want := olderStore(t)
	for _, mode := range []sqlite.Mode{sqlite.Read, sqlite.Write, sqlite.Hook} {
		if _, err := store.Open(t.Context(), path, mode, time.Now); !errors.Is(err, sqlite.ErrOlder) {
			t.Errorf("mode %d: %v", mode, err)
		}
	}
	for _, name := range []string{".schema-16.bak", ".schema-16-2.bak"} { // the second does not overwrite the first
		kept, err := sqlite.SetAside(t.Context(), path, time.Now)
		if err != nil || kept != path+name {
			t.Fatalf("%s, %v", kept, err)
		}
		st := storetest.Open(t, path, sqlite.Write)
		for _, f := range storetest.Sessions(t) {
			storetest.Ingest(t, st, f)
		}
		must.Match(t, storetest.Answers(t, st), want, "(-before +made again)")
		if found, err := st.Examine(t.Context()); err != nil || len(found) > 0 {
			t.Errorf("%+v, %v", found, err)
		}
		st.Close()
		wantWhole(t, path+".schema-16.bak")
		must.Get(storetest.DB(t, path).Exec(`PRAGMA user_version = 16`))(t)
	}
}

// Holds history 72.
func TestOfManyProcessesOneSetsTheStoreAside(t *testing.T) {
	path, _ := olderStore(t)
	done := make(chan string, 8)
	var all sync.WaitGroup
	for range cap(done) {
		all.Go(func() {
			kept, err := sqlite.SetAside(t.Context(), path, time.Now)
			if err != nil {
				t.Error(err)
			}
			if kept != "" {
				done <- kept
			}
		})
	}
	all.Wait()
	if len(done) != 1 {
		t.Fatalf("set aside %d times", len(done))
	}
	wantWhole(t, <-done)
}

// asideEnv makes TestSetAsideThatIsKilledLosesNothing act as the process to be killed. Its value is
// the store.
const asideEnv = "PICTX_TEST_ASIDE"

// Holds history 72.
func TestSetAsideThatIsKilledLosesNothing(t *testing.T) {
	if path := os.Getenv(asideEnv); path != "" {
		must.Get(sqlite.SetAside(t.Context(), path, time.Now))(t)
		return
	}
	older, _ := olderStore(t)
	for after := 10 * time.Millisecond; ; after += after / 4 {
		path := storetest.Copy(t, older)
		ctx, kill := context.WithTimeout(t.Context(), after)
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), asideEnv+"="+path, "TMPDIR="+t.TempDir())
		ended := cmd.Run() == nil
		kill()
		again, err := sqlite.SetAside(t.Context(), path, time.Now)
		if err != nil {
			t.Fatalf("killed after %v: %v", after, err)
		}
		if again == "" { // the first one had it done
			again = path + ".schema-16.bak"
		}
		wantWhole(t, again)
		st := storetest.Open(t, path, sqlite.Write)
		if n := storetest.Ingest(t, st, storetest.Sessions(t)[0]).Added; n == 0 {
			t.Errorf("killed after %v: nothing is stored again", after)
		}
		if ended {
			return
		}
	}
}
