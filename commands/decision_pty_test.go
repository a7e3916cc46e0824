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

	"github.com/coctostan/pictx/internal/must"
)

// formDialogue runs pictx in a terminal. asked alternates between a text to wait for and
// the answer to type. It returns the output and the exit code.
func formDialogue(t *testing.T, home string, accessible bool, asked []string, args ...string) (string, int) {
	t.Helper()
	if testing.Short() {
		t.Skip("not run with -short: it is a process of its own")
	}
	self := must.Get(exec.LookPath("pictx"))(t)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}
	if accessible {
		cmd.Env = append(cmd.Env, "ACCESSIBLE=1")
	}
	tty := must.Get(pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120}))(t)
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
		// Output may arrive in one piece: the rest may hold the next question.
		seen += bytes.Index(all[seen:], []byte(asked[i])) + len(asked[i])
		must.Get(tty.WriteString(asked[i+1]))(t)
	}
	rest, _ := io.ReadAll(tty) // reading fails once the other end is closed
	return string(all) + string(rest), exitCode(t, cmd.Wait())
}

func decisionsIn(t *testing.T, home string) string {
	t.Helper()
	b := must.Get(os.ReadFile(filepath.Join(home, ".pi/decision-memory/decisions.jsonl")))(t)
	return string(b)
}

func TestAPersonIsAskedWhatToDoAboutTheClosestDecisions(t *testing.T) {
	t.Parallel()
	const second = "Use MySQL for the primary database"
	for name, c := range map[string]struct {
		asked []string
		want  string
		code  int
	}{
		"add":       {[]string{"contradict one of these", "1\r"}, second, 0},
		"supersede": {[]string{"contradict one of these", "2\r", "Which one", "1\r", "Reason for superseding", "it is here\r"}, `"s":"superseded","r":"it is here"`, 0},
		"mark":      {[]string{"contradict one of these", "3\r", "Which one", "1\r"}, `"e":"ed"`, 0},
		"update":    {[]string{"contradict one of these", "4\r", "Which one", "1\r"}, `"e":"ed"`, 0},
		"cancel":    {[]string{"contradict one of these", "5\r"}, "", 5},
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

// added adds decisions without a form and returns their ids.
func added(t *testing.T, home string, args ...string) string {
	t.Helper()
	out, code := formDialogue(t, home, true, nil, append([]string{"decision"}, args...)...)
	f := strings.Fields(out)
	if code != 0 || len(f) < 2 {
		t.Fatalf("code %d: %s", code, out)
	}
	return f[1]
}

func TestCtrlCDeclines(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	id := added(t, home, "add", "Use tabs")
	before := decisionsIn(t, home)
	if out, code := formDialogue(t, home, false, []string{"Remove D-", "\x03"}, "decision", "remove", id); code != 5 || decisionsIn(t, home) != before {
		t.Errorf("code %d, want 5: %q", code, out)
	}
}

// Holds decisions 46.
func TestAPersonSeesWhatAPurgeWouldRemoveAndIsAsked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		want   string
		flags  []string
		gone   bool // the text
	}{
		"keep":   {"n\r", "not confirmed", nil, false},
		"remove": {"y\r", "purged 1 decision", nil, false},
		"redact": {"y\r", "redacted", []string{"--redact"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			set := "[decisions.retention_days]\ndraft = 0\nrejected = 0\nsuperseded = 0\n"
			must.Do(t, os.MkdirAll(filepath.Join(home, ".pi/agent"), 0o700))
			must.Do(t, os.WriteFile(filepath.Join(home, ".pi/agent/pictx.toml"), []byte(set), 0o600))
			id := added(t, home, "draft", "Use tabs of four")
			out, code := formDialogue(t, home, true, []string{id + ", draft for 0 days", "", "Remove 1 decision?", c.answer}, append([]string{"decision", "purge"}, c.flags...)...)
			if (code == 0) == (name == "keep") || !strings.Contains(out, c.want) {
				t.Errorf("code %d: %s", code, out)
			}
			log := decisionsIn(t, home)
			if strings.Contains(log, "Use tabs of four") == c.gone || strings.Contains(log, `"e":"rm"`) == (name == "keep") {
				t.Errorf("the log: %s", log)
			}
		})
	}
}
