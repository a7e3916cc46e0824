//go:build unix

package sqlite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/sqlite"
)

func TestWhatASchemaNamesIsNotTrusted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	for _, mode := range []sqlite.Mode{sqlite.Write, sqlite.Hook, sqlite.Read} { // Read: restoring reads a backup
		d, err := sqlite.Open(t.Context(), path, mode, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		var trusted bool
		if err := d.GetContext(t.Context(), &trusted, `PRAGMA trusted_schema`); err != nil || trusted {
			t.Errorf("mode %v: trusted: %v, %v", mode, trusted, err)
		}
		d.Close()
	}
}

// In a directory where others may write, the store may be replaced by a link.
func TestALinkInTheStoresPlaceIsNotFollowed(t *testing.T) {
	dir := t.TempDir()
	target, path := filepath.Join(dir, "elsewhere"), filepath.Join(dir, "store.db")
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []sqlite.Mode{sqlite.Read, sqlite.Write, sqlite.Hook} {
		d, err := sqlite.Open(t.Context(), path, mode, time.Now)
		if err == nil {
			d.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("mode %v: %v", mode, err)
		}
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("a store was made where the link leads")
	}
}
