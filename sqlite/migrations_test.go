package sqlite_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
)

// Stores are made by it and by what follows: changed, it would make others than those that exist
// under its number.
func TestAReleasedMigrationNeverChanges(t *testing.T) {
	released := []string{"17 baf208a2581c"}
	var now []string
	first := sqlite.SchemaVersion() + 1 - len(sqlite.Migrations())
	for i, m := range sqlite.Migrations() {
		now = append(now, fmt.Sprintf("%d %.6x", first+i, sha256.Sum256([]byte(m))))
	}
	if !slices.Equal(now, released) {
		t.Errorf("the migrations are %q, and were %q: append another instead, and its sum here", now, released)
	}
}

// Holds history 71.
func TestStoreOfAReleaseIsMigratedByTheNextWhoeverOpensIt(t *testing.T) {
	for _, mode := range []sqlite.Mode{sqlite.Read, sqlite.Write, sqlite.Hook} {
		path := filepath.Join(t.TempDir(), "x.db")
		st := storetest.Open(t, path, sqlite.Write)
		storetest.Ingest(t, st, storetest.Sessions(t)[0])
		want := storetest.Answers(t, st)
		st.Close()
		const first, second = `ALTER TABLE pins ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'`, `UPDATE pins SET colour = 'blue'; CREATE TABLE tones (tone TEXT)`
		if _, err := sqlite.OpenAfter(t.Context(), path, mode, first, "nonsense"); err == nil {
			t.Fatal("a migration that fails is no error")
		}
		for _, at := range []struct {
			later  []string
			before int
		}{{[]string{first}, 0}, {[]string{first, second}, 1}, {[]string{first, second}, 2}} {
			if v := storetest.Count(t, storetest.DB(t, path), `PRAGMA user_version`); v != sqlite.SchemaVersion()+at.before {
				t.Fatalf("mode %d: schema %d before %q", mode, v, at.later)
			}
			db := must.Get(sqlite.OpenAfter(t.Context(), path, mode, at.later...))(t)
			must.Do(t, db.GetContext(t.Context(), new(int), `SELECT count(colour) FROM pins`))
			db.Close()
		}
		if _, err := sqlite.Open(t.Context(), path, sqlite.Write, time.Now); !errors.Is(err, sqlite.ErrNewer) {
			t.Errorf("mode %d: a program without them says %v", mode, err)
		}
		before := must.Get(os.ReadFile(path))(t)
		old := storetest.Open(t, path, sqlite.Read)
		must.Match(t, storetest.Answers(t, old), want, "(-before +read by the older program)")
		old.Close()
		if !slices.Equal(before, must.Get(os.ReadFile(path))(t)) {
			t.Error("the older program changed the store")
		}
	}
}
