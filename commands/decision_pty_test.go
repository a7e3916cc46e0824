//go:build linux

package commands_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// formDialogue runs pictx at a terminal and answers what it asks: after each text its
// answer. It returns what was printed, and the exit code.
func formDialogue(t *testing.T, home string, accessible bool, asked []string, args ...string) (string, int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Args[0] = "pictx" // what testscript.Main goes by
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}
	if accessible {
		cmd.Env = append(cmd.Env, "ACCESSIBLE=1")
	}
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	guard := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }) // against hanging
	defer guard.Stop()
	var all []byte
	buf := make([]byte, 4096)
	seen := 0
	for i := 0; i+1 < len(asked); i += 2 {
		for !bytes.Contains(all[seen:], []byte(asked[i])) {
			n, err := tty.Read(buf)
			if err != nil {
				t.Fatalf("it ended without asking %q: %s", asked[i], all)
			}
			all = append(all, buf[:n]...)
		}
		seen = len(all)
		if _, err := tty.WriteString(asked[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	rest, _ := io.ReadAll(tty) // a terminal whose other end is closed ends with an error
	return string(all) + string(rest), exitCode(t, cmd.Wait())
}

func decisionsIn(t *testing.T, home string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(home, ".pi/decision-memory/decisions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAPersonIsAskedWhatToDoAboutRelatedDecisions(t *testing.T) {
	t.Parallel()
	const second = "Use MySQL for the primary database"
	for name, c := range map[string]struct {
		asked []string
		want  string
		code  int
	}{
		"supersede": {[]string{"related decisions", "1\r", "Reason for superseding", "it is here\r"}, `"s":"superseded","r":"it is here"`, 0},
		"mark":      {[]string{"related decisions", "2\r"}, `"e":"ed"`, 0},
		"update":    {[]string{"related decisions", "3\r"}, `"e":"ed"`, 0},
		"add":       {[]string{"related decisions", "4\r"}, second, 0},
		"cancel":    {[]string{"related decisions", "5\r"}, "", 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			if out, code := formDialogue(t, home, true, nil, "decision", "add", "Use PostgreSQL for the primary database"); code != 0 {
				t.Fatalf("code %d: %s", code, out)
			}
			before := decisionsIn(t, home)
			out, code := formDialogue(t, home, true, c.asked, "decision", "add", second)
			if code != c.code {
				t.Fatalf("code %d, want %d: %s", code, c.code, out)
			}
			added := strings.TrimPrefix(decisionsIn(t, home), before)
			if c.want == "" && added != "" || !strings.Contains(added, c.want) {
				t.Errorf("it wrote %s\n%s", added, out)
			}
		})
	}
}

func TestADecisionIsWrittenInAForm(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	out, code := formDialogue(t, home, true, []string{"Decision", "Use tabs\r", "Reason", "gofmt\r", "Tags", "style, go\r"}, "decision", "add")
	if code != 0 || !strings.Contains(decisionsIn(t, home), `"tx":"Use tabs","tg":["style","go"],"s":"active","r":"gofmt"`) {
		t.Errorf("code %d: %s\n%s", code, out, decisionsIn(t, home))
	}
	// In a form that is drawn, the first line is chosen by Enter, and Ctrl-C is a no.
	if out, code = formDialogue(t, home, false, []string{"Remove D-", "\x03"}, "decision", "remove", "D-2"); code != 5 {
		t.Errorf("code %d, want 5: %q", code, out)
	}
}
