//go:build unix

package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	_ "github.com/coctostan/pictx/commands" // what is built: a change of it must run these tests again
)

const (
	// fakeEnv names the directory of a fake: this test binary is then pictx.
	fakeEnv = "PICTX_E2E_FAKE"
	// patience is how long a test waits for what must come. It is a bound for
	// broken runs, not an expectation: machines may be slow.
	patience = 90 * time.Second
	root     = "../.."
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(fakeEnv); dir != "" {
		os.Exit(runFake(dir, os.Args[1:]))
	}
	code := m.Run()
	if dir := built.dir; dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// built is the program, compiled once for all tests.
var built struct {
	once sync.Once
	dir  string
	err  error
}

// slots bounds how many pis run at a time: each wants a processor of its own.
var slots = make(chan struct{}, 2)

// pictx returns the path of the program, built from this module.
func pictx(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "pictx-e2e-*"); built.err != nil {
			return
		}
		cmd := exec.Command("go", "build", "-tags", "sqlite_fts5", "-o", filepath.Join(built.dir, "pictx"), "./cmd/pictx")
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, "pictx")
}

// extension returns the path of the extension. It reads all its files, so that
// the go command runs the tests again when one has changed.
func extension(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join(root, "hooks", "pi", "extension"))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			_, err = os.ReadFile(p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "index.ts")
}
