package replay

import (
	"cmp"
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
)

// Comparison is what sessions would have cost under several policies. Ratios are relative
// to the policy "none"; 1.0 is the same.
type Comparison struct {
	Sessions int `json:"sessions"`
	Requests int `json:"requests"`
	// Worlds are the price worlds; the first is that of figures without one of their own.
	Worlds     []World         `json:"worlds"`
	Policies   []PolicyTotal   `json:"policies"` // "none" first
	PerSession []SessionResult `json:"per_session"`

	// Problems are the sessions that could not be replayed.
	Problems []Problem `json:"-"`
	// Converted is the number of sessions of another agent, whose system prompt and tools
	// are much larger than pi's. ConvertedFloor is the size of the largest.
	Converted      int         `json:"-"`
	ConvertedFloor token.Count `json:"-"`
	// SharedRequests is the number of requests of forks that are billed in their origin.
	SharedRequests int `json:"shared_requests"`
	// Unpriced is the number of requests to models without a price.
	Unpriced int `json:"unpriced_requests"`
	// Interrupted is set when not all sessions were replayed.
	Interrupted bool `json:"-"`
}

// Priced reports whether the bills are in dollars.
func (c *Comparison) Priced() bool {
	return len(c.Policies) > 0 && len(c.Policies[0].Worlds) > 0 && c.Policies[0].Worlds[0].Priced()
}

// First is what the policy costs in the first world.
func (p *PolicyTotal) First() *WorldTotal { return &p.Worlds[0] }

// PolicyTotal is what one policy did to all sessions.
type PolicyTotal struct {
	Name   string       `json:"name"`
	Worlds []WorldTotal `json:"worlds"` // in the order of Comparison.Worlds

	// Pruned are the largest MaxGroups groups of pruned results in the first world, by tool,
	// argument and reason, in descending order. PrunedResults and PrunedTokens cover all.
	Pruned        []Group     `json:"-"`
	PrunedResults int         `json:"-"`
	PrunedTokens  token.Count `json:"-"`
}

// WorldTotal is what a policy costs in one world, for all sessions: the whole bill, as
// package bill defines it.
type WorldTotal struct {
	World string `json:"world"`
	Date  string `json:"date"`
	// BillVsNone compares dollars or, where no model has a price, units of one uncached
	// input token. MedianVsNone is the median over the sessions, WorstVsNone their maximum.
	BillVsNone   float64 `json:"bill_vs_none"`
	MedianVsNone float64 `json:"median_session_vs_none"`
	WorstVsNone  float64 `json:"worst_session_vs_none"`
	Better       int     `json:"sessions_better"`
	Worse        int     `json:"sessions_worse"`
	// Dollars is the bill of the requests with a price, DollarsSaved how much less that is
	// than plain pi's. Tokens is that of all others, in units of one uncached input token.
	Dollars      float64 `json:"dollars"`
	DollarsSaved float64 `json:"dollars_saved"`
	Tokens       float64 `json:"tokens"`
	Figures
	// Parts add up to Dollars, or Tokens where no model has a price.
	Parts bill.Items `json:"parts"`
	// Total is the bill, its Plain that of plain pi.
	Total bill.Total `json:"-"`

	ratios []float64
}

// Bill is the bill in dollars, or in tokens where nothing has a price.
func (t *WorldTotal) Bill() bill.Bill { return t.Total.Shown() }

// Priced reports whether the bill is in dollars.
func (t *WorldTotal) Priced() bool { return t.Total.Priced() }

// Group is the results of one kind that were pruned for one reason.
type Group struct {
	Tool, Argument, Reason string
	Results                int
	Tokens                 token.Count
}

// MaxGroups bounds the groups of a policy.
const MaxGroups = 20

// SessionResult is one session under all policies.
type SessionResult struct {
	Session  string `json:"session"`
	File     string `json:"file"`
	Started  string `json:"started"` // RFC 3339, "" when unknown
	Requests int    `json:"requests"`
	Policies []Run  `json:"policies"` // in the first world, in the order of Comparison.Policies

	CWD string `json:"-"`
	// Model is the session's first model.
	Model session.Model `json:"-"`
}

// Problem is a session that could not be replayed.
type Problem struct {
	File  string
	Cause string
}

// Trend compares a cost with that of another policy.
type Trend int

// The trends. Sessions within one percent cost the same.
const (
	CostsSame Trend = iota
	CostsLess
	CostsMore
)

// TrendOf returns the trend of a ratio of costs.
func TrendOf(ratio float64) Trend {
	const less, more = 0.99, 1.01
	switch {
	case ratio < less:
		return CostsLess
	case ratio > more:
		return CostsMore
	}
	return CostsSame
}

// Tally adds up replayed sessions, in the order in which they are added.
type Tally struct {
	c      *Comparison
	groups []map[Group]Group // by policy; keys have zero figures
}

// NewTally returns a tally of sessions replayed under policies, "none" first, in worlds.
func NewTally(policies []Policy, worlds []World) *Tally {
	t := &Tally{c: &Comparison{Worlds: worlds, PerSession: []SessionResult{}}}
	for _, p := range policies {
		total := PolicyTotal{Name: p.Name}
		for _, w := range worlds {
			total.Worlds = append(total.Worlds, WorldTotal{World: w.Name, Date: w.Date})
		}
		t.c.Policies, t.groups = append(t.c.Policies, total), append(t.groups, make(map[Group]Group))
	}
	return t
}

