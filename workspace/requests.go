package workspace

import (
	"context"
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/usage"
	"github.com/coctostan/pictx/sqlite/store"
)

// eachRequest calls fn with everything that a store knows to have been paid since a time in Unix
// milliseconds: what the sessions record and, by their size, the summaries that they do not. A
// request that forks share counts once.
func eachRequest(ctx context.Context, st *store.Store, since int64, fn func(usage.Response)) error {
	var recorded []usage.Response
	err := st.Entries.Responses(ctx, "", since, true, func(r usage.Response) {
		r.Agent = AgentPi
		if r.Kind == usage.Summary && r.Began > 0 {
			recorded = append(recorded, r)
		}
		fn(r)
	})
	if err != nil {
		return err
	}
	written, err := st.Summaries.SummariesAsked(ctx, "", since)
	if err != nil {
		return err
	}
	for _, w := range written {
		paid := func(r usage.Response) bool {
			return r.Session == w.Session && r.Began <= w.Created && w.Created <= r.Time
		}
		if slices.ContainsFunc(recorded, paid) {
			continue
		}
		r := usage.Written(w.Name, int64(w.Input), int64(w.Tokens), w.Created)
		r.Session, r.Agent = w.Session, AgentPi
		fn(r)
	}
	return nil
}

// SummaryCost is the cost of summaries written by models. It is part of the total.
type SummaryCost struct {
	Count   int     `json:"count"`
	Input   int64   `json:"input"` // tokens read, those from a cache included
	Output  int64   `json:"output"`
	Dollars float64 `json:"dollars"`
}

// add adds a request if it was for a summary.
func (s *SummaryCost) add(r *usage.Response) {
	if r.Kind != usage.Summary {
		return
	}
	s.Count++
	s.Input, s.Output, s.Dollars = s.Input+r.Input+r.CacheRead+r.CacheWrite, s.Output+r.Output, s.Dollars+r.Dollars
}

// PrunedSum is what pruning removed from contexts, without what was restored.
type PrunedSum struct {
	Results int   `json:"results"`
	Tokens  int64 `json:"tokens"`
}

func (p *PrunedSum) add(c usage.Pruned, sign int) {
	p.Results, p.Tokens = p.Results+sign*c.Results, p.Tokens+int64(sign)*int64(c.Tokens)
}

// readPaid reads what stores know to have been paid since a time in Unix milliseconds. It calls
// add with every request, and save with what one cost less than with plain pi. It returns what
// was paid for summaries, and what was pruned.
func readPaid(ctx context.Context, stores Stores, since int64, add func(usage.Response), save func(*usage.Response, float64)) (of SummaryCost, pruned PrunedSum, err error) {
	for _, st := range stores {
		err := eachRequest(ctx, st.Store, since, func(r usage.Response) {
			add(r)
			of.add(&r)
		})
		if err == nil {
			err = pruned.read(ctx, st.Store, since, save)
		}
		if err != nil {
			return of, pruned, err
		}
	}
	return of, pruned, nil
}

// read follows the sessions of a store that were recorded with pictx, and adds what was pruned.
// A session that cannot be followed is left out.
func (p *PrunedSum) read(ctx context.Context, st *store.Store, since int64, save func(*usage.Response, float64)) error {
	ids, err := st.Entries.Recorded(ctx, since)
	if err != nil {
		return err
	}
	seen := make(map[usage.Response]bool)
	for _, id := range ids {
		c, err := followed(ctx, st, id)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue
		}
		p.add(c.Unsent, 1)
		for i := range c.Requests {
			q := &c.Requests[i]
			if q.Response.Time < since || seen[q.Response] {
				continue
			}
			seen[q.Response] = true
			p.add(q.Pruned, 1)
			p.add(q.Again, -1)
			p.add(q.Restored, -1)
			r := q.Response
			r.Session, r.Project, r.Agent = id, c.CWD, AgentPi
			save(&r, q.Saved)
		}
	}
	return nil
}

// followed follows the requests of a stored session.
func followed(ctx context.Context, st *store.Store, id string) (*usage.Session, error) {
	tree, line, err := summary.Tree(ctx, st.Summaries, id)
	if err != nil {
		return nil, err
	}
	return follow(tree, line)
}

// follow follows the requests of a session, with the prices that it records or that are known of
// its models.
func follow(tree *message.Tree, line session.Line) (*usage.Session, error) {
	s, err := session.Load(tree, line)
	if err != nil {
		return nil, err
	}
	prices := bill.Prices{}
	return usage.Read(s, func(m *session.Model) token.Prices { return prices.Of(m.Provider, m.ID, m.API, &m.Paid) })
}
