package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
	"github.com/coctostan/pictx/workspace/survey"
)

// sessionOptions are the flags of sessions.
type sessionOptions struct {
	all   bool
	since string
	limit int
}

// SessionsCommand returns the command pictx sessions.
func SessionsCommand(a *cli.Run) *cobra.Command {
	var o sessionOptions
	cmd := cli.Command("sessions", "List sessions by their first prompts, with what they cost", "3 4 10 11 12", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return runSessions(a, ctx, o)
	})
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "list the sessions of every project")
	f.StringVar(&o.since, "since", "", "only sessions used since this `time`: a date, or a span such as 7d")
	f.IntVarP(&o.limit, "limit", "n", 0, "list `N` sessions at most; 0 is all")
	a.JSONFlag(cmd)
	cli.Renamed(cmd, map[string]string{"after": "since"})
	return cmd
}

func runSessions(a *cli.Run, ctx context.Context, o sessionOptions) error {
	since, err := o.check(a)
	if err != nil {
		return err
	}
	stores, partly, err := openScope(a, ctx, "pictx sessions", o.all)
	if err != nil {
		return err
	}
	defer stores.Close()
	rows, err := survey.Sessions(ctx, stores, since, o.limit)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return noSessions(since)
	}
	views := make([]survey.Session, len(rows))
	for i, r := range rows {
		if views[i], err = r.View(ctx, a.Sources().Has); err != nil {
			return err
		}
		if a.JSON {
			if err := a.Out.Line(views[i]); err != nil {
				return err
			}
		}
	}
	if !a.JSON {
		printSessions(a, rows, views, o.all)
	}
	if partly {
		return exit.Silent(exit.Partly)
	}
	return nil
}

// check parses and validates the flags.
func (o sessionOptions) check(a *cli.Run) (since int64, err error) {
	if o.limit < 0 {
		return 0, exit.UsageError("pictx sessions --limit 10", "invalid --limit %d: want a number of sessions, or 0", o.limit)
	}
	return a.Moment(o.since)
}

// openScope opens the store of this project, or all stores, for a command.
func openScope(a *cli.Run, ctx context.Context, command string, all bool) (workspace.Stores, bool, error) {
	if all {
		if err := workspace.MayReadOthers(a.Workspace, command); err != nil {
			return nil, false, err
		}
	}
	return a.GrepStores(ctx, map[bool]string{true: "all", false: "project"}[all])
}

func noSessions(since int64) error {
	if since > 0 {
		return exit.WithHint(exit.NotFound, "pictx sessions", errors.New("no sessions since then"))
	}
	return exit.WithHint(exit.NotFound, "pictx import", errors.New("the store holds no sessions"))
}

// printSessions prints the table of sessions. Columns that identify a session come first,
// because a narrow terminal cuts the rest.
func printSessions(a *cli.Run, rows []survey.Stored, views []survey.Session, all bool) {
	cells := [][]string{{"SESSION", "LAST", "COST", "TITLE", "REQUESTS", "MODEL"}}
	if all { // the project matters more than the model
		cells[0] = slices.Insert(cells[0], 3, "PROJECT")
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	ids = text.ShortIDs(ids)
	for i, r := range rows {
		v := &views[i]
		title := cutTitle(v.Title)
		if r.Parent != "" {
			title = strings.TrimSpace(title + " (fork)")
		}
		line := []string{
			ids[i], text.LocalMinute(r.Last), money(v.Dollars, v.Priced), title, text.Thousands(int64(v.Calls)), text.TerminalLine(v.Model),
		}
		if all {
			const projectEnd = 20
			line = slices.Insert(line, 3, cli.CutFront(text.TerminalLine(a.HomePath(r.CWD)), projectEnd))
		}
		cells = append(cells, line)
	}
	a.Out.FittedTable(cells, 2, len(cells[0])-2)
}

// cutTitle shortens a title to leave room for other columns.
func cutTitle(title string) string {
	const limit = 48
	runes := []rune(text.TerminalLine(title))
	if len(runes) > limit {
		return string(runes[:limit-1]) + text.Ellipsis
	}
	return string(runes)
}

// money formats an amount, "–" if it is unknown.
func money(dollars float64, known bool) string {
	if !known {
		return "–"
	}
	return fmt.Sprintf("$%.2f", dollars)
}
