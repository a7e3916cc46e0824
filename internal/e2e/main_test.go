//go:build unix

package e2e

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	_ "github.com/coctostan/pictx/commands" // what is built: a change of it must run these tests again
	"github.com/coctostan/pictx/internal/must"
)

const (
	// fakeEnv names the directory of a fake: this test binary is then pictx.
	fakeEnv = "PICTX_E2E_FAKE"
	// patience is how long a test waits for what must come. It is a bound for
	// broken runs, not an expectation: machines may be slow.
	patience = 4 * time.Minute
	root     = "../.."
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(fakeEnv); dir != "" {
		os.Exit(runFake(dir, os.Args[1:]))
	}
	os.Exit(run(m))
}

// run runs the tests in a directory of their own.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "pictx-e2e-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	common.dir = dir
	flag.Parse()
	if err := atOnce(flag.CommandLine); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// atOnce has more tests at a time than there may be pis, unless -parallel says how many:
// while one prepares or looks at what came, another has its slot.
func atOnce(flags *flag.FlagSet) error {
	given := false
	flags.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return nil
	}
	return flags.Set("test.parallel", strconv.Itoa(cap(slots)+1))
}

// common is what all tests have in common: a directory, the program, compiled
// once, and sessions of plain pi.
var common struct {
	dir   string
	once  sync.Once
	err   error
	plain sync.Map // of *plainRun, by version and session
}

// temporary is the directory for temporary files of pi. What pi compiles is kept
// there: with a directory for each pi, starting one would take three times as long.
func temporary() string { return filepath.Join(common.dir, "tmp") }

// slots bounds how many pis run at a time. One at work wants a processor of its own, but two
// fifths of the time it waits: for a model, for pictx, or for as long as a test has it wait.
var slots = make(chan struct{}, max(2, runtime.NumCPU())+1)

// pictx returns the path of the program, built from this module.
func pictx(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(common.dir, "pictx")
	common.once.Do(func() {
		cmd := exec.Command("go", "build", "-tags", "sqlite_fts5", "-ldflags=-s -w", "-o", bin, "./cmd/pictx")
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			common.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if common.err != nil {
		t.Fatal(common.err)
	}
	return bin
}

// extension returns the path of the extension. It reads all its files, so that
// the go command runs the tests again when one has changed.
func extension(t *testing.T) string {
	t.Helper()
	dir := must.Get(filepath.Abs(filepath.Join(root, "hooks", "pi", "extension")))(t)
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			_, err = os.ReadFile(p)
		}
		return err
	})
	must.Do(t, err)
	return filepath.Join(dir, "index.ts")
}
