package history

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite/entries"
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
	cmd := &cobra.Command{
		Use:         "sessions",
		GroupID:     cli.GroupHistory,
		Short:       "List sessions by their first prompts, with what they cost",
		Annotations: cli.Exits("3 4 10 11 12"),
		Args:        cli.NoArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return runSessions(a, cmd.Context(), o) },
	}
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
	cells := [][]string{{"SESSION", "LAST", "REQUESTS", "COST", "TITLE", "MODEL"}}
	if all {
		cells[0] = append(cells[0], "PROJECT")
	}
	plain := make([]entries.Session, len(rows))
	for i, r := range rows {
		plain[i] = r.Session
	}
	short := shortIDs(plain)
	for i, r := range rows {
		v := &views[i]
		title := cutTitle(v.Title)
		if r.Parent != "" {
			title = strings.TrimSpace(title + " (fork)")
		}
		line := []string{
			text.TerminalLine(short(r.ID)), text.LocalMinute(r.Last), text.Thousands(int64(v.Calls)),
			money(v.Dollars, v.Priced), title, text.TerminalLine(v.Model),
		}
		if all {
			line = append(line, text.TerminalLine(a.HomePath(r.CWD)))
		}
		cells = append(cells, line)
	}
	switch w := a.Out.Width; {
	case w > 0 && w < narrow: // the id, the cost and the title
		a.Out.FittedTable(columns(cells, 0, 3, 4), 1)
	case w > 0 && w < wide && all: // the project matters more than the model
		for i := range cells {
			cells[i][6] = cli.CutFront(cells[i][6], projectEnd)
		}
		a.Out.FittedTable(columns(cells, 0, 1, 3, 6, 4), 2)
	case w > 0 && w < wide:
		a.Out.FittedTable(columns(cells, 0, 1, 2, 3, 4), 2, 3)
	default:
		a.Out.FittedTable(cells, 2, 3)
	}
}

// Below these widths of the terminal the table of sessions has fewer columns, because a
// column of a few characters is of no use.
const (
	narrow = 70
	wide   = 120
	// projectEnd is the length of a project's path below wide.
	projectEnd = 20
)

// columns selects columns of a table by index.
func columns(cells [][]string, places ...int) [][]string {
	out := make([][]string, len(cells))
	for i, line := range cells {
		for _, p := range places {
			out[i] = append(out[i], line[p])
		}
	}
	return out
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

// shortIDs returns a function that shortens session ids while keeping them distinct. Every
// command accepts a prefix of a session id.
func shortIDs(rows []entries.Session) func(string) string {
	length := 0
	for unique := false; !unique; length++ {
		unique = true
		seen := make(map[string]bool)
		for _, r := range rows {
			short := r.ID[:min(length, len(r.ID))]
			unique = unique && (!seen[short] || short == r.ID)
			seen[short] = true
		}
	}
	return func(id string) string {
		if short := history.ShortSession(id); len(short) >= length {
			return short
		}
		return id
	}
}
