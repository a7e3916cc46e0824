package commands

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
	"github.com/coctostan/pictx/workspace/world"
)

// What an agent does not wait for may come after the end of its session.
func TestTheStoreOfAFinishedSessionInMemoryIsNotCreatedAgain(t *testing.T) {
	dir := t.TempDir()
	a := cli.NewRun(&cli.Env{Process: workspace.Process{Environ: []string{"PI_CODING_AGENT_DIR=" + dir, "HOME=" + dir}, Dir: dir, Now: time.Now}, Out: io.Discard, Err: io.Discard})
	w := world.New(a.Workspace)
	project := func(event string) *hooks.Project {
		return must.Get(w.Project(t.Context(), &hooks.Request{V: 1, Event: event, CWD: dir, Session: hooks.SessionRef{ID: "memory-1"}}))(t)
	}
	late := project(hooks.EventAgentEnd)
	must.Get(project(hooks.EventSessionStart).Store(t.Context()))(t)
	must.Do(t, project(hooks.EventSessionShutdown).Maintain(t.Context(), true))
	if _, err := late.Store(t.Context()); !errors.Is(err, world.ErrSessionOver) {
		t.Errorf("the store is opened: %v", err)
	}
	if left, err := os.ReadDir(workspace.EphemeralDir(dir)); err == nil && len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := project(hooks.EventSessionStart).Store(t.Context()); err != nil {
		t.Errorf("a session that begins again: %v", err)
	}
}
