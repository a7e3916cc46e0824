//go:build unix

package commands

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/must"
)

// compactions runs pictx compact on a recorded session.
type compactions struct {
	t                  *testing.T
	program, file, dir string
	temporary          string // the directory for temporary files of pictx
}

func newCompactions(t *testing.T) *compactions {
	t.Helper()
	if testing.Short() {
		t.Skip("not run with -short: it is a process of its own")
	}
	program, err := exec.LookPath("pictx") // testscript.Main put it in PATH
	must.Do(t, err)
	file := must.Get(filepath.Abs("../testdata/sessions/shop-main.jsonl"))(t)
	return &compactions{t: t, program: program, file: file, dir: t.TempDir(), temporary: t.TempDir()}
}

// script writes an executable shell script.
func (c *compactions) script(name, text string) string {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	must.Do(c.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// run starts a compaction with a script as the summarizer.
func (c *compactions) run(script string) (*exec.Cmd, *bytes.Buffer) {
	c.t.Helper()
	cmd := exec.Command(c.program, "compact", "--yes", "-c", "history.model_writes=leaves", "--command", "sh", "--command", script, c.file)
	cmd.Dir, cmd.Env = c.dir, []string{"HOME=" + c.dir, "PI_CODING_AGENT_DIR=" + c.dir, "LCM_LEAF_CHUNK_TOKENS=4000", "PATH=" + os.Getenv("PATH"), "GORACE=" + os.Getenv("GORACE"), "TMPDIR=" + c.temporary}
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	must.Do(c.t, cmd.Start())
	return cmd, out
}

// Holds history 51, 55.
func TestAnInterruptedCompactionKeepsWhatWasWritten(t *testing.T) {
	t.Parallel()
	c := newCompactions(t)
	asked := filepath.Join(c.dir, "asked")
	slow := c.script("slow.sh", "cat > /dev/null\necho . >> '"+asked+"'\n[ $(wc -l < '"+asked+"') -gt 4 ] && sleep 300\necho It went well.\n")
	quick := c.script("quick.sh", "cat > /dev/null\necho It went well.\n")
	cmd, out := c.run(slow)
	for limit := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if text, _ := os.ReadFile(asked); bytes.Count(text, []byte(".")) > 4 {
			break
		}
		must.Stop(t, time.Now().After(limit), "nobody is asked: %s", out)
	}
	must.Do(t, cmd.Process.Signal(syscall.SIGINT))
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != exit.Interrupted || !strings.Contains(out.String(), "run the same command again to continue") {
		t.Fatalf("%v: %s", err, out)
	}
	left := c.left()
	must.Not(t, len(left) > 0, "the interrupted run left %v", left)
	cmd, out = c.run(quick)
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), " messages were summarised before") || !strings.Contains(out.String(), ", 0 extracted") {
		t.Errorf("the second run: %v: %s", err, out)
	}
}

// Holds history 44.
func TestAKilledCompactionDoesNotBlockTheNext(t *testing.T) {
	t.Parallel()
	c := newCompactions(t)
	asked := filepath.Join(c.dir, "asked")
	hang := c.script("hang.sh", "cat > /dev/null\n[ -f '"+asked+"' ] && exec sleep 60\n> '"+asked+"'\necho It went well.\n")
	quick := c.script("quick.sh", "cat > /dev/null\necho It went well.\n")
	cmd, out := c.run(hang)
	for limit := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(asked); err == nil {
			break
		}
		must.Stop(t, time.Now().After(limit), "nobody is asked: %s", out)
	}
	// A second run is refused, even after the lease of the first would have expired.
	time.Sleep(summary.LeaseTime + time.Second)
	other, said := c.run(quick)
	var ended *exec.ExitError
	if err := other.Wait(); !errors.As(err, &ended) || ended.ExitCode() != exit.Busy {
		t.Errorf("while another compacts: %v: %s", err, said)
	}
	must.Do(t, cmd.Process.Kill())
	_ = cmd.Wait()
	time.Sleep(summary.LeaseTime)   // nobody renews it any more
	for _, left := range c.left() { // directories in which it had models run
		old := time.Now().Add(-48 * time.Hour)
		must.Do(t, os.Chtimes(left, old, old))
	}
	next, said := c.run(quick)
	if err := next.Wait(); err != nil || !strings.Contains(said.String(), ", 0 extracted") {
		t.Errorf("the next run: %v: %s", err, said)
	}
	if left := c.left(); len(left) > 0 {
		t.Errorf("the next run left what the killed one had left: %v", left)
	}
}

// left lists what is left in the directory for temporary files.
func (c *compactions) left() []string {
	c.t.Helper()
	return must.Get(filepath.Glob(filepath.Join(c.temporary, "*")))(c.t)
}
