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
)

// Holds history 51, 55.
func TestAnInterruptedCompactionKeepsWhatWasWritten(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("pictx") // which testscript.Main put there
	if err != nil {
		t.Fatal(err)
	}
	file, err := filepath.Abs("../testdata/sessions/shop-main.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	asked := filepath.Join(dir, "asked")
	slow := script("slow.sh", "cat > /dev/null\necho . >> '"+asked+"'\n[ $(wc -l < '"+asked+"') -gt 4 ] && sleep 300\necho It went well.\n")
	quick := script("quick.sh", "cat > /dev/null\necho It went well.\n")
	run := func(script string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command(program, "compact", "-c", "history.leaf_chunk_tokens=4000", "--command", "sh", "--command", script, file)
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "PI_CODING_AGENT_DIR=" + dir, "PATH=" + os.Getenv("PATH")}
		out := &bytes.Buffer{}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, out
	}
	cmd, out := run(slow)
	for limit := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if text, _ := os.ReadFile(asked); bytes.Count(text, []byte(".")) > 4 {
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("nobody is asked: %s", out)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted || !strings.Contains(out.String(), "the same command goes on from there") {
		t.Fatalf("%v: %s", err, out)
	}
	cmd, out = run(quick)
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), " messages were summarised before") || !strings.Contains(out.String(), ", 0 extracted") {
		t.Errorf("the second run: %v: %s", err, out)
	}
}
