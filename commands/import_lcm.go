package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

// importLCM takes over a database of the extension pi-lcm into this project's
// store. What pi's session files have is not stored twice.
func (a *app) importLCM(ctx context.Context, pl place, o importOptions) error {
	if o.all || o.dryRun {
		return usageError("pictx import --lcm FILE", "--lcm goes with neither --all nor --dry-run")
	}
	l, err := sqlite.OpenLCM(ctx, a.path(o.lcm))
	if err != nil {
		return err
	}
	defer l.Close()
	sessions, err := l.Sessions(ctx)
	if err != nil {
		return err
	}
	job := importJob{store: pl.StorePath(pl.agentDir), root: pl.Root, key: pl.Key}
	_, st, err := a.importTarget(ctx, o, job)
	if err != nil {
		return err
	}
	sum := &importSummary{Problems: []importProblem{}, Stores: []string{job.store}, Reports: []history.Report{}}
	err = a.lcmSessions(ctx, st, sessions, sum)
	if err == nil {
		_, err = a.indexAll(ctx, st)
	}
	if err = errors.Join(err, st.Close()); err != nil {
		return err
	}
	if err := a.out.emit(sum, sum.text); err != nil {
		return err
	}
	return a.importVerdict(o, sum)
}

// lcmSessions stores the sessions one by one.
func (a *app) lcmSessions(ctx context.Context, st *sqlite.Store, sessions []*sqlite.LCMSession, sum *importSummary) error {
	for _, s := range sessions {
		if err := s.Except(ctx, st); err != nil {
			return err
		}
		rep, err := history.Ingest(ctx, st, s, history.Options{})
		if err := sum.add(rep, err); err != nil {
			return err
		}
		added, left, err := st.TakeSummaries(ctx, s)
		if err != nil {
			return err
		}
		sum.Summaries += added
		if left > 0 {
			fmt.Fprintf(a.env.Err, "pictx: warning: session %s: %s without sources left out\n", text.Printable(s.ID), text.Count(left, "summary"))
		}
	}
	return nil
}
