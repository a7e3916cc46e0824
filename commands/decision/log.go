package decision

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// decisions is the log of a project, with its place and settings.
type decisions struct {
	app *cli.Run // the command line: streams, settings, confirmations
	workspace.DecisionLog
	closest []*decision.Decision // the active ones to compare a new text with
}

// openLog locates the log of the project. It opens and creates nothing.
func openLog(a *cli.Run) (*decisions, error) {
	pl, err := a.Here()
	if err != nil {
		return nil, err
	}
	if pl.Gone() { // only its sessions are left
		return nil, exit.UsageError("pictx --project DIR", "open decisions: %s is not there any more", a.ProjectDir)
	}
	if err := workspace.MayRead(a.Workspace, pl); err != nil {
		return nil, err
	}
	set, err := a.LoadSettings(pl)
	if err != nil {
		return nil, err
	}
	a.Warn(set)
	return &decisions{app: a, DecisionLog: workspace.DecisionLog{Workspace: a.Workspace, Project: pl, Settings: set, Log: workspace.OpenDecisions(pl)}}, nil
}

// say prints a message on standard error.
func (w *decisions) say(format string, args ...any) {
	fmt.Fprintf(w.app.Env.Err, "pictx: "+format+"\n", args...)
}

// sayAll prints lines on standard error.
func (w *decisions) sayAll(lines []string) {
	for _, line := range lines {
		w.say("%s", text.Printable(line))
	}
}

// emit prints v as JSON or text.
func (w *decisions) emit(v any, text func(o *cli.Out)) error { return w.app.Out.Emit(v, text) }

// emitAll prints each of a list as JSON or text.
func emitAll[T any](w *decisions, list []T, print func(o *cli.Out, v T)) error {
	for _, v := range list {
		if err := w.emit(v, func(o *cli.Out) { print(o, v) }); err != nil {
			return err
		}
	}
	return nil
}

// load reads the log and warns about damaged lines.
func (w *decisions) load() (*decision.Log, *decision.State, error) {
	log, state, err := w.Log.Load()
	if err != nil {
		return nil, nil, err
	}
	if n := len(log.Damage); n > 0 {
		w.say("warning: %s of the log cannot be used: line %d: %s\nhint: pictx decision audit",
			text.Count(n, "line"), log.Damage[0].Line, text.Printable(log.Damage[0].Text))
	}
	return log, state, nil
}

// refuseOff returns an error when decisions are off.
func (w *decisions) refuseOff() error {
	where, err := w.Off()
	if err != nil || where == "" {
		return err
	}
	hint := "pictx decision enable --global"
	if strings.HasPrefix(where, "project ") {
		hint = "pictx decision enable --project"
	}
	return exit.WithHint(exit.Refused, hint, fmt.Errorf("decisions are off: %s says so", where))
}

// change changes the log and returns its new state. The log is locked while edit runs.
func (w *decisions) change(ctx context.Context, edit func(e *decision.Editor) error) (*decision.State, error) {
	if err := w.refuseOff(); err != nil {
		return nil, err
	}
	return w.Change(ctx, "", edit)
}

// changes changes the log and prints the decisions whose ids edit returns.
func (w *decisions) changes(ctx context.Context, did string, edit func(e *decision.Editor) ([]string, error)) error {
	var ids []string
	s, err := w.change(ctx, func(e *decision.Editor) (err error) {
		ids, err = edit(e)
		return err
	})
	if err != nil {
		return err
	}
	return w.changed(did, s, ids...)
}

// changeResult is the JSON output of commands that change decisions.
type changeResult struct {
	V         int                  `json:"v"`
	Action    string               `json:"action"`
	Decisions []*decision.Decision `json:"decisions"`
	// Closest are the active decisions to compare a new one with.
	Closest []*decision.Decision `json:"closest"`
}

// changed prints decisions after a change.
func (w *decisions) changed(action string, s *decision.State, ids ...string) error {
	v := changeResult{V: 1, Action: action, Decisions: []*decision.Decision{}, Closest: append([]*decision.Decision{}, w.closest...)}
	var lines []string
	for _, id := range ids {
		d, err := s.Find(id)
		if err != nil {
			return err
		}
		v.Decisions = append(v.Decisions, d)
		lines = append(lines, action+" "+d.Summary())
		if old, err := s.Find(d.Supersedes); err == nil && d.Supersedes != "" && slices.Contains([]string{"added", "accepted"}, action) {
			did := map[bool]string{true: "would replace ", false: "replaces "}[d.Status == decision.Draft]
			lines = append(lines, did+old.Summary())
		}
	}
	return w.emit(v, func(o *cli.Out) {
		for _, l := range lines {
			o.Printf("%s\n", l)
		}
	})
}
