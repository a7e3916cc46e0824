package repo

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// Others share the directory for temporary files, and other runs are under way.
func TestOnlyWhatAKilledProcessLeftLongAgoIsDeleted(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	t.Setenv("TMPDIR", dir)
	long := time.Now().Add(-48 * time.Hour)
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.MkdirAll(filepath.Join(at(leftPrefix+"dir"), "left by a model"), 0o700),
		os.Mkdir(at(leftPrefix+"running"), 0o700), os.Mkdir(at("pictx-of-others"), 0o700), os.Mkdir(outside, 0o700),
		os.WriteFile(at(leftPrefix+"file"), []byte("a session"), 0o600), os.Symlink(outside, at(leftPrefix+"link")),
		os.Chtimes(at(leftPrefix+"dir"), long, long), os.Chtimes(at(leftPrefix+"file"), long, long),
		os.Chtimes(at("pictx-of-others"), long, long), os.Chtimes(outside, long, long),
	); err != nil {
		t.Fatal(err)
	}
	_, remove, err := EmptyDir()
	must.Do(t, err)
	remove()
	for path, want := range map[string]bool{
		at(leftPrefix + "dir"): false, at(leftPrefix + "file"): false, at(leftPrefix + "running"): true,
		at(leftPrefix + "link"): true, at("pictx-of-others"): true, outside: true,
	} {
		_, err := os.Lstat(path)
		must.Not(t, (err == nil) != want, "%s: %v, want that it is there: %v", path, err, want)
	}
}
