package history

import (
	"context"
	"errors"
	"fmt"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite/lcm"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// importLCM takes over a database of the extension pi-lcm into this project's
// store. What pi's session files have is not stored twice.
func importLCM(a *cli.Run, ctx context.Context, pl workspace.Place, o importOptions) error {
	if o.all || o.dryRun {
		return exit.UsageError("pictx import --lcm FILE", "--lcm goes with neither --all nor --dry-run")
	}
	l, err := lcm.Open(ctx, a.Path(o.lcm))
	if err != nil {
		return err
	}
	defer l.Close()
	sessions, err := l.Sessions(ctx)
	if err != nil {
		return err
	}
	job := importJob{store: pl.StorePath(pl.AgentDir), PastSession: workspace.PastSession{Root: pl.Root}, key: pl.Key}
	keep, st, err := importTarget(a, ctx, false, job)
	if err != nil {
		return err
	}
	sum := &importSummary{Problems: []importProblem{}, Stores: []string{job.store}, Reports: []history.Report{}}
	err = lcmSessions(a, ctx, lcmTarget{st, keep}, sessions, sum)
	if err == nil {
		sum.underived, err = a.IndexAll(ctx, st, a.Until(indexTime))
	}
	if err = errors.Join(err, st.Close()); err != nil {
		return err
	}
	if err := a.Out.Emit(sum, sum.Text); err != nil {
		return err
	}
	return importVerdict(a, o, sum)
}

// lcmTarget is where sessions of pi-lcm go.
type lcmTarget struct {
	*store.Store
	keep history.Store // which masks entries
}

// lcmSessions stores the sessions one by one.
func lcmSessions(a *cli.Run, ctx context.Context, st lcmTarget, sessions []*lcm.Session, sum *importSummary) error {
	for _, s := range sessions {
		if err := s.Except(ctx, st.Entries); err != nil {
			return err
		}
		rep, err := history.Ingest(ctx, st.keep, s, history.Options{})
		if err := sum.add(rep, err); err != nil {
			return err
		}
		added, left, err := s.TakeSummaries(ctx, st.Summaries, st.Entries)
		if err != nil {
			return err
		}
		sum.Summaries += added
		if left > 0 {
			fmt.Fprintf(a.Env.Err, "pictx: warning: session %s: %s without sources left out\n", text.Printable(s.ID), text.Count(left, "summary"))
		}
	}
	return nil
}
