package hooks

import (
	"context"
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
)

// bill returns what the requests of the session have cost so far, each at the price of the
// model that answered it; what a decision costs shows once the next request has been made. read
// is the branch of a decision, which has read them already; it may be nil.
func (s Prune) bill(ctx context.Context, c *Call, read *prune.Branch) bill.Total {
	var requests *session.Session
	if read != nil {
		requests = read.Walked()
	}
	if requests == nil {
		ses, err := c.Project.Session(ctx)
		if err != nil {
			return bill.Total{}
		}
		if requests, err = session.Load(ses.Entries(), ses.Line); err != nil {
			return bill.Total{}
		}
	}
	book := requests.Bill(s.costs(c), nil)
	if len(requests.Requests) == 0 {
		return book.Total
	}
	aside := summariesAside(ctx, c)
	m := &requests.Models[requests.Requests[len(requests.Requests)-1].Model]
	aside.Input, aside.Output = m.Scaled(aside.Input), m.Scaled(aside.Output) // our estimate as the provider counts
	book.Compact(bill.Compaction{}, aside)
	return book.Total
}

// costs returns the prices of the models of a session. The agent knows that of its present
// one.
func (s Prune) costs(c *Call) session.Costs {
	known := bill.Prices{Own: bill.ModelPrices(c.Project.Config().Config.Prices), Long: s.LongCache}
	return func(m *session.Model) token.Prices {
		if now := c.Model; now != nil && now.ID == m.ID && now.Provider == m.Provider {
			return s.prices(c)
		}
		return known.Of(m.Provider, m.ID, m.API, &m.Paid)
	}
}

// prices returns the prices of the call's model: as the agent reports them. A price of 0 is one,
// unless the user set another.
func (s Prune) prices(c *Call) token.Prices {
	m := c.Model
	if m == nil {
		return token.Unknown()
	}
	known := token.Model{
		Provider: m.Provider, ID: m.ID, API: m.API, Cost: m.Cost.Cost, Tiers: m.Cost.Tiers,
	}
	known.CacheShort, known.CacheLong = bill.CacheTime(m.PromptCache)
	p := bill.PricesOf(&known, true, s.LongCache)
	if input := bill.OwnPrice(m.ID, bill.ModelPrices(c.Project.Config().Config.Prices)); p.Input == 0 && input > 0 {
		p.Input = input
	}
	return p
}

// summariesAside sums the summary requests of the session that none of its compactions
// account for: those of `pictx compact` in a shell, and of compactions that were cancelled.
// The store records them by the sizes of prompt and response.
func summariesAside(ctx context.Context, c *Call) (sum bill.Compaction) {
	st, err := c.Project.Store(ctx)
	if err != nil {
		return sum
	}
	asked, err := st.Counts.SummariesAsked(ctx, c.Session.ID, 0)
	if err != nil || len(asked) == 0 {
		return sum
	}
	paid := compactionsOf(ctx, c)
	for _, n := range asked {
		if !paid.at(n.Created) {
			sum.Requests, sum.Input, sum.Output = sum.Requests+1, sum.Input+n.Input+summary.Instructions, sum.Output+n.Tokens
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
