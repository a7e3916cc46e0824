package commands

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coctostan/pictx/commands/care"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/workspace"
)

// screen is an output that another goroutine looks at.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// wait waits until the screen shows a text.
func (s *screen) wait(t *testing.T, want string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		shown := strings.Contains(s.text.String(), want)
		s.mu.Unlock()
		if shown {
			return
		}
	}
	t.Fatalf("%q is not shown", want)
}

func TestFollowingTheLogShowsNewLinesUntilInterrupted(t *testing.T) {
	t.Parallel()
	agent := t.TempDir()
	log := care.HookLog(agent)
	add := func(event, session string) {
		e := jsonl.LogEntry{Time: clitest.Now(), Event: event, Session: session, Result: jsonl.LogOK}
		must.Do(t, log.Append(e))
	}
	for _, args := range [][]string{{"log", "-f", "--event", "context"}, {"log", "-f", "--json", "--event", "context"}} {
		ctx, cancel := context.WithCancel(t.Context())
		var out screen
		var errs bytes.Buffer
		code := make(chan int)
		go func() {
			env := &cli.Env{Process: workspace.Process{Dir: agent, Now: clitest.Now, Environ: []string{"PI_CODING_AGENT_DIR=" + agent, "HOME=" + agent}}, Args: args, Out: &out, Err: &errs}
			code <- Main(ctx, env)
		}()
		add("context", "first")
		out.wait(t, "first")
		add("turn_end", "other")
		add("context", "second")
		out.wait(t, "second")
		cancel()
		got := <-code
		must.Not(t, got != exit.Interrupted || errs.Len() > 0, "%v ends with %d and says %q, want 130 and nothing", args, got, &errs)
		must.Not(t, strings.Contains(out.text.String(), "other"), "%v shows another event:\n%s", args, &out.text)
	}
}

func TestALineOfTheLogIsCutWhereTheTerminalEnds(t *testing.T) {
	t.Parallel()
	agent := t.TempDir()
	e := jsonl.LogEntry{Time: clitest.Now(), Event: "context", Session: "a", Result: jsonl.LogOK, Decision: strings.Repeat("ä", 300)}
	must.Do(t, care.HookLog(agent).Append(e))
	var out bytes.Buffer
	env := &cli.Env{Process: workspace.Process{Dir: agent, Now: clitest.Now, Environ: []string{"PI_CODING_AGENT_DIR=" + agent, "HOME=" + agent}}, Args: []string{"log"}, Out: &out, Err: &out, Width: 90}
	code := Main(t.Context(), env)
	must.Stop(t, code != exit.OK, "code %d: %s", code, &out)
	line := []rune(strings.TrimSuffix(out.String(), "\n"))
	must.Not(t, len(line) != 90 || line[89] != '…', "%d characters: %s", len(line), string(line))
}