// Add adds a session, and takes its runs, which are indexed by policy and world. s needs only the
// fields that do not follow from those. foreign is the size of what another agent sent before the
// conversation, 0 for a session of pi.
func (t *Tally) Add(s SessionResult, foreign token.Count, runs [][]*Run) {
	if foreign > 0 {
		t.c.Converted++
		t.c.ConvertedFloor = max(t.c.ConvertedFloor, foreign)
	}
	none := runs[0][0]
	s.Requests = none.Requests
	for i := range runs {
		s.Policies = append(s.Policies, t.policy(i, runs[i], runs[0]))
	}
	t.c.Sessions++
	t.c.Requests += s.Requests
	t.c.Unpriced += none.Bill.Tokens.Requests
	t.c.PerSession = append(t.c.PerSession, s)
}

// Share counts requests of forks that are billed in their origin.
func (t *Tally) Share(n int) { t.c.SharedRequests += n }

// policy adds the runs of one policy, and returns the first of them; none are those to compare
// with.
func (t *Tally) policy(i int, runs, none []*Run) Run {
	total, shown := &t.c.Policies[i], runs[0]
	for j, r := range runs {
		r.BillVsNone = ratio(r.Bill.Shown().Billed, none[j].Bill.Shown().Billed)
		total.Worlds[j].add(r, none[j])
	}
	for _, p := range shown.Pruned {
		key := Group{Tool: p.ToolName, Argument: p.Argument, Reason: p.Reason.Code}
		g := t.groups[i][key]
		g.Results, g.Tokens = g.Results+1, g.Tokens+p.Tokens
		t.groups[i][key] = g
		total.PrunedResults, total.PrunedTokens = total.PrunedResults+1, total.PrunedTokens+p.Tokens
	}
	shown.Pruned = nil // they are in the groups
	return *shown
}

// add adds the run of a session.
func (t *WorldTotal) add(r, none *Run) {
	t.Total, t.Figures = t.Total.Plus(r.Bill), t.Figures.plus(r.Figures)
	if none.Requests == 0 {
		return // another session has all of it
	}
	t.WorstVsNone = max(t.WorstVsNone, r.BillVsNone)
	t.ratios = append(t.ratios, r.BillVsNone)
	switch TrendOf(r.BillVsNone) {
	case CostsLess:
		t.Better++
	case CostsMore:
		t.Worse++
	}
}

// settle computes what follows from the sums; none is the policy to compare with.
func (t *WorldTotal) settle(none *WorldTotal) {
	t.Dollars, t.Tokens, t.Parts = t.Total.Dollars.Billed, t.Total.Tokens.Billed, t.Bill().Parts
	t.DollarsSaved = none.Total.Dollars.Billed - t.Dollars
	t.BillVsNone = ratio(t.Bill().Billed, none.Bill().Billed)
	t.MedianVsNone = 1
	if len(t.ratios) == 0 {
		t.WorstVsNone = 1
		return
	}
	slices.Sort(t.ratios)
	n := len(t.ratios)
	t.MedianVsNone = (t.ratios[(n-1)/2] + t.ratios[n/2]) / 2
}

// Comparison completes the comparison. The tally must not be used afterwards.
func (t *Tally) Comparison() *Comparison {
	for i := range t.c.Policies {
		p := &t.c.Policies[i]
		for j := range p.Worlds {
			p.Worlds[j].settle(&t.c.Policies[0].Worlds[j])
		}
		for key, g := range t.groups[i] {
			g.Tool, g.Argument, g.Reason = key.Tool, key.Argument, key.Reason
			p.Pruned = append(p.Pruned, g)
		}
		slices.SortFunc(p.Pruned, func(x, y Group) int {
			return cmp.Or(cmp.Compare(y.Tokens, x.Tokens), cmp.Compare(x.Tool, y.Tool),
				cmp.Compare(x.Argument, y.Argument), cmp.Compare(x.Reason, y.Reason))
		})
		p.Pruned = p.Pruned[:min(len(p.Pruned), MaxGroups)]
	}
	return t.c
}

// ratio returns cost relative to of, 1 when of is 0.
func ratio(cost, of float64) float64 {
	if of == 0 {
		return 1
	}
	return cost / of
}

// Thin reduces a series to at most limit points. The request with the largest prompt
// represents a group of consecutive ones, with the most significant change and start of
// the group.
func Thin(points []Point, limit int) []Point {
	if len(points) <= limit {
		return points
	}
	out := make([]Point, 0, limit)
	for i := range limit {
		some := points[i*len(points)/limit : (i+1)*len(points)/limit]
		p := some[0]
		for _, q := range some[1:] {
			change, start, idle := p.Change, p.Start, p.Idle || q.Idle
			if change == Unchanged || q.Change == ChangedWarm {
				change = q.Change
			}
			if start == session.Continues {
				start = q.Start
			}
			if q.Tokens > p.Tokens {
				p = q
			}
			p.Change, p.Start, p.Idle = change, start, idle
		}
		out = append(out, p)
	}
	return out
}
