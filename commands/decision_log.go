package commands

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	mrand "math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/project"
)

// decisions is the log of a project with its place and settings.
type decisions struct {
	app *app // the command line: streams, settings, confirmations
	pl  place
	set *settings
	log *jsonl.Decisions
}

// decisions finds the log of the project. It opens and creates nothing.
func (a *app) decisions() (*decisions, error) {
	pl, err := a.place()
	if err != nil {
		return nil, err
	}
	if pl, err = a.around(pl); err != nil {
		return nil, err
	}
	set, err := a.loadSettings(pl)
	if err != nil {
		return nil, err
	}
	a.warn(set)
	return &decisions{a, pl, set, openDecisions(pl, set)}, nil
}

// The values of --root.
const (
	rootProject = "project"
	rootSuper   = "super"
)

// around is the place whose decisions --root means: the project, or the repository
// around a submodule.
func (a *app) around(pl place) (place, error) {
	switch a.decisionRoot {
	case "", rootProject:
		return pl, nil
	case rootSuper:
	default:
		return pl, usageError("pictx decision list --root super", "there is no root %q: want project or super", a.decisionRoot)
	}
	out, err := repository{root: pl.Root}.git(context.Background(), "rev-parse", "--show-superproject-working-tree")
	dir := strings.TrimRight(string(out), "\r\n")
	if err != nil || dir == "" {
		return pl, usageError("pictx decision list", "%s is no submodule: there is nothing around it", pl.Root)
	}
	p, err := project.Find(dir, pl.agentDir)
	return place{pl.agentDir, p}, err
}

// openDecisions returns the log of a project.
func openDecisions(pl place, set *settings) *jsonl.Decisions {
	log := jsonl.OpenDecisions(pl.Root)
	log.MaxLine = set.Config.Decisions.MaxLine
	return log
}

// say prints a line for the person on standard error.
func (w *decisions) say(format string, args ...any) {
	fmt.Fprintf(w.app.env.Err, "pictx: "+format+"\n", args...)
}

// emit prints v as JSON, or text.
func (w *decisions) emit(v any, text func(o *out)) error { return w.app.out.emit(v, text) }

// repository is the repository of the project.
func (w *decisions) repository() repository { return repository{w.pl.Root, w.log.Path()} }

// lines reads the lines of a log.
func (w *decisions) lines(data []byte) *decision.Log {
	return decision.ReadLines(data, w.set.Config.Decisions.MaxLine)
}

// maxText is how many bytes a text may have.
func (w *decisions) maxText() int { return decision.TextLimit(w.set.Config.Decisions.MaxText) }

// load reads the log, and warns about damaged lines.
func (w *decisions) load() (*decision.Log, *decision.State, error) {
	log, state, err := w.log.Load()
	if err != nil {
		return nil, nil, err
	}
	if n := len(log.Damage); n > 0 {
		w.say("warning: %s of the log cannot be used: line %d: %s\nhint: pictx decision doctor",
			text.Count(n, "line"), log.Damage[0].Line, text.Printable(log.Damage[0].Cause))
	}
	return log, state, nil
}

// off returns which setting switched the decisions off, "" when they are on. A project
// may always switch them off, trusted or not.
func (w *decisions) off() (string, error) {
	return decisionsOff(w.app, w.pl, w.set)
}

func decisionsOff(a *app, pl place, set *settings) (string, error) {
	if !set.Config.Decisions.Enabled {
		s, err := set.Get(keyDecisions)
		return s.Origin.String(), err
	}
	yes := true
	all, err := a.trustedSettings(pl, &yes)
	if err != nil || all.Config.Decisions.Enabled {
		return "", err
	}
	s, err := all.Get(keyDecisions)
	return s.Origin.String(), err
}

// keyDecisions is the setting that switches the decisions off.
const keyDecisions = "decisions.enabled"

// refuseOff refuses a change where decisions are off.
func (w *decisions) refuseOff() error {
	where, err := w.off()
	if err != nil || where == "" {
		return err
	}
	hint := "pictx decision enable --global"
	if strings.HasPrefix(where, "project ") {
		hint = "pictx decision enable --project"
	}
	return withHint(exitRefused, hint, fmt.Errorf("decisions are off: %s says so", where))
}

// mayChange refuses a change where decisions are off, and in a bare repository, which
// has no files.
func (w *decisions) mayChange() error {
	if err := w.refuseOff(); err != nil {
		return err
	}
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(w.pl.Root, name)); err != nil {
			return nil //nolint:nilerr // a bare repository would have it
		}
	}
	return usageError("git clone "+shellWord(w.pl.Root), "write decisions: %s is a bare repository, which has no files", w.pl.Root)
}

