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
)

// listing says which decisions are listed.
type listing struct {
	all    bool
	status string
	limit  int
	exit   bool // exit with 1 when the list is empty
}

// flags declares the flags of the listing verbs.
func (o *listing) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "decisions of any status")
	f.StringVar(&o.status, "status", "", "only those with this `status`: active, draft, rejected or superseded")
	f.IntVarP(&o.limit, "limit", "n", 0, "at most this `number`; 0 is all")
	f.BoolVar(&o.exit, "exit-code", false, "end with 1 when there is none")
}

// check rejects flags that are out of range.
func (o *listing) check(*cli.Run, *cobra.Command, []string) error {
	if o.limit < 0 {
		return exit.UsageError("pictx decision list --limit 20", "--limit %d: want 0 or more", o.limit)
	}
	if o.status == "" {
		return nil
	}
	return checkStatus(o.status, "pictx decision list --status draft")
}

// print lists the decisions that choose selects.
func (o *listing) print(w *decisions, choose func([]*decision.Decision) []*decision.Decision) error {
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
	listed := len(list) > 0
	list = choose(list)
	shown := list
	if o.limit > 0 && len(list) > o.limit {
		shown = list[:o.limit]
	}
	for _, d := range shown {
		if err := w.emit(d.View(), func(o *cli.Out) { printSummary(o, d) }); err != nil {
			return err
		}
	}
	if len(shown) < len(list) {
		w.say("%d of %d", len(shown), len(list))
	}
	switch {
	case len(list) > 0:
	case o.exit:
		return exit.Silent(exit.Failed)
	case len(s.Present()) == 0:
		w.say("there are no decisions yet: pictx decision add TEXT records one")
	case !listed && o.status == "" && !o.all:
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

func listVerb() verb {
	var o listing
	var tags []string
	return verb{
		use:   "list",
		short: "List decisions",
		exits: "12",
		args:  cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			o.flags(cmd)
			cmd.Flags().StringArrayVar(&tags, "tag", nil, "only those with this `tag`; may be given more than once")
		},
		words: map[string][]string{"status": statusWords},
		check: o.check,
		run: func(_ context.Context, w *decisions, _ []string) error {
			return o.print(w, func(list []*decision.Decision) []*decision.Decision {
				return slices.DeleteFunc(list, func(d *decision.Decision) bool {
					return slices.ContainsFunc(tags, func(t string) bool { return !slices.Contains(d.Tags, strings.ToLower(t)) })
				})
			})
		},
	}
}

func searchVerb() verb {
	o := listing{}
	return verb{
		use:   "search QUERY…",
		short: "Search decisions",
		exits: "12",
		args:  cli.SomeArgs(1, -1),
		flags: func(cmd *cobra.Command) {
			o.flags(cmd)
			cmd.Flags().Lookup("all").Hidden = true
		},
		words: map[string][]string{"status": statusWords},
		check: o.check,
		run: func(_ context.Context, w *decisions, args []string) error {
			q, err := decision.ParseQuery(strings.Join(args, " "))
			if err != nil {
				return err
			}
			o.all = true
			return o.print(w, func(list []*decision.Decision) []*decision.Decision { return decision.Search(list, q) })
		},
	}
}

func showVerb() verb {
	return verb{
		use:   "show ID…",
		short: "Show a decision",
		exits: "3 12",
		args:  cli.SomeArgs(1, -1),
		ids:   true,
		run: func(_ context.Context, w *decisions, args []string) error {
			_, s, err := w.load()
			if err != nil {
				return err
			}
			var failed error
			for _, id := range args {
				d, err := s.Find(id)
				if err != nil {
					failed = errors.Join(failed, err)
					continue
				}
				if err := w.emit(d.View(), func(o *cli.Out) { printDecision(o, s, d) }); err != nil {
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
	row("status since", localDay(d.Since.UnixMilli())+"  "+d.StatusReason)
	row("supersedes", nameOf(s, d.Supersedes))
	row("superseded by", nameOf(s, d.SupersededBy))
	if len(d.Conflicts) > 0 {
		row("conflicts", strings.Join(d.Conflicts, ", ")+"  "+d.Note)
	}
	for _, c := range s.ClashesOf(d) {
		row("unsettled", c.Text)
		row("settled by", c.Fix)
	}
	row("governs", strings.Join(d.Paths, ", "))
	row("review", d.Review)
	row("decided", cmp.Or(d.Decided, localDay(d.Created.UnixMilli()))+"  "+d.By)
	if latest := s.Latest(d); latest != d {
		row("in force", nameOf(s, latest.ID)+"  "+latest.Title)
	}
}

func localDay(ms int64) string {
	if ms <= 0 {
		return "-"
	}
	return text.LocalMinute(ms)
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
