//go:build linux

package commands_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"github.com/coctostan/pictx/internal/must"
)

// console is a program on a pseudo-terminal, and what it has drawn so far.
type console struct {
	tty   *os.File
	cmd   *exec.Cmd
	mu    sync.Mutex
	drawn bytes.Buffer
	ended chan struct{} // closed after the last of it
}

// openConsole runs pictx, which is this test binary as testscript.Main put it on PATH, on a
// terminal of 80x24.
func openConsole(t *testing.T, home string, env []string, args ...string) *console {
	t.Helper()
	return openSized(t, pty.Winsize{Rows: 24, Cols: 80}, home, env, args...)
}

// openSized is openConsole on a terminal of this size.
func openSized(t *testing.T, size pty.Winsize, home string, env []string, args ...string) *console {
	t.Helper()
	if testing.Short() {
		t.Skip("not run with -short: it is a process of its own")
	}
	self := must.Get(exec.LookPath("pictx"))(t)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute) // against hanging
	t.Cleanup(stop)
	c := &console{cmd: exec.CommandContext(ctx, self, args...), ended: make(chan struct{})}
	c.cmd.Dir = home
	c.cmd.Env = append([]string{"HOME=" + home, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH"), "PAGER=cat"}, env...)
	c.tty = must.Get(pty.StartWithSize(c.cmd, &size))(t)
	t.Cleanup(func() { c.tty.Close() })
	go func() {
		defer close(c.ended)
		_, _ = io.Copy(c, c.tty)
	}()
	return c
}

// Write takes in what is drawn.
func (c *console) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.drawn.Write(b)
}

// raw returns what was drawn from an offset on.
func (c *console) raw(from int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.drawn.String()[from:]
}

// await waits until words were drawn after an offset. Drawing leaves out what stands on the
// screen already, blanks above all, so blanks do not count.
func (c *console) await(t *testing.T, from int, words string) {
	t.Helper()
	squeeze := func(s string) string { return strings.Join(strings.Fields(ansi.Strip(s)), "") }
	for over := false; ; {
		drawn := c.raw(from)
		switch {
		case strings.Contains(squeeze(drawn), squeeze(words)):
			return
		case over:
			t.Fatalf("%q was not drawn:\n%q", words, drawn)
		}
		select {
		case <-c.ended:
			over = true
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// exit waits for the program and for the last of what it drew, which may still be on its way
// when the program has ended. It returns the exit code.
func (c *console) exit(t *testing.T) int {
	t.Helper()
	code := exitCode(t, c.cmd.Wait())
	<-c.ended
	return code
}

func (c *console) press(t *testing.T, keys string) {
	t.Helper()
	must.Get(c.tty.WriteString(keys))(t)
}

// resize gives the terminal another size, at which everything is drawn again. It returns
// the offset from which that is.
func (c *console) resize(t *testing.T, rows, cols uint16) int {
	t.Helper()
	from := len(c.raw(0))
	must.Do(t, pty.Setsize(c.tty, &pty.Winsize{Rows: rows, Cols: cols}))
	return from
}

// answer waits for each question and presses the keys after it, "" for none. It returns all that
// was drawn, and the exit code.
func (c *console) answer(t *testing.T, asked ...string) (string, int) {
	t.Helper()
	from := 0
	for i := 0; i+1 < len(asked); i += 2 {
		c.await(t, from, asked[i])
		if asked[i+1] != "" { // what follows is drawn after it
			from = len(c.raw(0))
			c.press(t, asked[i+1])
		}
	}
	code := c.exit(t)
	return c.raw(0), code
}

// underTerminal runs pictx to its end and returns what it wrote, stderr included, and its exit
// code.
func underTerminal(t *testing.T, home string, args ...string) (string, int) {
	t.Helper()
	return openConsole(t, home, nil, args...).answer(t)
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	var ee *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &ee):
		return ee.ExitCode()
	}
	t.Fatal(err)
	return -1
}

// withSessions is a home whose store holds the recorded sessions.
func withSessions(t *testing.T) string {
	t.Helper()
	sessions := must.Get(filepath.Abs("../testdata/sessions"))(t)
	home := t.TempDir()
	out, code := underTerminal(t, home, "import", sessions)
	must.Stop(t, code != 0, "import: exit %d\n%s", code, out)
	return home
}

func TestBrowseReachesASentenceWithinADozenKeys(t *testing.T) {
	t.Parallel()
	home := withSessions(t)
	for name, env := range map[string][]string{"colour": nil, "no colour": {"NO_COLOR=1"}} {
		t.Run(name, func(t *testing.T) {
			c := openConsole(t, home, env, "browse")
			c.await(t, 0, "4 sessions, latest first")
			const words = "precedes"
			c.press(t, words)
			c.press(t, "\r")
			c.await(t, 0, "esc back")
			c.await(t, c.resize(t, 30, 100), "looking at what precedes them")
			c.await(t, c.resize(t, 10, 40), "than one read")
			must.Not(t, strings.Contains(c.raw(0), "\x1b[38") && env != nil, "colours with NO_COLOR: %q", c.raw(0))
			c.press(t, "\x03")
			must.Equal(t, c.exit(t), 0, "exit code")
			must.Not(t, !strings.Contains(c.raw(0), "\x1b[?1049l"), "the screen from before is not restored")
		})
	}
}

func TestBrowseSaysHowItUnderstoodTheWords(t *testing.T) {
	t.Parallel()
	home := withSessions(t)
	for words, want := range map[string]string{
		"precedes xylophone": "best first · none has all the words",
		"preced":             "best first · inside longer words",
		"precdes":            "did you mean precedes",
	} {
		c := openConsole(t, home, nil, "browse", words)
		c.await(t, 0, want)
		c.press(t, "\x03")
		must.Equal(t, c.exit(t), 0, "%s: exit code", words)
	}
}

func TestBrowseNeedsATerminalThatCanDraw(t *testing.T) {
	t.Parallel()
	home := withSessions(t)
	for name, env := range map[string][]string{"dumb": {"TERM=dumb"}, "plain lines": {"ACCESSIBLE=1"}} {
		t.Run(name, func(t *testing.T) {
			c := openConsole(t, home, env, "browse")
			c.await(t, 0, "hint: pictx sessions")
			must.Equal(t, c.exit(t), 2, "exit")
		})
	}
}
