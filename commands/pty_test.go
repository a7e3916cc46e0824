//go:build linux

package commands_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"github.com/coctostan/pictx/internal/must"
)

// A text without a line break at its end is followed by one, and only then by remarks.
func TestRemarksOnATextBeginALineOnATerminal(t *testing.T) {
	t.Parallel()
	session := must.Get(filepath.Abs("../testdata/sessions/notes-1.5.jsonl"))(t)
	home := t.TempDir()
	underTerminal(t, home, "import", session)
	got, code := underTerminal(t, home, "expand", "f99bb4a8", "--lines", "1-9")
	want := "Write that down in docs/tax.md.\r\npictx: the text ends with line 1\r\n"
	must.Not(t, code != 0 || got != want, "it ends with %d: %q, want %q", code, got, want)
}

// TestNothingIsWrittenBeforeDataToATerminalThatNeverAnswers runs pictx under a
// pseudo-terminal whose other end only reads. A program that asks the terminal
// something, its colours or where the cursor is, would write an escape first and
// wait for an answer that never comes.
func TestNothingIsWrittenBeforeDataToATerminalThatNeverAnswers(t *testing.T) {
	t.Parallel()
	session := must.Get(filepath.Abs("../testdata/sessions/notes-1.5.jsonl"))(t)
	home := t.TempDir()
	_, code := underTerminal(t, home, "import", session)
	must.Stop(t, code != 0, "import ends with %d", code)
	for _, tt := range []struct {
		args  string
		first string // what the output begins with, but for colour
		code  int
	}{
		{"version", "pictx ", 0},
		{"--help", "pictx prunes old tool output", 0},
		{"grep --help", "Searches everything", 0},
		{"sessions", "SESSION ", 0},
		{"doctor", "ok ", 0},
		{"config list", "declare ", 0},
		{"grep tax", "", 0},
		{"grep zzyzx", "pictx: nothing found", 3},
		{"frobnicate", "pictx: unknown command", 2},
	} {
		got, code := underTerminal(t, home, strings.Fields(tt.args)...)
		must.Not(t, code != tt.code, "pictx %s ends with %d, want %d: %q", tt.args, code, tt.code, got)
		// Colour around data is data; nothing else may come first.
		plain := strings.TrimPrefix(got, "\x1b[1m")
		plain = strings.TrimPrefix(plain, "\x1b[32m")
		must.Not(t, !strings.HasPrefix(plain, tt.first) || len(plain) == 0 || plain[0] == 0x1b, "pictx %s begins with %q, want %q", tt.args, got[:min(len(got), 60)], tt.first)
		// Queries: device attributes, cursor position, colours, modes.
		for _, query := range []string{"\x1b[c", "\x1b[6n", "\x1b[?", "\x1b]1", "\x1bP"} {
			must.Lack(t, got, query, "pictx %s asks the terminal", tt.args)
		}
	}
}

// purging is a terminal that is asked whether the one decision of a project goes.
func purging(t *testing.T) (home string, c *console) {
	t.Helper()
	home = t.TempDir()
	out, code := underTerminal(t, home, "decision", "add", "Use tabs")
	must.Stop(t, code != 0, "exit %d: %s", code, out)
	c = openConsole(t, home, nil, "decision", "purge", "--all")
	c.await(t, 0, "Remove 1 decision?")
	return home, c
}

// TestAnInterruptedQuestionCountsAsNo answers a confirmation with Ctrl-C.
func TestAnInterruptedQuestionCountsAsNo(t *testing.T) {
	t.Parallel()
	home, c := purging(t)
	c.press(t, "\x03")
	code := c.exit(t)
	must.Not(t, code != 5 || !strings.Contains(c.raw(0), "not confirmed"), "code %d, want 5: %q", code, c.raw(0))
	out, _ := underTerminal(t, home, "decision", "list")
	must.Not(t, !strings.Contains(out, "Use tabs"), "the decision is gone: %s", out)
}

func TestAPersonReadsWhatAPurgeLosesBeforeTheyConfirmIt(t *testing.T) {
	t.Parallel()
	home := withSessions(t)
	c := openConsole(t, home, nil, "uninstall", "--purge")
	for _, words := range []string{"the history of your projects", "only the sessions that pi still keeps", "are lost", "pictx history backup FILE"} {
		c.await(t, 0, words)
	}
	c.press(t, "\x03")
	must.Equal(t, c.exit(t), 5, "exit")
	stores, _ := filepath.Glob(filepath.Join(home, ".pi/agent/pictx/*.db"))
	must.Not(t, len(stores) == 0, "the history is gone")
}

