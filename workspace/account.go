package workspace

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/usage"
)

// ReadAccount reads what the sessions of the stores sent, and what that cost, since a time
// in Unix milliseconds. Sessions whose files exist are read from sources, the others from
// their stores.
func ReadAccount(ctx context.Context, stores Stores, sources history.Sources, since int64) (*usage.Account, error) {
	a := usage.NewAccount(time.Local)
	summaries, pruned, err := readPaid(ctx, stores, since, func(r usage.Response) { a.Add(&r) }, a.Save)
	if err != nil {
		return nil, err
	}
	a.Summaries, a.SummaryDollars, a.Pruned, a.PrunedTokens = summaries.Count, summaries.Dollars, pruned.Results, pruned.Tokens
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

// course follows the requests of a session, from its file or, where that cannot be read, from the
// store.
func (r Stored) course(ctx context.Context, sources history.Sources) (s *usage.Session, err error) {
	var open history.Session
	if err = os.ErrNotExist; r.File != "" && sources.Has(r.File) {
		open, err = sources.Open(r.File)
	}
	if err == nil {
		defer open.Close()
		s, err = follow(open.Entries(), open.Line)
	} else {
		s, err = followed(ctx, r.from, r.ID)
	}
	if err != nil {
		return nil, err
	}
	s.ID, s.CWD = r.ID, r.CWD
	s.Title, err = r.Title(ctx)
	return s, err
}
