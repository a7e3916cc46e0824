package decision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// listing says which decisions are listed.
type listing struct {
	all    bool
	status string
	search string
}

func listVerb() verb {
	var o listing
	return verb{
		use:   "list",
		short: "List and search decisions",
		old:   []string{"search"},
		exits: "12",
		args:  cli.SomeArgs(0, -1),
		flags: func(cmd *cobra.Command) {
			f := cmd.Flags()
			f.BoolVar(&o.all, "all", false, "decisions of any status")
			cli.WordFlag(cmd, &o.status, "status", "only those with this `status`", statusWords...)
			f.StringVar(&o.search, "search", "", "only those of any status that match a `query`")
		},
		check: o.check,
		run:   func(_ context.Context, w *decisions, _ []string) error { return o.print(w) },
	}
}

// check takes the query, which are the arguments where it is called as search.
func (o *listing) check(cmd *cobra.Command, args []string) error {
	switch {
	case cmd.CalledAs() == "search" && len(args) == 0:
		return exit.UsageError("pictx decision list --search WORDS", "missing argument: want words to search for")
	case cmd.CalledAs() == "search":
		o.search = strings.Join(args, " ")
	case len(args) > 0:
		return cli.NoArgs(cmd, args)
	}
	o.all = o.all || o.search != ""
	return nil
}

// print lists the decisions.
func (o *listing) print(w *decisions) error {
	_, s, err := w.load()
	if err != nil {
		return err
	}
	list := s.Listed()
	switch {
	case o.status != "":
		list = s.With(decision.Status(o.status))
	case !o.all:
		list = slices.DeleteFunc(list, func(d *decision.Decision) bool { return d.Status != decision.Active && !d.Removed })
	}
	if o.search != "" {
		q, err := decision.ParseQuery(o.search)
		if err != nil {
			return err
		}
		list = decision.Search(list, q)
	}
	switch {
	case len(list) > 0:
		return emitAll(w, list, printSummary)
	case len(s.Present()) == 0:
		w.say("there are no decisions yet: pictx decision add TEXT records one")
	case o.status == "" && !o.all:
		w.say("no decision is active; %s: pictx decision list --all", countByStatus(s))
	default:
		w.say("none of %s matches", text.Count(len(s.Present()), "decision"))
	}
	return nil
}

// countByStatus counts the decisions that are not active: "1 draft, 2 rejected".
func countByStatus(s *decision.State) string {
	each := []string{text.Count(len(s.With(decision.Draft)), "draft")}
	for _, status := range []decision.Status{decision.Rejected, decision.Superseded} {
		each = append(each, fmt.Sprintf("%d %s", len(s.With(status)), status))
	}
	return strings.Join(slices.DeleteFunc(each, func(n string) bool { return strings.HasPrefix(n, "0 ") }), ", ")
}

// printSummary prints a decision as one line.
func printSummary(o *cli.Out, d *decision.Decision) {
	o.Printf("%s%s\n", o.Style(cli.StyleBold, d.ID), strings.TrimPrefix(d.Summary(), d.ID))
}

// showing says what is shown of decisions.
type showing struct{ history, blame bool }

func showVerb() verb {
	var o showing
	return verb{
		use:   "show ID…",
		short: "Show a decision, or how it came about",
		old:   []string{"history", "blame"},
		exits: "3 12 130",
		args:  cli.SomeArgs(0, -1),
		ids:   true,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&o.history, "history", false, "list its changes; without an id, those of all decisions")
			cmd.Flags().BoolVar(&o.blame, "blame", false, "list its changes with their commits and authors")
		},
		check: func(cmd *cobra.Command, args []string) error {
			o.history, o.blame = o.history || cmd.CalledAs() == "history", o.blame || cmd.CalledAs() == "blame"
			if len(args) == 0 && !o.history {
				return cli.SomeArgs(1, -1)(cmd, args)
			}
			return nil
		},
		run: o.print,
	}
}

// print prints decisions, or their events.
func (o *showing) print(ctx context.Context, w *decisions, ids []string) error {
	var from map[int]workspace.LineOrigin
	if o.blame {
		err := w.Check(ctx)
		if err == nil {
			from, err = w.Blame(ctx)
		}
		if err != nil {
			return err
		}
	}
	_, s, err := w.load()
	if err != nil {
		return err
	}
	list := s.Decisions
	var failed error
	if len(ids) > 0 {
		list, failed = s.FindAll(ids)
	}
	if o.history || o.blame {
		err = printEvents(w, list, from)
	} else {
		err = emitAll(w, list, func(o *cli.Out, d *decision.Decision) { printDecision(o, s, d) })
	}
	return errors.Join(err, failed)
}

// printDecision prints a decision in full.
func printDecision(o *cli.Out, s *decision.State, d *decision.Decision) {
	status := string(d.Status)
	if d.Removed {
		status = "removed"
	}
	o.Printf("%s  %s\n\n%s\n\n", o.Style(cli.StyleBold, d.ID), status, text.Printable(strings.ReplaceAll(d.Text, "\n", " ⏎\n")))
	row := func(name, body string) {
		if body = strings.TrimSpace(body); body != "" {
			o.Printf("%-14s %s\n", name, text.TerminalLine(body))
		}
	}
	row("title", d.OwnTitle())
	row("reason", d.Reason)
	row("consequences", d.Consequences)
	row("tags", strings.Join(d.Tags, ", "))
	row("status since", localDay(d.Since)+"  "+d.StatusReason)
	row("supersedes", nameOf(s, d.Supersedes))
	row("superseded by", nameOf(s, d.SupersededBy))
	if len(d.Conflicts) > 0 {
		row("conflicts", strings.Join(d.Conflicts, ", ")+"  "+d.Note)
	}
	for _, f := range s.Clashes() {
		if slices.Contains(f.IDs, d.ID) {
			row("unsettled", f.Text)
			row("settled by", f.Fix)
		}
	}
	row("governs", strings.Join(d.Paths, ", "))
	row("review", d.Review)
	row("decided", cmp.Or(d.Decided, localDay(d.Created))+"  "+d.By)
	if latest := s.Latest(d); latest != d {
		row("in force", nameOf(s, latest.ID)+"  "+latest.Title)
	}
}

// localDay formats a time of a decision in the local zone.
func localDay(stamp string) string {
	if stamp == "" {
		return "-"
	}
	return text.LocalMinute(decision.Moment(stamp).UnixMilli())
}

// nameOf returns a decision that another one refers to, for printing.
func nameOf(s *decision.State, id string) string {
	if id == "" {
		return ""
	}
	d, err := s.Find(id)
	if err != nil || d.Removed {
		return id + " (purged)"
	}
	return d.ID
}
