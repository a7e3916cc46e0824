//go:build unix

package jsonl_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/decision"
)

// indexWriter tells this test binary to write a log and its index until it is killed.
const indexWriter = "PICTX_TEST_INDEX_WRITER"

// TestIndexWriterProcess is no test but a process of one.
func TestIndexWriterProcess(t *testing.T) {
	root, cache, ok := strings.Cut(os.Getenv(indexWriter), " ")
	if !ok {
		t.Skip("only a part of another test")
	}
	for i := 0; ; i++ {
		d := indexedLog(root, cache)
		if i%3 == 0 {
			os.Remove(d.Index)
		}
		text := fmt.Sprintf("Use tabs in module %d", i%9)
		err := d.UpdateFor(t.Context(), decision.Need{Texts: []string{text}}, func(_ *decision.Log, s *decision.State) ([]decision.Event, error) {
			e := editor(s)
			_, err := e.Add(decision.New{Text: text}, true)
			return e.Events(), err
		})
		if err != nil {
			t.Fatal(err)
		}
		d.Close()
	}
}

// Holds decisions 22.
func TestAProcessKilledWhileItWritesTheIndexHarmsNothing(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	d := indexedLog(root, cache)
	defer d.Close()
	for i := range 80 {
		add(t, d, fmt.Sprintf("Keep log %d", i)) // an index takes some time to write
	}
	for i := range 25 {
		before := len(decisionsOf(t, root))
		cmd := exec.Command(os.Args[0], "-test.run=^TestIndexWriterProcess$", "-test.timeout=2m")
		cmd.Env = append(os.Environ(), indexWriter+"="+root+" "+cache)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for limit := time.Now().Add(time.Minute); len(decisionsOf(t, root)) < before+2 && time.Now().Before(limit); {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(i*137) * time.Microsecond)
		if err := syscall.Kill(cmd.Process.Pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		sameAsWhole(t, fmt.Sprint("kill ", i), root, cache, nil)
	}
	// What the dead left does not stay in the way.
	if left := filepath.Join(cache, "pictx", "x.decisions.new"); os.WriteFile(left, nil, 0o600) == nil {
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(left, old, old); err != nil {
			t.Fatal(err)
		}
	}
	os.Remove(d.Index)
	if _, _, err := d.LoadFor(toldNeed(nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.Index); err != nil {
		t.Error(err)
	}
}

// decisionsOf are the lines of a project's log.
func decisionsOf(t *testing.T, root string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, ".pi", "decision-memory", "decisions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(string(b), "\n")
}

// Holds decisions 22.
func TestAddingKeepsTheIndexItHas(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	d := indexedLog(root, cache)
	defer d.Close()
	add(t, d, "Use tabs")
	if _, _, err := d.LoadFor(toldNeed(nil)); err != nil {
		t.Fatal(err)
	}
	first, err := os.Stat(d.Index)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		other := indexedLog(root, cache) // another process
		err := other.UpdateFor(t.Context(), decision.Need{Same: []string{"x"}}, adding(fmt.Sprintf("Rule %d", i), nil))
		if err != nil {
			t.Fatal(err)
		}
		stamp, err := os.ReadFile(d.Index + ".at")
		if err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat(d.Path()); err != nil || !strings.Contains(string(stamp), fmt.Sprintf(`"size":%d,"mod":%d`, st.Size(), st.ModTime().UnixNano())) {
			t.Fatalf("after %d: %s is no stamp of a log of %d bytes", i, stamp, st.Size())
		}
		other.Close()
	}
	if now, err := os.Stat(d.Index); err != nil || !os.SameFile(first, now) {
		t.Errorf("it was made again: %v", err)
	}
	sameAsWhole(t, "after all", root, cache, nil)
}
