//go:build unix

package sqlite_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
)

func TestWhatASchemaNamesIsNotTrusted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	for _, mode := range []sqlite.Mode{sqlite.Write, sqlite.Hook, sqlite.Read} { // Read: restoring reads a backup
		d := must.Get(sqlite.Open(t.Context(), path, mode, time.Now))(t)
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
	must.Do(t, os.Symlink(target, path))
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

// Whoever may write beside the store could put a database there that shows everything to
// them, and what it claims to the model.
func TestAStoreOfAnotherUserIsNotWritten(t *testing.T) {
	const user, another = 65534, 4711
	if dir := os.Getenv("PICTX_TEST_STORES"); dir != "" {
		openStoresOf(t, dir)
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	dir := must.Get(os.MkdirTemp("", "pictx-owner-"))(t) // t.TempDir is closed to the other user
	t.Cleanup(func() { os.RemoveAll(dir) })
	program, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(dir, "test"), program, 0o700), os.Chown(dir, user, user), os.Chown(filepath.Join(dir, "test"), user, user))
	}
	for name, owner := range map[string]int{"own": user, "root": 0, "another": another} {
		file := filepath.Join(dir, name+".db")
		err = errors.Join(err, os.WriteFile(file, nil, 0o600), os.Chmod(file, 0o666), os.Chown(file, owner, owner))
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "test"), "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PICTX_TEST_STORES="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
}

// openStoresOf opens the stores that the test above has made, as their user.
func openStoresOf(t *testing.T, dir string) {
	for name, refused := range map[string]bool{"own": false, "root": false, "another": true} {
		for _, mode := range []sqlite.Mode{sqlite.Write, sqlite.Hook} {
			d, err := sqlite.Open(t.Context(), filepath.Join(dir, name+".db"), mode, time.Now)
			if err == nil {
				d.Close()
			}
			if refused != (err != nil) || refused && !strings.Contains(err.Error(), "belongs to another user") {
				t.Errorf("the store of %s, mode %v: %v", name, mode, err)
			}
		}
	}
}
