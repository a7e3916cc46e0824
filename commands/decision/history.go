package decision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/workspace"
)

// printEvents prints the events of decisions. from maps lines of the log to commits, nil to
// leave those out.
func printEvents(w *decisions, list []*decision.Decision, from map[int]workspace.LineOrigin) error {
	var all []decision.EventView
	for _, d := range list {
		for _, e := range d.Events() {
			v := e.View(d)
			v.Commit, v.Author = from[e.Line].Commit, from[e.Line].Author
			all = append(all, v)
		}
	}
	return emitAll(w, all, func(o *cli.Out, v decision.EventView) {
		commit := ""
		if from != nil {
			commit = cmp.Or(strings.TrimSpace(fmt.Sprintf("%-12s %s", v.Commit, text.TerminalLine(v.Author))), "not committed") + "  "
		}
		by := text.TerminalLine(v.Actor)
		if v.By != "" {
			by = fmt.Sprintf("%s (%s)", text.TerminalLine(v.By), by)
		}
		o.Printf("%s%s  %s  %s  by %s\n", commit, v.Time, o.Style(cli.StyleBold, v.ID), v.Did, by)
		for _, field := range v.Fields() {
			o.Printf("    %s: %s\n", field, text.TerminalLine(v.Said[field]))
		}
	})
}

func diffVerb() verb {
	fails := false
	return verb{
		use:   "diff [REF[..REF]]",
		short: "Show what was decided between two commits",
		exits: "12 130", commits: true,
		args: cli.SomeArgs(0, 1),
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&fails, "exit-code", false, "end with 1 when there are differences")
		},
		run: func(ctx context.Context, w *decisions, args []string) error {
			if err := w.Check(ctx); err != nil {
				return err
			}
			from, to, err := w.Span(ctx, append(args, "HEAD")[0])
			if err != nil {
				return err
			}
			before, after, err := w.Two(ctx, from, to)
			if err != nil {
				return err
			}
			all := decision.Diff(decision.Replay(before.Events), decision.Replay(after.Events))
			if err := emitAll(w, all, printDifference); err != nil {
				return err
			}
			if fails && len(all) > 0 {
				return exit.Silent(exit.Failed)
			}
			return nil
		},
	}
}

// printDifference prints a difference. Deleted words are in [- -], inserted ones in {+ +}.
func printDifference(o *cli.Out, c decision.Difference) {
	body := text.TerminalLine(cmp.Or(c.After, c.Before).Text)
	if len(c.Words) > 0 {
		body = wordText(o, c.Words)
	}
	status := ""
	if c.Before != nil && c.After != nil && c.Before.Status != c.After.Status {
		status = fmt.Sprintf(" (%s → %s)", c.Before.Status, c.After.Status)
	}
	o.Printf("%-10s %s%s  %s\n", c.Kind, o.Style(cli.StyleBold, c.ID), status, body)
	if c.Kind == "superseded" && c.After.SupersededBy != "" {
		o.Printf("           by %s: %s\n", c.After.SupersededBy, text.TerminalLine(c.After.StatusReason))
	}
	if len(c.Fields) > 0 {
		o.Printf("           also: %s\n", strings.Join(c.Fields, ", "))
	}
}

func wordText(o *cli.Out, words []text.Change) string {
	var b strings.Builder
	for _, w := range words {
		body := text.Printable(strings.ReplaceAll(w.Text, "\n", " ⏎ "))
		switch w.Op {
		case "-":
			body = o.Style(cli.StyleRed, "[-"+body+"-]")
		case "+":
			body = o.Style(cli.StyleGreen, "{+"+body+"+}")
		}
		b.WriteString(body)
	}
	return b.String()
}

// mergeLogs merges the logs in three files into the second one, as a git merge driver.
func mergeLogs(a *cli.Run, args []string) error {
	var sides [3][]byte
	for i, name := range args {
		b, err := os.ReadFile(a.Path(name))
		if err != nil && !(i == 0 && errors.Is(err, os.ErrNotExist)) {
			return fmt.Errorf("merge decisions: %w", err)
		}
		sides[i] = b
	}
	merged, err := decision.Merge(sides[0], sides[1], sides[2])
	for _, n := range decision.Met(sides[0], sides[1], sides[2]) {
		sayClosest(a, text.TerminalLine(n.Text), n.Closest)
	}
	if err != nil {
		return exit.WithHint(exit.Failed, "git checkout -m -- .pi/decision-memory/decisions.jsonl, then pictx decision audit", err)
	}
	return repo.Replace(a.Path(args[1]), merged, 0o644)
}
