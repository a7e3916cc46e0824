package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// Whoever made a backup chose its schema, which would go on acting in the store.
func TestABackupWhoseSchemaActsByItselfIsNotRestored(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]string{
		"trigger 'x'": `CREATE TRIGGER x AFTER INSERT ON messages BEGIN DELETE FROM pins; END`,
		"view 'x'":    `CREATE VIEW x AS SELECT * FROM meta`,
	} {
		dir := t.TempDir()
		path, backup := filepath.Join(dir, "x.db"), filepath.Join(dir, "backup.db")
		st := opened(t, path, sqlite.Write)
		must.Do(t, st.Backup(t.Context(), backup))
		if _, err := sqlite.Restore(t.Context(), backup, filepath.Join(dir, "sound.db"), time.Now); err != nil {
			t.Errorf("as it was made: %v", err)
		}
		must.Get(opened(t, backup, sqlite.Write).Exec(change))(t)
		to := filepath.Join(dir, "to.db")
		if _, err := sqlite.Restore(t.Context(), backup, to, time.Now); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("with a %s: %v", what, err)
		}
		if _, err := os.Lstat(to); err == nil {
			t.Errorf("with a %s it is there", what)
		}
	}
}

// restored restores a backup of an empty store over a store while what runs beside it uses that.
// It returns the paths of the previous stores that were kept.
func restored(t *testing.T, times int, now func() time.Time, beside ...func(path string) error) (path string, kept []string) {
	t.Helper()
	dir := t.TempDir()
	path, backup := filepath.Join(dir, "x.db"), filepath.Join(dir, "backup.db")
	st := storetest.Open(t, path, sqlite.Write)
	must.Do(t, st.Backup(t.Context(), backup))
	must.Do(t, st.Marks.AddPin(t.Context(), "s", prune.Pin{Target: "src/*.ts", IsPath: true, Reason: "only here", Time: 1}))
	st.Close()
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for _, use := range beside {
		all.Go(func() {
			for ctx.Err() == nil {
				if err := use(path); err != nil && !errors.Is(err, sqlite.ErrBusy) {
					t.Error(err)
					return
				}
			}
		})
	}
	for range times {
		name, err := sqlite.Restore(t.Context(), backup, path, now)
		must.Do(t, err)
		kept = append(kept, name)
	}
	stop()
	all.Wait()
	return path, kept
}

func TestARestoreDoesNotDamageAStoreThatOthersUse(t *testing.T) {
	used := func(mode sqlite.Mode) func(string) error {
		return func(path string) error {
			st, err := store.Open(context.Background(), path, mode, time.Now)
			if err != nil {
				return err
			}
			if mode == sqlite.Read {
				_, err = st.Stats(context.Background())
			} else {
				err = st.SeenFrom(context.Background(), "k", "/r")
			}
			return errors.Join(err, st.Close())
		}
	}
	path, _ := restored(t, 20, time.Now, used(sqlite.Read), used(sqlite.Read), used(sqlite.Write), used(sqlite.Hook))
	db := opened(t, path, sqlite.Write)
	if found, err := db.Problems(t.Context()); err != nil || len(found) > 0 {
		t.Error(found, err)
	}
}

func TestEveryStoreThatARestoreReplacesIsKept(t *testing.T) {
	noon := func() time.Time { return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC) }
	_, kept := restored(t, 3, noon)
	if slices.Sort(kept); len(slices.Compact(slices.Clone(kept))) != 3 {
		t.Fatalf("kept as %q", kept)
	}
	pins := 0
	for _, k := range kept {
		pins += storetest.Count(t, storetest.DB(t, k), `SELECT count(*) FROM pins`)
	}
	if pins != 1 {
		t.Errorf("the pin is in %d of the stores that were kept", pins)
	}
}
