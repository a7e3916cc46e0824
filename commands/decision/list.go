package decision

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
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
			f.StringVar(&o.status, "status", "", "only those with this `status`: active, draft, rejected or superseded")
			f.StringVar(&o.search, "search", "", "only those of any status that match a `query`")
		},
		words: map[string][]string{"status": statusWords},
		check: o.check,
		run:   func(_ context.Context, w *decisions, _ []string) error { return o.print(w) },
	}
}

// check rejects an unknown status. Called as search, the arguments are the query.
func (o *listing) check(_ *cli.Run, cmd *cobra.Command, args []string) error {
	switch {
	case cmd.CalledAs() == "search" && len(args) == 0:
		return exit.UsageError("pictx decision list --search WORDS", "missing argument: want words to search for")
	case cmd.CalledAs() == "search":
		o.search = strings.Join(args, " ")
	case len(args) > 0:
		return cli.NoArgs(cmd, args)
	}
	o.all = o.all || o.search != ""
	if o.status == "" {
		return nil
	}
	return checkStatus(o.status, "pictx decision list --status draft")
}

// print lists the decisions.
func (o *listing) print(w *decisions) error {
	_, s, err := w.load()
	if err != nil {
		return err
	}
	list := append(s.With(decision.Active), s.Contested()...)
	switch {
	case o.status != "":
		list = s.With(decision.Status(o.status))
	case o.all:
		list = append(s.Present(), s.Contested()...)
	}
	if o.search != "" {
		q, err := decision.ParseQuery(o.search)
		if err != nil {
			return err
		}
		list = decision.Search(list, q)
	}
	for _, d := range list {
		if err := w.emit(d, func(o *cli.Out) { printSummary(o, d) }); err != nil {
			return err
		}
	}
	switch {
	case len(list) > 0:
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
	var parts []string
	if n := len(s.With(decision.Draft)); n > 0 {
		parts = append(parts, text.Count(n, "draft"))
	}
	for _, status := range []decision.Status{decision.Rejected, decision.Superseded} {
		if n := len(s.With(status)); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	return strings.Join(parts, ", ")
}

// printSummary prints a decision as one line.
func printSummary(o *cli.Out, d *decision.Decision) {
	line := d.Summary()
	if rest, ok := strings.CutPrefix(line, d.ID); ok {
		line = o.Style(cli.StyleBold, d.ID) + rest
	}
	o.Printf("%s\n", line)
}

func showVerb() verb {
	var history, blame bool
	return verb{
		use:   "show ID…",
		short: "Show a decision, or how it came about",
		old:   []string{"history", "blame"},
		exits: "3 12 130",
		args:  cli.SomeArgs(0, -1),
		ids:   true,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&history, "history", false, "list its changes; without an id, those of all decisions")
			cmd.Flags().BoolVar(&blame, "blame", false, "list its changes with their commits and authors")
		},
		check: func(_ *cli.Run, cmd *cobra.Command, args []string) error {
			history, blame = history || cmd.CalledAs() == "history", blame || cmd.CalledAs() == "blame"
			if len(args) == 0 && !history {
				return cli.SomeArgs(1, -1)(cmd, args)
			}
			return nil
		},
		run: func(ctx context.Context, w *decisions, args []string) error {
			from, err := origins(ctx, w, blame)
			if err != nil {
				return err
			}
			_, s, err := w.load()
			if err != nil {
				return err
			}
			list := s.Decisions
			var failed error
			if len(args) > 0 {
				list, failed = s.FindAll(args)
			}
			for _, d := range list {
				if history || blame {
					err = printEvents(w, d, from)
				} else {
					err = w.emit(d, func(o *cli.Out) { printDecision(o, s, d) })
				}
				if err != nil {
					return err
				}
			}
			return failed
		},
	}
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
