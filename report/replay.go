package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
)

// maxRows is the maximum length of the table of sessions. The page mentions omitted ones.
const maxRows = 1000

// Replay writes the page of a comparison.
func Replay(w io.Writer, c *replay.Comparison) error {
	p := page{Title: "Replay of " + text.Count(c.Sessions, "session"), body: "replay.html", script: "replay.js", Body: newReplayPage(c)}
	return p.write(w)
}

// replayPage is a comparison prepared for its template.
type replayPage struct {
	Result   *replay.Comparison
	World    replay.World // of the page
	Policies []*policyResult
	Others   []*policyResult // all policies except none
	None     *policyResult   // nil when the policy none was not run
	Best     *policyResult   // the cheapest of Others, nil without any
	Columns  []*policyResult // policies with a column in the table of sessions, best first
	Sessions []*session      // those with the largest savings by the best policy first
	Charts   *charts
}

func newReplayPage(c *replay.Comparison) *replayPage {
	p := &replayPage{Result: c}
	if len(c.Worlds) > 0 {
		p.World = c.Worlds[0]
	}
	p.choose()
	ids := text.ShortIDs(sessionIDs(c))
	for i := range c.PerSession {
		p.Sessions = append(p.Sessions, p.session(&c.PerSession[i], ids[i]))
	}
	slices.SortStableFunc(p.Sessions, func(a, b *session) int {
		return cmp.Or(cmp.Compare(b.Saved, a.Saved), cmp.Compare(b.Full, a.Full), cmp.Compare(a.File, b.File))
	})
	p.Charts = p.charts()
	return p
}

func sessionIDs(c *replay.Comparison) []string {
	ids := make([]string, len(c.PerSession))
	for i := range c.PerSession {
		ids[i] = c.PerSession[i].Session
	}
	return ids
}

// choose sorts the policies and selects none, the best one, and those with a column.
func (p *replayPage) choose() {
	const columns = 6
	spare := 0
	for i := range p.Result.Policies {
		own := &policyResult{PolicyTotal: &p.Result.Policies[i]}
		own.Bill, own.Class = own.First(), "p-"+own.Name
		own.Figures = own.Bill.Figures
		if rank(own.Name) == len(ranking) {
			own.Class = fmt.Sprintf("p-x%d", spare%3)
			spare++
		}
		p.Policies = append(p.Policies, own)
		if own.IsNone = own.Name == policyNone; own.IsNone {
			p.None = own
		} else {
			p.Others = append(p.Others, own)
		}
	}
	if len(p.Others) > 0 {
		p.Best = slices.MinFunc(p.Others, cheaper)
		p.Best.IsBest = true
	}
	p.Columns = slices.SortedStableFunc(slices.Values(p.Others), func(a, b *policyResult) int {
		return cmp.Or(bestFirst(a, b), cmp.Compare(rank(a.Name), rank(b.Name)))
	})
	p.Columns = p.Columns[:min(columns, len(p.Columns))]
}

// Several reports whether there are several sessions, so that statistics make sense.
func (p *replayPage) Several() bool { return p.Result.Sessions > 1 }

// Pruners returns the policies that pruned something, best first.
func (p *replayPage) Pruners() []*policyResult {
	some := slices.DeleteFunc(slices.Clone(p.Others), func(o *policyResult) bool { return len(o.Pruned) == 0 })
	slices.SortStableFunc(some, bestFirst)
	return some
}

// Listed returns the sessions of the table.
func (p *replayPage) Listed() []*session {
	if !p.Several() {
		return nil
	}
	return p.Sessions[:min(maxRows, len(p.Sessions))]
}

// Total formats the cost of all sessions.
func (p *replayPage) Total(t *replay.WorldTotal) string { return Amount(t.Bill().Billed, t.Priced()) }

// Amount formats a cost in dollars, or in plain input tokens.
func Amount(cost float64, priced bool) string {
	if priced {
		return text.Dollars(cost)
	}
	return text.TokensShort(cost)
}

// Unlisted is the number of sessions that do not fit the table.
func (p *replayPage) Unlisted() int { return max(0, len(p.Sessions)-maxRows) }

// startedAt formats the local start time of a session, "" when unknown.
func startedAt(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return ""
	}
	return text.LocalMinute(t.UnixMilli())
}
