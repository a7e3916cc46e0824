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
	"github.com/coctostan/pictx/core/usage"
)

// bill returns what the requests of the session have cost so far, each at the price of the
// model that answered it; what a decision costs shows once the next request has been made. read
// is the branch of a decision, which has read them already; it may be nil.
func (s Prune) bill(ctx context.Context, c *Call, read *prune.Branch) bill.Total {
	var requests *session.Session
	var err error
	if read != nil {
		requests = read.Walked()
	}
	if requests == nil {
		if requests, err = walked(ctx, c); err != nil {
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

// walked returns the requests of the session.
func walked(ctx context.Context, c *Call) (*session.Session, error) {
	ses, err := c.Project.Session(ctx)
	if err != nil {
		return nil, err
	}
	return session.Load(ses.Entries(), ses.Line)
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
	ses, err := c.Project.Session(ctx)
	if err != nil {
		return sum
	}
	var own []usage.Response // compactions on every branch
	for i := range ses.Entries().Nodes {
		if n := &ses.Entries().Nodes[i]; n.Type == message.EntryCompaction {
			if raw, err := ses.Line(n); err == nil {
				r, _ := usage.OfCompaction(&n.Entry, raw)
				own = append(own, r)
			}
		}
	}
	for _, n := range asked {
		paid := func(r usage.Response) bool { return r.Began > 0 && r.Began <= n.Created && n.Created <= r.Time }
		if !slices.ContainsFunc(own, paid) {
			sum.Requests, sum.Input, sum.Output = sum.Requests+1, sum.Input+n.Input+summary.Instructions, sum.Output+n.Tokens
		}
	}
	return sum
}

// keepWarm has the agent keep the cache of a prompt alive that is too short for its own rule only
// because it was pruned: for plain pi's prompt it would have.
func (s Prune) keepWarm(ctx context.Context, c *Call) error {
	var p CacheWarming
	if err := c.Read(&p); err != nil || p.Action == ActionWarm || disabled(c) {
		return err
	}
	expected := p.Probability*p.MissCost - p.WarmCost
	if expected <= 0 {
		return nil
	}
	requests, err := walked(ctx, c)
	if err != nil {
		return err
	}
	if expected*requests.Bill(s.costs(c), nil).Shrunk() >= token.WarmSavings {
		c.Result().Action = ActionWarm
		c.Note("keeps the cache warm, as pi would without pruning")
	}
	return nil
}
