package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/model"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/usage"
	"github.com/coctostan/pictx/workspace"
	"github.com/coctostan/pictx/workspace/survey"
)

// usageOptions are the flags of usage.
type usageOptions struct {
	by, since string
	all       bool
	limit     int
}

// UsageCommand returns the command pictx usage.
func UsageCommand(a *cli.Run) *cobra.Command {
	o := usageOptions{by: "day"}
	cmd := cli.Command("usage", "Show tokens, cost and savings by day, model or session", "3 4 10 11 12", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return runUsage(a, ctx, o)
	})
	f := cmd.Flags()
	f.StringVar(&o.by, "by", o.by, "group by `what`: "+strings.Join(usage.Kinds(), ", "))
	f.StringVar(&o.since, "since", "", "only responses since this `time`: a date, or a span such as 7d")
	f.BoolVar(&o.all, "all", false, "add up the sessions of every project")
	f.IntVarP(&o.limit, "limit", "n", 0, "list `N` groups at most, the latest days or the most expensive; 0 is all")
	a.CompleteWords(cmd, "by", usage.Kinds())
	a.JSONFlag(cmd)
	cli.Renamed(cmd, map[string]string{"after": "since"})
	return cmd
}

func runUsage(a *cli.Run, ctx context.Context, o usageOptions) error {
	if !slices.Contains(usage.Kinds(), o.by) {
		return exit.UsageError("pictx usage --by model", "unknown --by %q: want %s", o.by, strings.Join(usage.Kinds(), ", "))
	}
	if o.limit < 0 {
		return exit.UsageError("pictx usage --limit 10", "invalid --limit %d: want a number of groups, or 0", o.limit)
	}
	since, err := a.Moment(o.since)
	if err != nil {
		return err
	}
	stores, partly, err := openScope(a, ctx, "pictx usage", o.all)
	if err != nil {
		return err
	}
	defer stores.Close()
	v, err := survey.ReadUsage(ctx, stores, o.by, since)
	if err != nil {
		return err
	}
	if v.Total.Requests == 0 {
		return exit.WithHint(exit.NotFound, workspace.HintFor(a.Workspace, "pictx sessions --all", "pictx sessions"), errors.New("no requests in that time"))
	}
	if n := len(v.Groups); o.limit > 0 && n > o.limit {
		if o.by == "day" || o.by == "week" {
			v.Groups = v.Groups[n-o.limit:]
		} else {
			v.Groups = v.Groups[:o.limit]
		}
	}
	var titles map[string]string
	if o.by == "session" {
		if titles, err = survey.Titles(ctx, stores); err != nil {
			return err
		}
	}
	if err := a.Out.Emit(v, func(w *cli.Out) { printUsage(a, w, v, titles) }); err != nil || !partly {
		return err
	}
	return exit.Silent(exit.Partly)
}

// printUsage prints the usage as a table.
func printUsage(a *cli.Run, w *cli.Out, v survey.Usage, titles map[string]string) {
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
		w.Printf("%s without a price. Prices: from the sessions themselves, else of %s.\n", text.Count(n, "request"), model.Date())
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
