//go:build linux

package commands_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"github.com/coctostan/pictx/internal/must"
)

// Summaries are named by prompts, which are longer than lines. What is wrapped keeps the
// words, and the strokes of the drawing.
func TestADrawnTreeFitsTheTerminal(t *testing.T) {
	t.Parallel()
	session := must.Get(filepath.Abs("../testdata/sessions/shop-main.jsonl"))(t)
	home := t.TempDir()
	settings := filepath.Join(home, ".pi/agent/pictx.toml")
	must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(settings), 0o700), os.WriteFile(settings, []byte("[history]\nmodel_writes = \"leaves\"\n"), 0o600)))
	if out, code := underTerminal(t, home, "compact", "--extract", session); code != 0 {
		t.Fatalf("compact ends with %d: %s", code, out)
	}
	wide := onTerminal(t, home, 500, "tree", session)
	if !strings.Contains(wide, "\n├─ s-") {
		t.Fatalf("no nodes below a root in %s", wide)
	}
	for _, width := range []uint16{50, 80} {
		for _, command := range []string{"tree", "describe"} {
			narrow := onTerminal(t, home, width, command, session)
			for line := range strings.Lines(narrow) {
				if w := ansi.StringWidth(strings.TrimSuffix(line, "\n")); w > int(width) {
					t.Errorf("%s at %d columns prints a line of %d: %s", command, width, w, line)
				}
			}
			if command == "tree" && words(narrow) != words(wide) {
				t.Errorf("at %d columns it says\n%s\nand at 500\n%s", width, narrow, wide)
			}
		}
		if narrow := onTerminal(t, home, width, "tree", session); !strings.Contains(narrow, "\n│      ") {
			t.Errorf("at %d columns no stroke goes on beside a wrapped line:\n%s", width, narrow)
		}
	}
}

// words is a text without strokes and spaces.
func words(drawn string) string {
	return strings.NewReplacer("│", "", "├", "", "└", "", "─", "", " ", "", "\n", "").Replace(drawn)
}

// onTerminal returns what a command that succeeds prints on a terminal of this width.
func onTerminal(t *testing.T, home string, width uint16, args ...string) string {
	t.Helper()
	tty, cmd := startOn(t, pty.Winsize{Rows: 24, Cols: width}, home, args...)
	out, _ := io.ReadAll(tty) // a terminal whose other end is closed ends with an error
	if code := exitCode(t, cmd.Wait()); code != 0 {
		t.Fatalf("%s ends with %d: %s", args, code, out)
	}
	return strings.ReplaceAll(ansi.Strip(string(out)), "\r", "")
}
