package decision

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// statusView is the JSON output of status.
type statusView struct {
	V          int            `json:"v"`
	Path       string         `json:"path"`
	Branch     string         `json:"branch"`
	Enabled    bool           `json:"enabled"`
	Off        string         `json:"off"`
	Trusted    bool           `json:"trusted"`
	Counts     map[string]int `json:"counts"`
	Removed    int            `json:"removed"`
	Events     int            `json:"events"`
	Damaged    int            `json:"damaged"`
	Unknown    int            `json:"unknown"`
	Conflicts  int            `json:"conflicts"`
	Bytes      int64          `json:"bytes"`
	Project    string         `json:"project"`
	Unreadable string         `json:"newer"`
}

func statusVerb() verb {
	return verb{
		use:    "status",
		short:  "Show where decisions are stored, and how many",
		hidden: true,
		exits:  "12",
		args:   cli.NoArgs,
		run: func(ctx context.Context, w *decisions, _ []string) error {
			where, err := w.Off()
			if err != nil {
				return err
			}
			log, s, err := w.load()
			if err != nil {
				return err
			}
			v := statusView{
				V: 1, Path: w.Log.Path(), Enabled: where == "", Off: where, Counts: map[string]int{}, Events: len(log.Events),
				Trusted: workspace.Trusted(w.Place, w.Settings.Config.Trust, w.app.Env.Getenv("HOME")) || w.Place.Began() || len(log.Events) == 0,
				Unknown: len(log.Has(decision.DamageUnknown)), Conflicts: len(s.Clashes()), Bytes: log.Size,
				Removed: len(s.Decisions) - len(s.Present()),
			}
			v.Damaged = len(log.Damage) - v.Unknown
			for _, st := range decision.Statuses() {
				v.Counts[string(st)] = s.Counts()[st]
			}
			if len(log.Events) > 0 {
				v.Project = log.Events[0].Project
			}
			if branch, err := w.Repository().Git(ctx, "symbolic-ref", "--quiet", "--short", "HEAD"); err == nil {
				v.Branch = strings.TrimSpace(string(branch))
			}
			if err := log.Writable(); err != nil {
				v.Unreadable = err.Error()
			}
			return w.emit(v, v.print)
		},
	}
}

func (v *statusView) print(o *cli.Out) {
	o.Printf("%s\n", text.Printable(v.Path))
	if v.Branch != "" {
		o.Printf("branch %s\n", text.Printable(v.Branch))
	}
	if !v.Enabled {
		o.Printf("off: %s says so\n", text.Printable(v.Off))
	}
	if !v.Trusted {
		o.Printf("somebody else started this project and pi does not trust it: the agent sees no decisions until you say /trust there\n")
	}
	for _, st := range decision.Statuses() {
		o.Printf("%s %d\n", st, v.Counts[string(st)])
	}
	o.Printf("%s, %s removed, %s\n", text.Count(v.Events, "event"), text.Thousands(int64(v.Removed)), text.Bytes(v.Bytes))
	for _, n := range []struct {
		n    int
		what string
	}{{v.Damaged, "damaged line"}, {v.Unknown, "line of an unknown kind"}, {v.Conflicts, "conflict"}} {
		if n.n > 0 {
			o.Printf("%s: pictx decision audit\n", text.Count(n.n, n.what))
		}
	}
	if v.Unreadable != "" {
		o.Printf("%s\n", text.Printable(v.Unreadable))
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
	var budget int
	var since string
	var explain bool
	return verb{
		use:   "context",
		short: "Print the decisions as the agent sees them",
		exits: "3 12",
		args:  cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			f := cmd.Flags()
			f.IntVar(&budget, "budget", 0, "at most this `number` of characters")
			f.StringVar(&since, "since", "", "only what changed after the event with this `key`")
			f.BoolVar(&explain, "explain", false, "explain on standard error where the agent would see it, and why")
		},
		run: func(_ context.Context, w *decisions, _ []string) error {
			where, err := w.Off()
			if err != nil {
				return err
			}
			v := contextView{V: 1, Enabled: where == "", Shown: []decision.ShownLine{}, Gone: []string{}}
			if v.Enabled {
				if err := v.fill(w, budget, since); err != nil {
					return err
				}
			}
			if explain {
				explainContext(w, where)
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
func (v *contextView) fill(w *decisions, budget int, since string) error {
	log, s, err := w.load()
	if err != nil {
		return err
	}
	limit := w.Settings.Config.Decisions.Context.MaxDecisions
	p := s.Project(limit, budget)
	v.Text, v.Left, v.Shown = p.Text(), p.Left, append(v.Shown, p.Lines...)
	if since == "" {
		return nil
	}
	before, ok := log.Until(since)
	if !ok {
		return exit.WithHint(exit.NotFound, "pictx decision show --history", fmt.Errorf("there is no event %s", since))
	}
	known := decision.Known{}
	known.Shows(decision.Replay(before).Project(limit, budget))
	d := s.Since(known, p)
	v.Text, v.Shown, v.Gone = "", append([]decision.ShownLine{}, d.Added...), append(v.Gone, d.Gone...)
	if !d.Empty() {
		v.Text = d.Text()
	}
	return nil
}

// explainContext prints how the decisions reach an agent here.
func explainContext(w *decisions, where string) {
	if where != "" {
		w.say("the agent sees nothing: %s says so", where)
		return
	}
	if !workspace.Trusted(w.Place, w.Settings.Config.Trust, w.app.Env.Getenv("HOME")) {
		w.say("pi does not trust this project: the agent sees no decisions")
	}
	w.say("a hidden message when a session starts, and one for each change")
}
