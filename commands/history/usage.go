package history

import (
	"bytes"
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
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/usage"
	"github.com/coctostan/pictx/report"
	"github.com/coctostan/pictx/workspace"
)

// span holds the flags of sessions, usage and report: what they tell of.
type span struct {
	since string
	all   bool
	limit int // of sessions and usage, 0 for none
}

// command returns a command that reads the stores that its flags mean. run gets them with the
// earliest time in Unix milliseconds.
func (o *span) command(a *cli.Run, use, short string, run func(ctx context.Context, stores workspace.Stores, since int64) error) *cobra.Command {
	cmd := cli.Command(use, short, "3 4 10 11 12", cli.NoArgs, func(ctx context.Context, _ []string) error {
		if o.limit < 0 {
			return exit.UsageError("pictx "+use+" --limit 10", "invalid --limit %d: want 0 or more", o.limit)
		}
		since, err := a.Moment(o.since)
		if err == nil && o.all {
			err = workspace.MayReadOthers(a.Workspace, "pictx "+use)
		}
		if err != nil {
			return err
		}
		stores, partly, err := a.GrepStores(ctx, map[bool]string{true: "all", false: "project"}[o.all])
		if err != nil {
			return err
		}
		defer stores.Close()
		if err := run(ctx, stores, since); err != nil || !partly {
			return err
		}
		return exit.Silent(exit.Partly)
	})
	cmd.Flags().StringVar(&o.since, "since", "", "only what was since this `time`: a date, or a span such as 7d")
	cmd.Flags().BoolVar(&o.all, "all", false, "the sessions of every project")
	return cmd
}

// noRequests is the error of a time without requests.
func noRequests(a *cli.Run) error {
	hint := "pictx sessions --all"
	if a.Env.Agent() { // it may not read other projects
		hint = "pictx sessions"
	}
	return exit.WithHint(exit.NotFound, hint, errors.New("no requests in that time"))
}

// UsageCommand returns the command pictx usage.
func UsageCommand(a *cli.Run) *cobra.Command {
	o := usageOptions{by: "day"}
	cmd := o.command(a, "usage", "Show tokens, cost and savings by day, model or session", func(ctx context.Context, stores workspace.Stores, since int64) error {
		return showUsage(a, ctx, stores, o, since)
	})
	cli.WordFlag(cmd, &o.by, "by", "group by `what`", usage.Kinds()...)
	cmd.Flags().IntVarP(&o.limit, "limit", "n", 0, "list `N` groups at most, the latest days or the most expensive; 0 is all")
	return a.JSONFlag(cmd)
}

// usageOptions are the flags of usage.
type usageOptions struct {
	span
	by string
}

// showUsage prints what usage prints.
func showUsage(a *cli.Run, ctx context.Context, stores workspace.Stores, o usageOptions, since int64) error {
	v, err := workspace.ReadUsage(ctx, stores, o.by, since)
	if err != nil {
		return err
	}
	if v.Total.Requests == 0 {
		return noRequests(a)
	}
	if n := len(v.Groups); o.limit > 0 && n > o.limit {
		if o.by == "day" || o.by == "week" {
			v.Groups = v.Groups[n-o.limit:]
		} else {
			v.Groups = v.Groups[:o.limit]
		}
	}
	titles := make(map[string]string)
	for _, g := range v.Groups {
		if titles[g.Key], err = stores.Title(ctx, g.Key); err != nil {
			return err
		}
	}
	return a.Out.Emit(v, func(w *cli.Out) { printUsage(a, w, v, titles) })
}

// printUsage prints the usage as a table.
func printUsage(a *cli.Run, w *cli.Out, v workspace.Usage, titles map[string]string) {
	cells := [][]string{{strings.ToUpper(v.By), "REQUESTS", "COST", "INPUT", "CACHED", "OUTPUT"}}
	right := []int{1, 2, 3, 4, 5}
	if v.Total.Saved != 0 {
		cells[0], right = append(cells[0], "SAVED"), append(right, 6)
	}
	if v.By == "session" {
		cells[0] = append(cells[0], "TITLE")
	}
	for _, g := range append(v.Groups, v.Total) {
		name := g.Key
		switch {
		case g.Key == v.Total.Key:
		case v.By == "session":
			name = history.ShortSession(name)
		case v.By == "project":
			name = a.HomePath(name)
		}
		line := []string{
			text.TerminalLine(name), text.Thousands(int64(g.Requests)), money(g.Dollars, g.Unpriced < g.Requests),
			text.TokensShort(float64(g.Input + g.CacheRead + g.CacheWrite)), fmt.Sprintf("%.0f%%", 100*g.Cached), text.TokensShort(float64(g.Output)),
		}
		if v.Total.Saved != 0 {
			line = append(line, savings(g.Saved))
		}
		if v.By == "session" {
			line = append(line, cutTitle(titles[g.Key]))
		}
		cells = append(cells, line)
	}
	w.FittedTable(cells, right...)
	if n := v.Total.Unpriced; n > 0 {
		w.Printf("%s without a price. Prices: from the sessions themselves, else of %s.\n", text.Count(n, "request"), token.CatalogDate())
	}
	if p := v.Pruned; p.Results > 0 {
		w.Printf("Pruned: %s, %s tokens.\n", text.Count(p.Results, "tool output"), text.TokensShort(float64(p.Tokens)))
	}
	if s := v.Summaries; s.Count > 0 {
		w.Printf("Of this for summaries: %s by a model, %s tokens read, cost %s.\n", text.Count(s.Count, "summary"), text.TokensShort(float64(s.Input)), cmp.Or(strings.Trim(money(s.Dollars, s.Dollars > 0), "–"), "unknown"))
	}
}

