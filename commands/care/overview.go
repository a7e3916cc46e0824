package care

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/workspace"
)

// overview is the output of pictx without a command.
type overview struct {
	*cli.Run
	workspace.Project
	stored bool // the project has a store with sessions
	kept   int  // sessions of the project that pi keeps
	wrong  bool
	fix    string // of the first problem
}

// RunOverview prints the state of the project, what it cost, what needs attention, and
// which command to run next.
func RunOverview(a *cli.Run, ctx context.Context) error {
	pl, err := a.Here()
	if err != nil {
		return err
	}
	o := &overview{Run: a, Project: pl}
	a.Out.Printf("%s\n\n", text.TerminalLine(a.HomePath(pl.Root)))
	if err := o.sessions(ctx); err != nil {
		return err
	}
	o.waiting()
	o.problems()
	o.row("Next", o.next())
	a.Out.Printf("\npictx --help lists every command.\n")
	return nil
}

// row prints a line of the overview.
func (o *overview) row(name, said string) {
	o.Out.Printf("%-10s %s\n", name, cli.Hang(said, 11, o.Out.Width))
}

// sessions prints what is stored, and the cost of the last week.
func (o *overview) sessions(ctx context.Context) error {
	kept, err := workspace.KeptSessions(o.Sources(), o.Project, false)
	if err != nil {
		return err
	}
	o.kept = len(kept)
	stores, _, err := o.GrepStores(ctx, "project")
	if errors.Is(err, sqlite.ErrNoStore) {
		stored := "none stored yet"
		if o.kept > 0 {
			stored = text.Thousands(o.kept) + " of pi, " + stored
		}
		o.row("Sessions", stored)
		return nil
	}
	if err != nil {
		return err
	}
	defer stores.Close()
	const week = 7 * 24 * time.Hour
	all, err := workspace.StoredSessions(ctx, stores, 0, 0)
	if err != nil {
		return err
	}
	used, err := workspace.ReadUsage(ctx, stores, "day", o.Env.Now().Add(-week).UnixMilli())
	if err != nil {
		return err
	}
	if o.stored = len(all) > 0; o.stored {
		o.row("Sessions", fmt.Sprintf("%s stored, last %s", text.Thousands(len(all)), text.LocalMinute(all[0].Last)))
	}
	said := text.Count(used.Total.Requests, "request")
	if used.Total.Requests > used.Total.Unpriced {
		said += fmt.Sprintf(", $%.2f", used.Total.Dollars)
	}
	if used.Pruned.Results > 0 {
		said += fmt.Sprintf("; %s pruned, %s tokens", text.Count(used.Pruned.Results, "tool output"), text.TokensShort(float64(used.Pruned.Tokens)))
	}
	if used.Total.Saved >= 0.005 {
		said += "; saved " + text.Dollars(used.Total.Saved)
	}
	o.row("This week", said)
	return nil
}

// waiting prints decisions that wait for the user. pictx decision audit reports a log that
// cannot be read.
func (o *overview) waiting() {
	_, state, err := workspace.OpenDecisions(o.Project).Load()
	if err != nil {
		return
	}
	if n := len(state.With(decision.Draft)); n > 0 {
		o.row("Waiting", fmt.Sprintf("%s: pictx decision list --status draft", text.Count(n, "draft decision")))
	}
	if n := len(state.Clashes()); n > 0 {
		o.row("Waiting", fmt.Sprintf("%s between decisions: pictx decision audit", text.Count(n, "conflict")))
	}
}

// problems prints problems of the extension, as doctor finds them.
func (o *overview) problems() {
	d := &doctor{Run: o.Run, Project: o.Project}
	d.agent()
	d.extension()
	for _, c := range d.found.Checks {
		if c.Result == resultOK {
			continue
		}
		if !o.wrong {
			o.wrong, o.fix = true, c.Hint
		}
		o.row("Problem", text.TerminalLine(c.Message))
	}
}

// next says which command to run next and, unless a line above explains it, why.
func (o *overview) next() string {
	switch {
	case !o.stored && o.kept > 0 && !o.wrong:
		return "pictx import  (stores this project's sessions, so that they can be searched)"
	case !o.stored && o.kept > 0:
		return "pictx replay  (shows what pruning would have saved in your sessions; it changes nothing)"
	case o.fix != "":
		return o.fix
	case !o.stored:
		return "pictx replay --all  (this project has no sessions yet; it prices those of others)"
	}
	return "pictx usage  (shows what your sessions cost)"
}
