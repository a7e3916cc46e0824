package decision

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// statusView is the JSON output of status.
type statusView struct {
	V         int            `json:"v"`
	Path      string         `json:"path"`
	Off       string         `json:"off"`
	Trusted   bool           `json:"trusted"`
	Counts    map[string]int `json:"counts"`
	Removed   int            `json:"removed"`
	Events    int            `json:"events"`
	Damaged   int            `json:"damaged"`
	Conflicts int            `json:"conflicts"`
}

func statusVerb() verb {
	return verb{
		use:    "status",
		short:  "Show where decisions are stored, and how many",
		hidden: true,
		exits:  "12",
		args:   cli.NoArgs,
		run: func(_ context.Context, w *decisions, _ []string) error {
			where, err := w.Off()
			if err != nil {
				return err
			}
			log, s, err := w.load()
			if err != nil {
				return err
			}
			v := statusView{
				V: 1, Path: w.Log.Path(), Off: where, Counts: map[string]int{}, Removed: len(s.Removed()), Events: len(log.Events),
				Damaged: len(log.Damage), Conflicts: len(s.Clashes()),
				Trusted: workspace.Trusted(w.Project, w.Settings.Config.Trust, w.app.Env.Getenv("HOME")) || w.Project.Began() || len(log.Events) == 0,
			}
			for _, st := range decision.Statuses() {
				v.Counts[string(st)] = len(s.With(st))
			}
			return w.emit(v, v.print)
		},
	}
}

func (v *statusView) print(o *cli.Out) {
	o.Printf("%s\n", text.Printable(v.Path))
	if v.Off != "" {
		o.Printf("off: %s says so\n", text.Printable(v.Off))
	}
	if !v.Trusted {
		o.Printf("somebody else started this project and pi does not trust it: the agent sees no decisions until you say /trust there\n")
	}
	for _, st := range decision.Statuses() {
		o.Printf("%s %d\n", st, v.Counts[string(st)])
	}
	o.Printf("%s, %d removed\n", text.Count(v.Events, "event"), v.Removed)
	if v.Damaged+v.Conflicts > 0 {
		o.Printf("%s, %s: pictx decision audit\n", text.Count(v.Damaged, "unusable line"), text.Count(v.Conflicts, "conflict"))
	}
}

// contextView is the JSON output of context.
type contextView struct {
	V       int                  `json:"v"`
	Enabled bool                 `json:"enabled"`
	Text    string               `json:"text"`
	Shown   []decision.ShownLine `json:"shown"`
	Left    int                  `json:"left"`
	Gone    []string             `json:"gone"`
}

func contextVerb() verb {
	var since string
	return verb{
		use:   "context",
		short: "Print the decisions as the agent sees them",
		exits: "3 12",
		args:  cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			f := cmd.Flags()
			f.StringVar(&since, "since", "", "only what changed after the event with this `key`")
		},
		run: func(_ context.Context, w *decisions, _ []string) error {
			where, err := w.Off()
			if err != nil {
				return err
			}
			v := contextView{V: 1, Enabled: where == "", Shown: []decision.ShownLine{}, Gone: []string{}}
			if v.Enabled {
				if err := v.fill(w, since); err != nil {
					return err
				}
			}
			return w.emit(v, func(o *cli.Out) {
				if v.Text != "" {
					o.Printf("%s\n", v.Text)
				}
			})
		},
	}
}

// fill sets the text that an agent is shown.
func (v *contextView) fill(w *decisions, since string) error {
	log, s, err := w.load()
	if err != nil {
		return err
	}
	limit := w.Settings.Config.Decisions.Context.MaxDecisions
	p := s.Project(limit)
	v.Left = p.Left
	if since != "" {
		before, ok := log.Until(since)
		if !ok {
			return exit.WithHint(exit.NotFound, "pictx decision show --history", fmt.Errorf("there is no event %s", since))
		}
		var known decision.Known
		known.Take(decision.Replay(before).Project(limit))
		p = s.Since(known, limit)
	}
	v.Text, v.Shown, v.Gone = p.Text(), append(v.Shown, p.Lines...), append(v.Gone, p.Gone...)
	return nil
}