// savings formats what was saved, "–" for nothing.
func savings(dollars float64) string {
	switch {
	case dollars >= 0.005:
		return text.Dollars(dollars)
	case dollars <= -0.005:
		return "−" + text.Dollars(-dollars)
	}
	return "–"
}

// SessionsCommand returns the command pictx sessions.
func SessionsCommand(a *cli.Run) *cobra.Command {
	var o span
	cmd := o.command(a, "sessions", "List sessions by their first prompts, with what they cost", func(ctx context.Context, stores workspace.Stores, since int64) error {
		return runSessions(a, ctx, stores, o, since)
	})
	cmd.Flags().IntVarP(&o.limit, "limit", "n", 0, "list `N` sessions at most; 0 is all")
	return a.JSONFlag(cmd)
}

func runSessions(a *cli.Run, ctx context.Context, stores workspace.Stores, o span, since int64) error {
	rows, err := workspace.StoredSessions(ctx, stores, since, o.limit)
	if err != nil {
		return err
	}
	switch {
	case len(rows) == 0 && since > 0:
		return exit.WithHint(exit.NotFound, "pictx sessions", errors.New("no sessions since then"))
	case len(rows) == 0:
		return exit.WithHint(exit.NotFound, "pictx import", errors.New("the store holds no sessions"))
	}
	views := make([]workspace.SessionRow, len(rows))
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
	return nil
}

// printSessions prints the table of sessions. Columns that identify a session come first,
// because a narrow terminal cuts the rest.
func printSessions(a *cli.Run, rows []workspace.Stored, views []workspace.SessionRow, all bool) {
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

// ReportCommand returns the command pictx report. Without a file for the page it prints what
// usage prints.
func ReportCommand(a *cli.Run) *cobra.Command {
	var o reportOptions
	cmd := o.command(a, "report", "Write a page: what sessions cost and what filled them", func(ctx context.Context, stores workspace.Stores, since int64) error {
		if o.html == "" {
			return showUsage(a, ctx, stores, usageOptions{o.span, "day"}, since)
		}
		return writeReport(a, ctx, stores, o, since)
	})
	cli.NewFileFlag(cmd.Flags(), &o.html, "html", "write the page to this `file`")
	a.JSONFlag(cmd)
	for _, form := range []string{"json", "jq", "template"} {
		cmd.MarkFlagsMutuallyExclusive("html", form)
	}
	return cmd
}

// reportOptions are the flags of report.
type reportOptions struct {
	span
	html string
}

// writeReport writes the report as a page.
func writeReport(a *cli.Run, ctx context.Context, stores workspace.Stores, o reportOptions, since int64) error {
	account, err := workspace.ReadAccount(ctx, stores, a.Sources(), since)
	if err != nil {
		return err
	}
	if account.Total.Responses == 0 {
		return noRequests(a)
	}
	pl, err := a.Here()
	if err != nil {
		return err
	}
	account.Decisions = decisionsOf(a, pl)
	scope := a.HomePath(pl.Root)
	if o.all {
		scope = "all projects"
	}
	if since > 0 {
		scope += " · since " + text.LocalMinute(since)
	}
	var b bytes.Buffer
	if err := report.Account(&b, account, scope); err != nil {
		return err
	}
	return a.Deliver(o.html, b.Bytes())
}

// decisionsOf returns the decisions of the project. A log that cannot be read only causes a
// warning.
func decisionsOf(a *cli.Run, pl workspace.Project) []*decision.Decision {
	_, s, err := workspace.OpenDecisions(pl).Load()
	if err == nil {
		return s.Decisions
	}
	a.Warning(text.TerminalLine(err.Error()), "pictx decision audit")
	return nil
}
