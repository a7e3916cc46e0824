//go:build linux

package commands_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"github.com/coctostan/pictx/internal/must"
)

// Summaries are named by prompts, which are longer than lines. What is wrapped keeps the
// words.
func TestADrawnTreeFitsTheTerminal(t *testing.T) {
	t.Parallel()
	session := must.Get(filepath.Abs("../testdata/sessions/shop-main.jsonl"))(t)
	home := t.TempDir()
	settings := filepath.Join(home, ".pi/agent/pictx.toml")
	must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(settings), 0o700), os.WriteFile(settings, []byte("[history]\nmodel_writes = \"leaves\"\n"), 0o600)))
	out, code := underTerminal(t, home, "compact", "--model", "none", session)
	must.Stop(t, code != 0, "compact ends with %d: %s", code, out)
	wide := onTerminal(t, home, 500, "tree", session)
	must.Stop(t, !strings.Contains(wide, "\n├─ s-"), "no nodes below a root in %s", wide)
	for _, width := range []uint16{50, 80} {
		narrow := onTerminal(t, home, width, "tree", session)
		for line := range strings.Lines(narrow) {
			w := ansi.StringWidth(strings.TrimSuffix(line, "\n"))
			must.Not(t, w > int(width), "at %d columns it prints a line of %d: %s", width, w, line)
		}
		must.Equal(t, words(narrow), words(wide), "at %d columns it says\n%s\nand at 500\n%s", width, narrow, wide)
	}
}

// words is a text without strokes and spaces.
func words(drawn string) string {
	return strings.NewReplacer("│", "", "├", "", "└", "", "─", "", " ", "", "\n", "").Replace(drawn)
}

// onTerminal returns what a command that succeeds prints on a terminal of this width.
func onTerminal(t *testing.T, home string, width uint16, args ...string) string {
	t.Helper()
	out, code := openSized(t, pty.Winsize{Rows: 24, Cols: width}, home, nil, args...).answer(t)
	must.Stop(t, code != 0, "%s ends with %d: %s", args, code, out)
	return strings.ReplaceAll(ansi.Strip(out), "\r", "")
}
