//go:build unix

package jsonl_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/jsonl"
)

// decisionWriter tells this test binary to be one of several writers.
const decisionWriter = "PICTX_TEST_DECISION_WRITER"

// TestDecisionWriterProcess is not a test but the process of one: it adds as many
// decisions as it is told, the odd ones superseding the ones before.
func TestDecisionWriterProcess(t *testing.T) {
	job := strings.SplitN(os.Getenv(decisionWriter), " ", 3)
	if len(job) != 3 {
		t.Skip("only a part of other tests")
	}
	n, _ := strconv.Atoi(job[1])
	d := jsonl.OpenDecisions(job[2])
	d.Wait = 2 * time.Minute
	last := ""
	for i := range n {
		err := d.Update(t.Context(), func(l *decision.Log, s *decision.State) ([]decision.Event, error) {
			e := editor(s)
			add := decision.New{Text: fmt.Sprintf("writer %s says %d", job[0], i)}
			if job[0] == "supersede" && last != "" {
				add.Supersedes, add.Reason = last, "the next"
			}
			var err error
			last, err = e.Add(add, true)
			return e.Events(), err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// writer starts a process that writes.
func writer(t *testing.T, name string, n int, root string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestDecisionWriterProcess$", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s", decisionWriter, name, n, root))
	cmd.Stderr = os.Stderr
	must.Do(t, cmd.Start())
	return cmd
}

// Holds decisions 25.
func TestConcurrentWritersLoseNothing(t *testing.T) {
	const writers, each = 8, 25
	root := t.TempDir()
	var all []*exec.Cmd
	for i := range writers {
		all = append(all, writer(t, strconv.Itoa(i), each, root))
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	log, s, err := jsonl.OpenDecisions(root).Load()
	if err != nil || len(log.Damage) > 0 || log.Lines != writers*each {
		t.Fatalf("%d lines, damage %v, %v", log.Lines, log.Damage, err)
	}
	ids, texts := map[string]bool{}, map[string]bool{}
	for _, d := range s.Present() {
		ids[d.Bare], texts[d.Text] = true, true
	}
	if len(ids) != writers*each || len(texts) != writers*each {
		t.Errorf("%d ids, %d texts", len(ids), len(texts))
	}
}

// Holds decisions 25, 28.
func TestKilledWriterLeavesOldOrNewLog(t *testing.T) {
	root := t.TempDir()
	d := jsonl.OpenDecisions(root)
	for i := range 12 {
		cmd := writer(t, "supersede", 100_000, root)
		before := int64(0)
		if st, err := os.Stat(d.Path()); err == nil {
			before = st.Size()
		}
		for limit := time.Now().Add(time.Minute); time.Now().Before(limit); time.Sleep(time.Millisecond) {
			if st, err := os.Stat(d.Path()); err == nil && st.Size() > before+int64(200*i) {
				break
			}
		}
		syscall.Kill(cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
		log, s, err := d.Load()
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range s.Present() {
			if x.Status == decision.Superseded && s.Latest(x).Status != decision.Active {
				t.Fatalf("%s is superseded by nothing", x.ID)
			}
		}
		for _, x := range log.Damage {
			if x.Code != "torn-line" && x.Code != "damaged-line" {
				t.Fatalf("damage %v", x)
			}
		}
		add(t, d, fmt.Sprintf("after kill %d", i)) // a killed process blocks no other
	}
	if got := texts(t, d); strings.Count(got, "after kill") != 12 {
		t.Errorf("decisions were lost")
	}
}

// Holds decisions 2, 27, 33.
func TestModesAreKeptAndReadOnlyLogIsRead(t *testing.T) {
	root := t.TempDir()
	d := jsonl.OpenDecisions(root)
	add(t, d, "one")
	if st, err := os.Stat(filepath.Dir(d.Path())); err != nil || st.Mode().Perm()&0o700 != 0o700 {
		t.Errorf("directory: %v %v", st.Mode(), err)
	}
	must.Do(t, os.Chmod(d.Path(), 0o640))
	must.Get(d.Rewrite(t.Context(), false, func(b []byte) ([]byte, error) { return append(b, '\n'), nil }))(t)
	if st, _ := os.Stat(d.Path()); st.Mode().Perm() != 0o640 {
		t.Errorf("mode is %v", st.Mode())
	}
	// Whoever may only read, reads: nothing beside the log is opened or made.
	os.Remove(filepath.Join(filepath.Dir(d.Path()), "decisions.lock"))
	must.Do(t, os.Chmod(filepath.Dir(d.Path()), 0o555))
	defer os.Chmod(filepath.Dir(d.Path()), 0o755)
	must.Equal(t, texts(t, jsonl.OpenDecisions(root)), "one", "read only")
	if os.Getuid() == 0 {
		return // root may read anything
	}
	must.Do(t, os.Chmod(d.Path(), 0))
	if _, _, err := jsonl.OpenDecisions(root).Load(); err == nil {
		t.Error("a log that may not be read is empty")
	}
}

// Holds decisions 23, 49.
func TestFullDiskLeavesLogUnchanged(t *testing.T) {
	root := t.TempDir()
	d := jsonl.OpenDecisions(root)
	add(t, d, "one")
	before, _ := os.ReadFile(d.Path())
	var old syscall.Rlimit
	must.Do(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	// A process of its own may write no more than a few bytes of the line.
	script := fmt.Sprintf("ulimit -f %d; exec %q -test.run=^TestDecisionWriterProcess$", (len(before)+511)/512, os.Args[0])
	cmd := exec.Command("sh", "-c", "trap '' XFSZ; "+script)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s 9 %s", decisionWriter, strings.Repeat("x", 600), root))
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("it was written: %s", out)
	}
	after, _ := os.ReadFile(d.Path())
	must.Equal(t, string(after), string(before), "the log was %q and is %q", before, after)
	add(t, d, "two")
	if log, _, _ := d.Load(); len(log.Damage) > 0 {
		t.Errorf("damage %v", log.Damage)
	}
}

// A repository may bring the lock, and git may bring it as a link.
func TestWhatStandsInThePlaceOfTheLockOfDecisionsIsNotWrittenTo(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other")
	must.Do(t, os.WriteFile(other, []byte("mine"), 0o600))
	for name, place := range map[string]func(path string) error{
		"link":            func(p string) error { return os.Symlink(other, p) },
		"link to nothing": func(p string) error { return os.Symlink(other+"2", p) },
		"pipe":            func(p string) error { return syscall.Mkfifo(p, 0o600) },
	} {
		root := t.TempDir()
		d := jsonl.OpenDecisions(root)
		lock := filepath.Join(filepath.Dir(d.Path()), "decisions.lock")
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(lock), 0o755), place(lock)))
		if err := d.Update(t.Context(), adding("x", nil)); err == nil || !strings.Contains(err.Error(), "decisions.lock is not a file") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if b, err := os.ReadFile(other); err != nil || string(b) != "mine" {
		t.Errorf("the other file is %q now, %v", b, err)
	}
	if _, err := os.Lstat(other + "2"); err == nil {
		t.Error("a file was made where the link leads")
	}
}
