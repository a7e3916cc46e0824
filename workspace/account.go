package workspace

import (
	"context"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/usage"
)

// ReadAccount reads what the sessions of the stores sent, and what that cost, since a time
// in Unix milliseconds. Sessions whose files exist are read from sources, the others from
// their stores.
func ReadAccount(ctx context.Context, stores Stores, sources history.Sources, since int64) (*usage.Account, error) {
	a := usage.NewAccount(time.Local)
	for _, st := range stores {
		var summaries SummaryCost
		err := eachRequest(ctx, st.Store, since, func(r usage.Response) {
			a.Add(&r)
			summaries.add(&r)
		})
		if err != nil {
			return nil, err
		}
		a.Summaries, a.SummaryDollars = a.Summaries+summaries.Count, a.SummaryDollars+summaries.Dollars
		pruned, err := readSaved(ctx, st.Store, since, a.Save)
		if err != nil {
			return nil, err
		}
		a.Pruned, a.PrunedTokens = a.Pruned+pruned.Results, a.PrunedTokens+pruned.Tokens
	}
	rows, err := StoredSessions(ctx, stores, since, 0)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if r.Calls == 0 {
			continue
		}
		s, err := r.course(ctx, sources)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			a.Unread++
			continue
		}
		s.Requests = slices.DeleteFunc(s.Requests, func(q usage.Request) bool { return q.Response.Time < since })
		if len(s.Requests) > 0 {
			a.Sessions = append(a.Sessions, s)
		}
	}
	a.Settle()
	return a, nil
}

// course follows the requests of a session, from its file or from the store.
func (r Stored) course(ctx context.Context, sources history.Sources) (*usage.Session, error) {
	s, err := r.ofFile(sources)
	if s == nil && err == nil {
		tree, line, err := summary.Tree(ctx, r.from.Summaries, r.ID)
		if err != nil {
			return nil, err
		}
		s, err = followed(r.ID, func() (*session.Session, error) { return session.Load(tree, line) })
		if err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	s.ID, s.CWD = r.ID, r.CWD
	s.Title, err = r.Title(ctx)
	return s, err
}

// ofFile reads the session's file. It returns nil if the file cannot be read.
func (r Stored) ofFile(sources history.Sources) (*usage.Session, error) {
	if r.File == "" || !sources.Has(r.File) {
		return nil, nil
	}
	open, err := sources.Open(r.File)
	if err != nil {
		return nil, nil // the store has the session too
	}
	defer open.Close()
	return followed(r.ID, func() (*session.Session, error) { return session.Load(open.Entries(), open.Line) })
}
