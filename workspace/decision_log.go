package workspace

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	mrand "math/rand/v2"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/jsonl"
)

// gitTime bounds a call of git.
const gitTime = 30 * time.Second

// gitError is an error that git reports.
type gitError struct {
	args []string
	text string
}

// Error implements error.
func (e *gitError) Error() string {
	return fmt.Sprintf("run git %s: %s", e.args[0], e.text)
}

// Repository is what git knows of a project and of the log in it.
type Repository struct{ Root, log string }

// DecisionLog is the log of a project, as a command and a hook both change it.
type DecisionLog struct {
	Workspace *Workspace
	Place     Place
	Settings  *Settings
	Log       *jsonl.Decisions
}

// OpenDecisions returns the log of a project.
func OpenDecisions(pl Place, set *Settings) *jsonl.Decisions {
	log := jsonl.OpenDecisions(pl.Root)
	log.MaxLine = set.Config.Decisions.MaxLine
	return log
}

// Repository is the repository of the project.
func (w *DecisionLog) Repository() Repository { return Repository{w.Place.Root, w.Log.Path()} }

// Lines reads the lines of a log.
func (w *DecisionLog) Lines(data []byte) *decision.Log {
	return decision.ReadLines(data, w.Settings.Config.Decisions.MaxLine)
}

// MaxText is how many bytes a text may have.
func (w *DecisionLog) MaxText() int { return decision.TextLimit(w.Settings.Config.Decisions.MaxText) }

// Off returns which setting switched the decisions off, "" when they are on. A project
// may always switch them off, trusted or not.
func (w *DecisionLog) Off() (string, error) {
	return DecisionsOff(w.Workspace, w.Place, w.Settings)
}

// DecisionsOff returns which setting switched the decisions of a project off, "" when they
// are on.
func DecisionsOff(a *Workspace, pl Place, set *Settings) (string, error) {
	if !set.Config.Decisions.Enabled {
		s, err := set.Get(KeyDecisions)
		return s.Origin.String(), err
	}
	yes := true
	all, err := a.TrustedSettings(pl, &yes)
	if err != nil || all.Config.Decisions.Enabled {
		return "", err
	}
	s, err := all.Get(KeyDecisions)
	return s.Origin.String(), err
}

// KeyDecisions is the setting that switches the decisions off.
const KeyDecisions = "decisions.enabled"

// ChangeAs changes the log as an actor, the one of this process when it is "".
func (w *DecisionLog) ChangeAs(ctx context.Context, actor string, edit func(e *decision.Editor) error) (*decision.State, error) {
	author := w.Repository().author(ctx, w.Workspace.Env)
	err := w.keepOwn(func() error { return w.append(ctx, actor, author, edit) })
	if err != nil {
		return nil, err
	}
	_, s, err := w.Log.Load()
	return s, err
}

// append adds the events of a change to the log.
func (w *DecisionLog) append(ctx context.Context, actor, author string, edit func(e *decision.Editor) error) error {
	return w.Log.Update(ctx, func(log *decision.Log, s *decision.State) ([]decision.Event, error) {
		e, err := w.Editor(ctx, log, s)
		if err != nil {
			return nil, err
		}
		e.By = author
		e.Actor = cmp.Or(actor, e.Actor)
		err = edit(e)
		return e.Events(), err
	})
}

// Rewrite replaces the log by what change makes of it, and returns where the old one
// was kept, if backup says so.
func (w *DecisionLog) Rewrite(ctx context.Context, backup bool, change func(data []byte) ([]byte, error)) (kept string, err error) {
	err = w.keepOwn(func() error {
		kept, err = w.Log.Rewrite(ctx, backup, change)
		return err
	})
	return kept, err
}

// keepOwn changes the log. One that is the user's own, or is only begun by the change,
// is the user's own after it as well.
func (w *DecisionLog) keepOwn(change func() error) error {
	own := w.Place.Undecided() || w.Place.Began()
	err := change()
	if err == nil && own {
		w.Place.begin()
	}
	return err
}

// Editor returns an editor for a change that is made now.
func (w *DecisionLog) Editor(ctx context.Context, log *decision.Log, s *decision.State) (*decision.Editor, error) {
	now, err := Clock(w.Workspace.Env)
	if err != nil {
		return nil, err
	}
	e := &decision.Editor{State: s, Now: now, Random: Randomness(w.Workspace.Env), Actor: "user", Project: w.projectID(ctx, log), MaxText: w.Settings.Config.Decisions.MaxText}
	if w.Workspace.Env.Agent() {
		e.Actor = "agent"
	}
	return e, nil
}

// Clock is the time, or the one of PICTX_NOW.
func Clock(env *Process) (time.Time, error) {
	set := env.Getenv("PICTX_NOW")
	if set == "" {
		return env.Now(), nil
	}
	t, err := time.Parse(time.RFC3339Nano, set)
	if err != nil {
		return t, exit.UsageError("PICTX_NOW=2026-11-20T09:00:00Z", "read PICTX_NOW: invalid time %q", set)
	}
	return t, nil
}

// Randomness is the system's, or that of PICTX_SEED.
func Randomness(env *Process) io.Reader {
	set := env.Getenv("PICTX_SEED")
	if set == "" {
		return rand.Reader
	}
	var seed [32]byte
	copy(seed[:], set)
	return mrand.NewChaCha8(seed)
}

// projectID is the id that the log has already. A new log gets the id of the
// repository's first commit, which every clone and work tree shares, or a random one.
func (w *DecisionLog) projectID(ctx context.Context, log *decision.Log) string {
	const digits = 16
	if p := log.Project(); p != "" {
		return p
	}
	if out, err := w.Repository().Git(ctx, "rev-list", "--max-parents=0", "HEAD"); err == nil {
		lines := strings.Fields(string(out))
		if n := len(lines); n > 0 && len(lines[n-1]) >= digits {
			return lines[n-1][:digits]
		}
	}
	var b [digits / 2]byte
	_, _ = io.ReadFull(Randomness(w.Workspace.Env), b[:]) // the system's never fails
	return hex.EncodeToString(b[:])
}
