//go:build unix

package e2e

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/coctostan/pictx/internal/must"
)

// screen is a pi in a terminal.
type screen struct {
	t     *testing.T
	tty   *os.File
	shown lockedBuffer
	over  chan struct{}
}

// screen starts pi as a person does.
func (h *home) screen(t *testing.T) *screen {
	t.Helper()
	slots <- struct{}{}
	cmd := h.command(t)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "COLUMNS=120", "LINES=40")
	cmd.SysProcAttr = nil // pty makes a session of its own
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		<-slots
		t.Fatal(err)
	}
	s := &screen{t: t, tty: tty, over: make(chan struct{})}
	go func() {
		io.Copy(&s.shown, tty)
		cmd.Wait()
		<-slots
		close(s.over)
	}()
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		tty.Close()
		<-s.over
	})
	return s
}

// escapes are what a terminal does not show.
var escapes = regexp.MustCompile("\x1b(\\[[0-9;?<>=]*[a-zA-Z]|\\][^\x07\x1b]*(\x07|\x1b\\\\)|_[^\x1b]*\x1b\\\\|[()][A-Z0-9]|[=>78])")

// text is all that was shown so far.
func (s *screen) text() string { return escapes.ReplaceAllString(s.shown.String(), "") }

// wait waits until a text is shown after a mark, and returns the next mark.
func (s *screen) wait(from int, part string) int {
	s.t.Helper()
	i := -1
	waitFor(s.t, fmt.Sprintf("%q on the screen", part), func() bool {
		all := s.text()
		from = min(from, len(all))
		i = strings.Index(all[from:], part)
		return i >= 0
	})
	return from + i + len(part)
}

// keys presses keys one after the other, as a person does.
func (s *screen) keys(all ...string) {
	s.t.Helper()
	for _, k := range all {
		must.Get(io.WriteString(s.tty, k))(s.t)
		time.Sleep(50 * time.Millisecond)
	}
}

func TestAPersonSeesCompletionsAndCheckboxes(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h, f := fakeHome(t, version, "screen", transport)
		s := h.screen(t)
		f.await(t, "session_start", 1)
		s.keys(strings.Split("/e2e n", "")...)
		mark := s.wait(0, "a completion for n")
		s.keys("\x7f", "b", "o", "x", "e", "s")
		mark = s.wait(mark, "/e2e boxes")
		time.Sleep(500 * time.Millisecond) // what was completed before is no longer offered
		s.keys("\r")
		mark = s.wait(mark, "space toggles")
		s.keys(" ") // Alpha in
		mark = s.wait(mark, "(2 of 3 chosen)")
		s.keys("\x1b[B")
		mark = s.wait(mark, "> [x] Beta")
		s.keys(" ") // Beta out
		mark = s.wait(mark, "(1 of 3 chosen)")
		s.keys("\r")
		s.wait(mark, `got some=["a"] state`)
		s.keys("\x03", "\x03", "\x04")
		select {
		case <-s.over:
		case <-time.After(patience):
			t.Errorf("pi did not end")
		}
		f.gone(t)
	})
}
