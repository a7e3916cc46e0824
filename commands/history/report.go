package history

import (
	"bytes"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/course"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/report"
	"github.com/coctostan/pictx/workspace"
	"github.com/coctostan/pictx/workspace/survey"
)

// reportOptions are the flags of report.
type reportOptions struct {
	html, since string
	all         bool
}

// ReportCommand returns the command pictx report.
func ReportCommand(a *cli.Run) *cobra.Command {
	var o reportOptions
	cmd := cli.Command("report", "Write a page: what sessions cost and what filled them", "3 4 10 11 12", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return runReport(a, ctx, o)
	})
	f := cmd.Flags()
	cli.NewFileFlag(f, &o.html, "html", "write the page to this `file`")
	f.StringVar(&o.since, "since", "", "only requests since this `time`: a date, or a span such as 7d")
	f.BoolVar(&o.all, "all", false, "report on the sessions of every project")
	cli.Renamed(cmd, map[string]string{"after": "since"})
	return cmd
}

// runReport writes the page. Without a file for it, it prints what usage prints.
func runReport(a *cli.Run, ctx context.Context, o reportOptions) error {
	if o.html == "" {
		return runUsage(a, ctx, usageOptions{by: "day", since: o.since, all: o.all})
	}
	since, err := a.Moment(o.since)
	if err != nil {
		return err
	}
	stores, partly, err := openScope(a, ctx, "pictx report", o.all)
	if err != nil {
		return err
	}
	defer stores.Close()
	account, err := survey.ReadAccount(ctx, stores, a.Sources(), since)
	if err != nil {
		return err
	}
	if account.Total.Responses == 0 {
		return exit.WithHint(exit.NotFound, workspace.HintFor(a.Workspace, "pictx sessions --all", "pictx sessions"), errors.New("no requests in that time"))
	}
	pl, err := a.Here()
	if err != nil {
		return err
	}
	account.Decisions = decisionsOf(a, pl)
	if err := writeReport(a, account, o, pl, since); err != nil {
		return err
	}
	if partly {
		return exit.Silent(exit.Partly)
	}
	return nil
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

// writeReport writes the report as a page.
func writeReport(a *cli.Run, account *course.Account, o reportOptions, pl workspace.Project, since int64) error {
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
