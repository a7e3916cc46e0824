//go:build unix

package jsonl_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/jsonl"
)

// redactor tells this test binary to take texts out of a log until it is killed.
const redactor = "PICTX_TEST_REDACTOR"

// TestRedactorProcess is not a test but the process of one: again and again it removes a
// decision, takes its text out of the log, and adds another.
func TestRedactorProcess(t *testing.T) {
	root := os.Getenv(redactor)
	if root == "" {
		t.Skip("only a part of another test")
	}
	d := jsonl.OpenDecisions(root)
	for i := 0; ; i++ {
		secret := ""
		err := d.Update(t.Context(), func(_ *decision.Log, s *decision.State) ([]decision.Event, error) {
			e := editor(s)
			if _, err := e.Add(decision.New{Text: fmt.Sprintf("secret %d %d", os.Getpid(), i)}, true); err != nil {
				return nil, err
			}
			for _, x := range s.Present() {
				if strings.HasPrefix(x.Text, "secret") {
					secret = x.Text
					return e.Events(), e.Remove(x, "")
				}
			}
			return e.Events(), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Rewrite(t.Context(), i%2 == 0, func(data []byte) ([]byte, error) {
			out, _ := decision.Redact(data, decision.Replay(decision.Read(data).Events), nil)
			return out, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if b, err := d.Bytes(); err != nil || secret != "" && bytes.Contains(b, []byte(`"`+secret+`"`)) {
			t.Fatalf("%q is still there: %v", secret, err)
		}
	}
}

// Holds decisions 48, 49.
func TestKilledRedactLeavesOldOrNewLog(t *testing.T) {
	root := t.TempDir()
	d := jsonl.OpenDecisions(root)
	const kept = 200
	for i := range kept {
		add(t, d, fmt.Sprintf("Rule %d: %s", i, strings.Repeat("words ", 60))) // a file takes some time to write
	}
	for i := range 25 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRedactorProcess$", "-test.timeout=2m")
		cmd.Env = append(os.Environ(), redactor+"="+root)
		before := changes(t, d.Path())
		must.Do(t, cmd.Start())
		for limit := time.Now().Add(time.Minute); changes(t, d.Path()) == before && time.Now().Before(limit); {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(i*311) * time.Microsecond)
		must.Do(t, syscall.Kill(cmd.Process.Pid, syscall.SIGKILL))
		_ = cmd.Wait() // it was killed
		log, s, err := jsonl.OpenDecisions(root).Load()
		if err != nil {
			t.Fatal(err)
		}
		whole := 0
		for _, x := range s.Present() {
			if strings.HasPrefix(x.Text, "Rule ") {
				whole++
			}
		}
		if whole != kept || len(log.Damage) > 1 || len(log.Damage) == 1 && log.Damage[0].Line != log.Lines {
			t.Fatalf("kill %d: %d decisions, damage %v", i, whole, log.Damage)
		}
		if b, err := os.ReadFile(d.Path() + ".bak"); err == nil && len(decision.Replay(decision.Read(b).Events).Present()) < kept {
			t.Fatalf("kill %d: the copy is not whole", i)
		}
	}
	must.Do(t, os.WriteFile(filepath.Join(filepath.Dir(d.Path()), ".pictx-new-999999999-dead"), []byte("secret"), 0o600))
	// A killed process blocks no other, and the next purge deletes what it left.
	if _, err := d.Rewrite(t.Context(), false, func(data []byte) ([]byte, error) {
		out, _ := decision.Redact(data, decision.Replay(decision.Read(data).Events), nil)
		return out, nil
	}); err != nil {
		t.Fatal(err)
	}
	b := must.Get(d.Bytes())(t)
	s := decision.Replay(decision.Read(b).Events)
	if left := s.StillThere(b, s.Decisions); len(left) > 0 && left[0].Removed {
		t.Errorf("%q is still there", left[0].Text)
	}
	if files, _ := filepath.Glob(filepath.Join(filepath.Dir(d.Path()), ".pictx-new-*")); len(files) > 0 {
		t.Errorf("the dead left %d files, which may hold what was to go", len(files))
	}
}

// changes is a text that is another one when a file was replaced or appended to.
func changes(t *testing.T, path string) string {
	t.Helper()
	st := must.Get(os.Stat(path))(t)
	return fmt.Sprint(st.Size(), st.ModTime())
}
