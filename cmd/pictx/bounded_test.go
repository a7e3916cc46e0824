//go:build unix

package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// explosive is a pattern that stands for 2^27 others, for a file that makes each be tried.
var explosive = "src/" + strings.Repeat("{a,a}", 27) + "b"

// explosiveProject is an indexed project with such a file, and pictx.
func explosiveProject(t *testing.T) (dir, bin string) {
	t.Helper()
	dir, bin = t.TempDir(), build(t, "sqlite_fts5")
	for name, body := range map[string]string{".git/HEAD": "ref: refs/heads/main\n", "src/" + strings.Repeat("a", 50) + ".ts": "export const ok = 1\n"} {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(body), 0o600))
	}
	output(t, 0, run(dir, bin, "kota", "index"))
	return dir, bin
}

// Of the processor, because a busy machine has its own pace.
const leastTime = time.Second

func TestAPatternThatStandsForMillionsIsAWrongUseAndCostsNothing(t *testing.T) {
	dir, bin := explosiveProject(t)
	cmd := run(dir, bin, "kota", "search", "ok", "--glob", explosive)
	output(t, 2, cmd)
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	must.Not(t, used > leastTime, "it took %s of the processor", used)
}

func TestAHookDoesNotOutliveAnAgentThatIsKilled(t *testing.T) {
	dir, bin := explosiveProject(t)
	event := fmt.Appendf(nil, `{"v":1,"id":"1","event":"tool","cwd":%q,"trusted":true,"session":{"id":"s"},"payload":{"name":"kota_search","params":{"query":"ok","filters":{"glob":%q}}}}`, dir, explosive)
	must.Do(t, os.WriteFile(filepath.Join(dir, "event"), event, 0o600))
	// The agent starts the hook, says which process it is, and waits.
	agent := run(dir, "sh", "-c", `"$0" hook tool <event >reply & echo $! >pid; mv pid started; wait`, bin)
	must.Do(t, agent.Start())
	var hook int
	for end := time.Now().Add(20 * time.Second); hook == 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		if b, err := os.ReadFile(filepath.Join(dir, "started")); err == nil {
			must.Do(t, json.Unmarshal(b, &hook))
		}
	}
	var ended *exec.ExitError
	if err := errors.Join(agent.Process.Kill(), agent.Wait()); hook == 0 || !errors.As(err, &ended) {
		t.Fatalf("hook %d: %v", hook, err)
	}
	const busy = 20 * time.Second // of a machine with much else to do; without a bound it never ends
	for end := time.Now().Add(busy); syscall.Kill(hook, 0) == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			_ = syscall.Kill(hook, syscall.SIGKILL)
			t.Fatalf("it still runs after %s", busy)
		}
	}
	if reply, err := os.ReadFile(filepath.Join(dir, "reply")); err != nil || !strings.Contains(string(reply), "256 patterns") {
		t.Errorf("it answered %q, %v", reply, err)
	}
}