// Without colour nothing else shows which button Enter presses.
func TestAQuestionShowsWithoutColourWhatEnterAnswers(t *testing.T) {
	t.Parallel()
	_, c := purging(t)
	c.await(t, 0, "[No]")
	must.Not(t, strings.Contains(ansi.Strip(c.raw(0)), "[Yes]"), "both buttons seem to be chosen: %q", c.raw(0))
	c.press(t, "y")
	code := c.exit(t)
	must.Not(t, code != 0, "code %d: %q", code, c.raw(0))
}

// A form that is over must not read on: the key that answers the next question would be lost.
func TestEveryKeyAfterAFormAnswersTheNextQuestion(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c := openConsole(t, home, nil, "setup")
	said, code := c.answer(t, "What should pictx do in pi?", "\r", "submit", "\r", "Write this?", "", "toggle", "y")
	must.Not(t, code != 0 || !strings.Contains(said, "installed in "), "y was answered with exit code %d: %q", code, said)
}

func TestSetupShowsAWholeQuestionOnANarrowTerminal(t *testing.T) {
	t.Parallel()
	c := openSized(t, pty.Winsize{Rows: 20, Cols: 50}, t.TempDir(), nil, "setup")
	c.await(t, 0, "toggle") // the keys stand below the question
	said := c.raw(0)
	for _, want := range []string{"What should pictx do in pi?", "prune", "then on", "objects", "no tokens"} {
		must.Contain(t, said, want, "what it says")
	}
	must.Lack(t, said, "What should write", "the next question stands there, too")
}

// A clone, a session and a model choose these bytes.
func TestNothingThatIsShownCommandsATerminal(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	session := filepath.Join(home, "s.jsonl")
	log := filepath.Join(home, ".pi", "decision-memory", "decisions.jsonl")
	must.Do(t, os.MkdirAll(filepath.Dir(log), 0o700))
	for file, text := range map[string]string{
		session: `{"type":"session","version":3,"id":"s1","timestamp":"2026-03-02T09:00:00.000Z","cwd":"` + home + `"}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"user","content":"\u001b]0;OWNED\u0007","timestamp":1}}
`,
		log: `{"v":1,"t":"2026-11-22T13:44:17.544Z","p":"30925f8cf8f72cae","e":"a","i":"D-2026-11-22-AAA1","d":{"ti":"\u001b]0;OWNED\u0007","tx":"Use tabs","tg":[],"s":"active","r":"r","sp":null,"c":[]},"u":"user","k":"01M81R07C8ZZZZZZZZZZZZZZZZ"}
`,
		filepath.Join(home, "\x1b]0;OWNED\x07.ts"): "export const a = 1\n", filepath.Join(home, "plain.ts"): "export const b = 1\n",
	} {
		must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	}
	for _, args := range []string{"import " + session, "expand a1 --session " + session, "export " + session + " --format jsonl", "decision export", "decision export --format json", "kota index", "kota map", "__complete kota deps -- p"} {
		got, code := underTerminal(t, home, strings.Fields(args)...)
		must.Not(t, code != 0 || strings.Contains(got, "\x1b]") || strings.ContainsRune(got, 7), "pictx %s ends with %d: %q", args, code, got)
	}
}

func TestPictxAloneAtATerminalShowsTheProjectAndTheNextCommand(t *testing.T) {
	t.Parallel()
	sessions := must.Get(filepath.Abs("../testdata/sessions"))(t)
	home := t.TempDir()
	fresh, code := underTerminal(t, home)
	must.Not(t, code != 0 || !strings.Contains(fresh, "none stored yet") || !strings.Contains(fresh, "\nNext "), "in a fresh home: exit %d\n%s", code, fresh)
	if out, code := underTerminal(t, home, "import", sessions); code != 0 {
		t.Fatalf("import: exit %d\n%s", code, out)
	}
	stored, code := underTerminal(t, home)
	must.Not(t, code != 0 || !strings.Contains(stored, "Sessions   4 stored") || !strings.Contains(stored, "This week"), "after an import: exit %d\n%s", code, stored)
}

func TestEscapeCancelsSetupAndTheFormSaysSo(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c := openConsole(t, home, nil, "setup")
	c.await(t, 0, "What should pictx do in pi?")
	c.await(t, 0, "esc cancel")
	c.press(t, "\x1b")
	must.Equal(t, c.exit(t), 5, "exit")
	made, _ := filepath.Glob(filepath.Join(home, ".pi/agent/*"))
	must.Not(t, len(made) > 0, "it wrote %v", made)
}
