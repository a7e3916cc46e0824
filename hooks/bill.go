package hooks

import (
	"context"
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/token"
)

// bill returns what the requests of the session have cost so far; what a decision costs
// shows once the next request has been made. It is the zero Bill when d carries no figures,
// as with a policy that does not track costs.
func (s Prune) bill(ctx context.Context, c *Call, d *prune.Decision) bill.Bill {
	f := d.Figures
	if f == nil {
		return bill.Bill{}
	}
	b := f.Bill
	aside := summariesAside(ctx, c)
	if sent := d.BeforeTokens; sent > 0 { // scale our estimate to the provider's count
		scale := float64(f.ContextTokens-f.FloorTokens) / float64(sent)
		aside.Input, aside.Output = token.Count(scale*float64(aside.Input)), token.Count(scale*float64(aside.Output))
	}
	b.Compact(s.model(c).Prices, bill.Compaction{}, aside)
	return b
}

// summariesAside sums the summary requests of the session that none of its compactions
// account for: those of `pictx compact` in a shell, and of compactions that were cancelled.
// The store records them by the sizes of prompt and response.
func summariesAside(ctx context.Context, c *Call) (sum bill.Compaction) {
	st, err := c.Project.Store(ctx)
	if err != nil {
		return sum
	}
	asked, err := st.Counts.SummariesAsked(ctx, c.Session.ID)
	if err != nil || len(asked) == 0 {
		return sum
	}
	paid := compactionsOf(ctx, c)
	for _, a := range asked {
		if !paid.at(a.At) {
			sum.Requests, sum.Input, sum.Output = sum.Requests+1, sum.Input+a.Input, sum.Output+a.Output
		}
	}
	return sum
}

// compactions are the times of compactions in Unix milliseconds: from the first request of
// each to its entry in the session.
type compactions [][2]int64

// at reports whether a compaction was running at a time.
func (s compactions) at(time int64) bool {
	return slices.ContainsFunc(s, func(c [2]int64) bool { return c[0] <= time && time <= c[1] })
}

// compactionsOf returns the times of pictx's compactions on every branch of the session.
// One that does not record its start is taken to have started at 0, so it accounts for
// every request before it.
func compactionsOf(ctx context.Context, c *Call) (out compactions) {
	ses, err := c.Project.Session(ctx)
	if err != nil {
		return nil
	}
	for i := range ses.Entries().Nodes {
		n := &ses.Entries().Nodes[i]
		if n.Type != message.EntryCompaction {
			continue
		}
		var e struct {
			Details struct {
				Pictx *struct {
					Began int64 `json:"began"`
				} `json:"pictx"`
			} `json:"details"`
		}
		raw, err := ses.Line(n)
		if err == nil && Decode(raw, &e) == nil && e.Details.Pictx != nil {
			out = append(out, [2]int64{e.Details.Pictx.Began, n.Time})
		}
	}
	return out
}
