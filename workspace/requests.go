package workspace

import (
	"context"
	"slices"

	"github.com/coctostan/pictx/core/bill"
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

func (p *PrunedSum) add(c usage.Pruned) {
	p.Results, p.Tokens = p.Results+c.Results, p.Tokens+int64(c.Tokens)
}

// readSaved follows the sessions of a store that were recorded with pictx. It calls save with
// every request since a time in Unix milliseconds, and what it cost less than with plain pi, and
// returns what was pruned. A session that cannot be followed is left out.
func readSaved(ctx context.Context, st *store.Store, since int64, save func(r *usage.Response, dollars float64)) (sum PrunedSum, err error) {
	ids, err := st.Entries.Recorded(ctx, since)
	if err != nil {
		return sum, err
	}
	seen := make(map[usage.Response]bool)
	for _, id := range ids {
		tree, line, err := summary.Tree(ctx, st.Summaries, id)
		if ctx.Err() != nil {
			return sum, ctx.Err()
		}
		if err != nil {
			continue
		}
		c, err := followed(id, func() (*session.Session, error) { return session.Load(tree, line) })
		if err != nil {
			continue
		}
		sum.add(c.Unsent)
		for i := range c.Requests {
			q := &c.Requests[i]
			if q.Response.Time < since || seen[q.Response] {
				continue
			}
			seen[q.Response] = true
			sum.add(q.Pruned)
			sum.add(usage.Pruned{Results: -q.Again.Results - q.Restored.Results, Tokens: -q.Again.Tokens - q.Restored.Tokens})
			r := q.Response
			r.Session, r.Project, r.Agent = id, c.CWD, AgentPi
			save(&r, q.Saved)
		}
	}
	return sum, nil
}

// followed reads the course of a session, with the prices that it records or that are known of
// its models.
func followed(id string, load func() (*session.Session, error)) (*usage.Session, error) {
	s, err := load()
	if err != nil {
		return nil, err
	}
	prices := bill.Prices{}
	c, err := usage.Read(s, func(m *session.Model) token.Prices { return prices.Of(m.Provider, m.ID, m.API, &m.Paid) })
	if err == nil {
		c.ID = id
	}
	return c, err
}
