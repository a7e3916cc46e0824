//go:build linux

package commands_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/coctostan/pictx/internal/must"
)

// TestAPersonIsAskedBeforePackagesAreRemovedFromPi answers the question both ways:
// no is an answer, and the extension is installed all the same.
func TestAPersonIsAskedBeforePackagesAreRemovedFromPi(t *testing.T) {
	t.Parallel()
	const before, after = `{"packages": ["npm:pi-lcm", "npm:other"]}`, `{"packages": ["npm:other"]}`
	for answer, want := range map[string]string{"y": after, "n": before} {
		agent := filepath.Join(t.TempDir(), "agent")
		settings := filepath.Join(agent, "settings.json")
		must.Do(t, os.MkdirAll(agent, 0o700))
		must.Do(t, os.WriteFile(settings, []byte(before), 0o600))
		said := dialogue(t, agent, "Remove pi-lcm from pi's settings?", answer)
		if got, err := os.ReadFile(settings); err != nil || string(got) != want {
			t.Errorf("after %s the settings are %s, %v; want %s", answer, got, err, want)
		}
		if warned := strings.Contains(said, "hint: pi remove npm:pi-lcm"); warned == (answer == "y") {
			t.Errorf("after %s it said how to take it out: %v: %q", answer, warned, said)
		}
		if _, err := os.Stat(filepath.Join(agent, "extensions", "pictx", "index.ts")); err != nil {
			t.Errorf("after %s: %v", answer, err)
		}
	}
}

// dialogue runs setup pi under a terminal and answers its question, a line each.
func dialogue(t *testing.T, agent, question, answer string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("not run with -short: it is a process of its own")
	}
	program, err := exec.LookPath("pictx") // which testscript.Main put there
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "setup", "pi")
	cmd.Dir = filepath.Dir(agent)
	cmd.Env = []string{"HOME=" + cmd.Dir, "PI_CODING_AGENT_DIR=" + agent, "ACCESSIBLE=1", "TERM=dumb", "PATH=" + os.Getenv("PATH")}
	tty := must.Get(pty.Start(cmd))(t)
	defer tty.Close()
	guard := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }) // against hanging
	defer guard.Stop()
	var said []byte
	for buf := make([]byte, 4096); !strings.Contains(string(said), question); {
		n, err := tty.Read(buf)
		if err != nil {
			t.Fatalf("it ended without the question: %q", said)
		}
		said = append(said, buf[:n]...)
	}
	must.Get(tty.Write([]byte(answer + "\n")))(t)
	rest, _ := io.ReadAll(tty) // a terminal whose other end is closed ends with an error
	if code := exitCode(t, cmd.Wait()); code != 0 {
		t.Errorf("after %s it ends with %d: %q", answer, code, rest)
	}
	return string(said) + string(rest)
}
