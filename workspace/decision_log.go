package workspace

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	mrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/repo"
)

// gitError is an error reported by git.
type gitError struct {
	args []string
	text string
}

// Error implements error.
func (e *gitError) Error() string {
	return fmt.Sprintf("run git %s: %s", e.args[0], e.text)
}

// DecisionLog is the log of a project for commands and hooks alike.
type DecisionLog struct {
	Workspace *Workspace
	Project   Project
	Settings  *Settings
	Log       *jsonl.Decisions
}

// OpenDecisions returns the log of a project.
func OpenDecisions(pl Project) *jsonl.Decisions { return jsonl.OpenDecisions(pl.Root) }

// Off returns the setting that switched decisions off, "" when they are on. A project may
// switch them off even when it is not trusted.
func (w *DecisionLog) Off() (string, error) {
	set := w.Settings
	if set.Config.Decisions.Enabled {
		all, err := w.Workspace.TrustedSettings(w.Project, new(true))
		if err != nil || all.Config.Decisions.Enabled {
			return "", err
		}
		set = all
	}
	s, err := set.Get(KeyDecisions)
	return s.Origin.String(), err
}

// KeyDecisions is the setting that switches decisions on or off.
const KeyDecisions = "decisions.enabled"

// Load returns the state of the log.
func (w *DecisionLog) Load() (*decision.State, error) {
	_, s, err := w.Log.Load()
	return s, err
}

// Change changes the log as an actor and returns its new state; "" means the actor of this process.
func (w *DecisionLog) Change(ctx context.Context, actor string, edit func(e *decision.Editor) error) (*decision.State, error) {
	author := w.author(ctx, w.Workspace.Env)
	err := w.keepOwn(func() error {
		return w.Log.Update(ctx, func(log *decision.Log, s *decision.State) ([]decision.Event, error) {
			e, err := w.Editor(ctx, log, s)
			if err != nil {
				return nil, err
			}
			e.By, e.Actor = author, cmp.Or(actor, e.Actor)
			err = edit(e)
			return e.Events(), err
		})
	})
	if err != nil {
		return nil, err
	}
	return w.Load()
}

// Rewrite replaces the contents of the log by the result of change. With backup it keeps
// the old log and returns its path.
func (w *DecisionLog) Rewrite(ctx context.Context, backup bool, change func(data []byte) ([]byte, error)) (kept string, err error) {
	err = w.keepOwn(func() error {
		kept, err = w.Log.Rewrite(ctx, backup, change)
		return err
	})
	return kept, err
}

// keepOwn changes the log. A log that is the user's own, or that this change creates, stays
// the user's own.
func (w *DecisionLog) keepOwn(change func() error) error {
	own := w.Project.Undecided() || w.Project.Began()
	err := change()
	if err == nil && own {
		w.Project.begin()
	}
	return err
}

// Editor returns an editor for a change at the present time.
func (w *DecisionLog) Editor(ctx context.Context, log *decision.Log, s *decision.State) (*decision.Editor, error) {
	now, err := Clock(w.Workspace.Env)
	if err != nil {
		return nil, err
	}
	e := &decision.Editor{State: s, Now: now, Random: Randomness(w.Workspace.Env), Actor: "user", Project: w.projectID(ctx, log)}
	if w.Workspace.Env.Agent() {
		e.Actor = "agent"
	}
	return e, nil
}

// Clock returns the current time, or the time set by PICTX_NOW.
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

// Randomness returns the system's source of randomness, or one seeded by PICTX_SEED.
func Randomness(env *Process) io.Reader {
	set := env.Getenv("PICTX_SEED")
	if set == "" {
		return rand.Reader
	}
	var seed [32]byte
	copy(seed[:], set)
	return mrand.NewChaCha8(seed)
}

// projectID returns the id in the log. A new log gets the id of the repository's first
// commit, which all clones and work trees share, or a random one.
func (w *DecisionLog) projectID(ctx context.Context, log *decision.Log) string {
	const digits = 16
	if p := log.Project(); p != "" {
		return p
	}
	if out, err := w.Git(ctx, "rev-list", "--max-parents=0", "HEAD"); err == nil {
		lines := strings.Fields(string(out))
		if n := len(lines); n > 0 && len(lines[n-1]) >= digits {
			return lines[n-1][:digits]
		}
	}
	var b [digits / 2]byte
	_, _ = io.ReadFull(Randomness(w.Workspace.Env), b[:]) // reading the system's randomness never fails
	return hex.EncodeToString(b[:])
}

// Undecided reports whether the project has no log yet. A log written from now on was begun
// by this user.
func (pl Project) Undecided() bool {
	_, err := os.Lstat(jsonl.DecisionsPath(pl.Root))
	return errors.Is(err, fs.ErrNotExist)
}

// begunFile returns the path of the file that records that this user began the log of this
// project. The file has the project's id, followed by checksums of the lines of the log.
func (pl Project) begunFile() string { return pl.cacheFile("decisions-own") }

// begin records that the present log of the project is the user's own. When that fails, the
// user has to trust the project like any other.
func (pl Project) begin() {
	if record := pl.checksums(); len(record) > 1 && os.MkdirAll(filepath.Dir(pl.begunFile()), 0o700) == nil {
		_ = os.WriteFile(pl.begunFile(), []byte(strings.Join(record, "\n")+"\n"), 0o600)
	}
}

// Began reports whether this user began the log of this project, so that no question about
// trust is needed. The log must continue the recorded one or be an earlier state of it. The
// id alone proves nothing: it is not secret, so another log with the same id may be here
// now.
func (pl Project) Began() bool {
	b, err := os.ReadFile(pl.begunFile())
	record, now := strings.Fields(string(b)), pl.checksums()
	if err != nil || len(record) < 2 || len(now) < 2 || record[0] != now[0] {
		return false
	}
	return subset(record, now) || subset(now, record)
}

// subset reports whether every element of some is among all.
func subset(some, all []string) bool {
	set := make(map[string]bool, len(all))
	for _, e := range all {
		set[e] = true
	}
	return !slices.ContainsFunc(some, func(e string) bool { return !set[e] })
}

// checksums returns the project id of the project's log and the checksums of its lines, nothing
// when there is none.
func (pl Project) checksums() []string {
	const limit, enough = 256 << 20, 64 << 10 // enough to contain the project id
	data, err := repo.Read(pl.Root, jsonl.DecisionsPath(pl.Root), limit)
	project := decision.Read(data[:min(len(data), enough):min(len(data), enough)]).Project()
	if err != nil || project == "" {
		return nil
	}
	out := []string{project}
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			out = append(out, decision.DeriveKey(line))
		}
	}
	return out
}
