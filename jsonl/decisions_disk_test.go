//go:build linux

package jsonl_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/jsonl"
)

// What the kernel is asked for shows it: no test can take away the power.
//
// Holds decisions 23.
func TestAChangeIsOneWriteThatIsThenOnTheDisk(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	root := t.TempDir()
	calls := filepath.Join(t.TempDir(), "calls")
	cmd := exec.Command(strace, "-f", "-y", "-qq", "-e", "trace=write,pwrite64,fsync,fdatasync", "-o", calls, os.Args[0], "-test.run=^TestDecisionWriterProcess$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s 3 %s", decisionWriter, "one", root))
	if out, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "ptrace") {
			t.Skip("processes may not be traced here")
		}
		t.Fatalf("%v: %s", err, out)
	}
	traced := must.Get(os.ReadFile(calls))(t)
	var got []string
	for _, m := range regexp.MustCompile(`(write|pwrite64|fsync|fdatasync)\(\d+<[^>]*decisions\.jsonl>`).FindAllStringSubmatch(string(traced), -1) {
		got = append(got, m[1])
	}
	if want := "write fsync write fsync write fsync"; strings.Join(got, " ") != want {
		t.Errorf("three changes of the log are %v, want %s", got, want)
	}
}

// Whoever reads neither waits for a writer nor leaves anything, so that a log on a medium that
// cannot be written is read.
//
// Holds decisions 27.
func TestReadingTakesNoLockAndMakesNothing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := jsonl.OpenDecisions(root)
	add(t, d, "one")
	dir := filepath.Dir(d.Path())
	lock := flock.New(filepath.Join(dir, "decisions.lock"))
	must.Do(t, lock.Lock())
	must.Equal(t, texts(t, jsonl.OpenDecisions(root)), "one", "while another writes")
	must.Do(t, lock.Unlock())
	before := must.Get(os.ReadDir(dir))(t)
	for _, e := range before {
		if e.Name() != filepath.Base(d.Path()) {
			must.Do(t, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	must.Equal(t, texts(t, jsonl.OpenDecisions(root)), "one", "without a lock")
	if after, err := os.ReadDir(dir); err != nil || len(after) != 1 {
		t.Errorf("reading made files: %v, %v", after, err)
	}
}