// forPeople refuses an agent what only a person may decide.
func forPeople(a *app, what string) error {
	if !a.env.agent() {
		return nil
	}
	return withHint(exitRefused, "ask the user to run it", fmt.Errorf("%s: that is for a person to decide", what))
}

// change changes the log and returns its new state. The log is locked while edit runs.
func (w *decisions) change(ctx context.Context, edit func(e *decision.Editor) error) (*decision.State, error) {
	if err := w.mayChange(); err != nil {
		return nil, err
	}
	return w.changeAs(ctx, "", edit)
}

// changeAs changes the log as an actor, the one of this process when it is "".
func (w *decisions) changeAs(ctx context.Context, actor string, edit func(e *decision.Editor) error) (*decision.State, error) {
	author := w.repository().author(ctx, w.app.env)
	begins := !regularFile(w.log.Path())
	project := ""
	err := w.log.Update(ctx, func(log *decision.Log, s *decision.State) ([]decision.Event, error) {
		e, err := w.editor(ctx, log, s)
		if err != nil {
			return nil, err
		}
		e.By, project = author, e.Project
		e.Actor = cmp.Or(actor, e.Actor)
		err = edit(e)
		return e.Events(), err
	})
	if err != nil {
		return nil, err
	}
	if begins {
		w.pl.begin(project)
	}
	_, s, err := w.log.Load()
	return s, err
}

// editor returns an editor for a change that is made now.
func (w *decisions) editor(ctx context.Context, log *decision.Log, s *decision.State) (*decision.Editor, error) {
	now, err := clock(w.app.env)
	if err != nil {
		return nil, err
	}
	e := &decision.Editor{State: s, Now: now, Random: randomness(w.app.env), Actor: "user", Project: w.projectID(ctx, log), MaxText: w.set.Config.Decisions.MaxText}
	if w.app.env.agent() {
		e.Actor = "agent"
	}
	return e, nil
}

// clock is the time, or the one of PICTX_NOW.
func clock(env *Env) (time.Time, error) {
	set := env.Getenv("PICTX_NOW")
	if set == "" {
		return env.Now(), nil
	}
	t, err := time.Parse(time.RFC3339Nano, set)
	if err != nil {
		return t, usageError("PICTX_NOW=2026-11-20T09:00:00Z", "read PICTX_NOW: %q is no time", set)
	}
	return t, nil
}

// randomness is the system's, or that of PICTX_SEED.
func randomness(env *Env) io.Reader {
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
func (w *decisions) projectID(ctx context.Context, log *decision.Log) string {
	const digits = 16
	if p := log.Project(); p != "" {
		return p
	}
	if out, err := w.repository().git(ctx, "rev-list", "--max-parents=0", "HEAD"); err == nil {
		lines := strings.Fields(string(out))
		if n := len(lines); n > 0 && len(lines[n-1]) >= digits {
			return lines[n-1][:digits]
		}
	}
	var b [digits / 2]byte
	_, _ = io.ReadFull(randomness(w.app.env), b[:]) // the system's never fails
	return hex.EncodeToString(b[:])
}

// changedJSON is what a command that changes decisions prints as JSON.
type changedJSON struct {
	V         int             `json:"v"`
	Action    string          `json:"action"`
	Decisions []decision.View `json:"decisions"`
	Related   []relatedJSON   `json:"related"`
}

// relatedJSON is a decision that a new one is related to.
type relatedJSON struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
	Class string  `json:"class"`
	Text  string  `json:"text"`
}

// changed prints what a change made of decisions.
func (w *decisions) changed(action string, s *decision.State, related []decision.Relation, ids ...string) error {
	v := changedJSON{V: 1, Action: action, Decisions: []decision.View{}, Related: []relatedJSON{}}
	var lines []string
	for _, id := range ids {
		d, err := s.Find(id)
		if err != nil {
			return err
		}
		v.Decisions = append(v.Decisions, d.View())
		lines = append(lines, d.Summary())
	}
	for _, r := range related {
		score, _ := strconv.ParseFloat(strconv.FormatFloat(r.Score, 'f', 2, 64), 64)
		v.Related = append(v.Related, relatedJSON{r.Decision.ID, score, string(r.Class), r.Decision.Text})
	}
	return w.emit(v, func(o *out) {
		for _, l := range lines {
			o.printf("%s %s\n", action, l)
		}
	})
}
