package replay

import (
	"cmp"
	"maps"
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/token"
)

// Tally adds up replayed sessions, in the order in which they are added.
type Tally struct {
	c      *Comparison
	shown  int                // index into c.Prices
	groups []map[Group]*Group // by policy; keys have zero figures
}

// NewTally returns a tally of sessions replayed under policies, "none" first, and prices;
// those at the index shown become the comparison's profile.
func NewTally(policies []Policy, prices []token.Prices, shown int) *Tally {
	t := &Tally{shown: shown, c: &Comparison{
		Policies: []PolicyTotal{}, PerSession: []SessionResult{}, Profile: prices[shown].Name, Prices: prices,
	}}
	for _, p := range policies {
		t.c.Policies = append(t.c.Policies, PolicyTotal{Name: p.Name, Prices: make(map[string]TotalBill)})
		t.groups = append(t.groups, make(map[Group]*Group))
	}
	return t
}

// Add adds a session. s needs only the fields that do not follow from runs, which are
// indexed by policy and prices. foreign is the size of what another agent sent before the
// conversation, 0 for a session of pi.
func (t *Tally) Add(s SessionResult, foreign token.Count, runs [][]Run) {
	if foreign > 0 {
		t.c.Converted++
		t.c.ConvertedFloor = max(t.c.ConvertedFloor, foreign)
	}
	s.Calls = runs[0][0].Calls
	s.Policies = make([]SessionPolicy, len(runs))
	for i := range runs {
		s.Policies[i] = t.policy(i, runs[i], runs[0], s.Rate)
	}
	t.c.Sessions++
	t.c.Calls += s.Calls
	t.c.PerSession = append(t.c.PerSession, s)
}

// policy adds the runs of one policy; none are those to compare with.
func (t *Tally) policy(i int, runs, none []Run, rate bill.Rate) SessionPolicy {
	total, shown := &t.c.Policies[i], &runs[t.shown]
	one := SessionPolicy{
		Name: total.Name, FirstPrune: shown.FirstPrune, Counts: countsOf(shown),
		Prices: make(map[string]SessionBill), Series: shown.Series,
	}
	total.Counts.add(one.Counts)
	for j := range runs {
		name := t.c.Prices[j].Name
		one.Prices[name] = billOf(&runs[j], &none[j], rate)
		total.Prices[name] = total.Prices[name].plus(&runs[j], &none[j], rate)
	}
	for _, p := range shown.Pruned {
		total.PrunedResults++
		total.PrunedTokens += p.Tokens
		key := Group{Tool: p.Tool, Argument: p.Argument, Reason: p.Reason}
		g := t.groups[i][key]
		if g == nil {
			g = &Group{Tool: key.Tool, Argument: key.Argument, Reason: key.Reason}
			t.groups[i][key] = g
		}
		g.Results++
		g.Tokens += p.Tokens
	}
	return one
}

// billOf returns the bill of a session relative to that of the policy "none".
func billOf(r, none *Run, rate bill.Rate) SessionBill {
	return SessionBill{
		Bill: r.Whole.Billed, BillVsNone: ratio(r.Whole.Billed, none.Whole.Billed),
		PruningVsNone: ratio(r.Bill, none.Bill), Dollars: rate.Dollars(r.Whole.Billed),
	}
}

// plus adds the bill of a session.
func (b TotalBill) plus(r, none *Run, rate bill.Rate) TotalBill {
	one := billOf(r, none, rate)
	b.Bill, b.noneBill = b.Bill+one.Bill, b.noneBill+none.Whole.Billed
	b.alone, b.noneAlone = b.alone+r.Bill, b.noneAlone+none.Bill
	b.Dollars, b.DollarsSaved = b.Dollars+one.Dollars, b.DollarsSaved+rate.Dollars(none.Whole.Billed)-one.Dollars
	b.Parts = bill.Bill{Parts: b.Parts}.Plus(bill.Bill{Parts: r.Whole.Parts}).Parts
	b.Money = b.Money.Plus(r.Whole.Parts, rate)
	b.WorstVsNone = max(b.WorstVsNone, one.BillVsNone)
	b.ratios = append(b.ratios, one.BillVsNone)
	switch TrendOf(one.BillVsNone) {
	case CostsLess:
		b.Better++
	case CostsMore:
		b.Worse++
	}
	if TrendOf(one.PruningVsNone) == CostsMore {
		b.WorsePruning++
	}
	return b
}

// withRatios computes the ratios from the sums.
func (b TotalBill) withRatios() TotalBill {
	b.BillVsNone, b.PruningVsNone = ratio(b.Bill, b.noneBill), ratio(b.alone, b.noneAlone)
	b.MedianVsNone = 1
	if len(b.ratios) > 0 {
		b.MedianVsNone = median(b.ratios)
	}
	b.ratios = nil
	return b
}

// Comparison completes the comparison. The tally must not be used afterwards.
func (t *Tally) Comparison() *Comparison {
	for i := range t.c.Policies {
		p := &t.c.Policies[i]
		for _, prices := range t.c.Prices {
			b := p.Prices[prices.Name].withRatios()
			if t.c.Sessions == 0 {
				b.WorstVsNone = 1
			}
			p.Prices[prices.Name] = b
		}
		groups := slices.SortedFunc(maps.Values(t.groups[i]), func(x, y *Group) int {
			return cmp.Or(cmp.Compare(y.Tokens, x.Tokens), cmp.Compare(x.Tool, y.Tool),
				cmp.Compare(x.Argument, y.Argument), cmp.Compare(x.Reason, y.Reason))
		})
		for _, g := range groups[:min(len(groups), MaxGroups)] {
			p.Pruned = append(p.Pruned, *g)
		}
	}
	return t.c
}

// countsOf returns the figures of a run that do not depend on prices.
func countsOf(r *Run) Counts {
	return Counts{
		TokensSent: r.TokensSent, PeakContext: r.Peak, WarmRewrites: r.WarmRewrites,
		Edits: r.Edits, EditsMissing: r.EditsMissing, CallsMissing: r.CallsMissing,
		Deactivated: r.Deactivated, DeactivatedMissing: r.DeactivatedMissing,
	}
}

// add adds the figures of a session; PeakContext becomes the maximum.
func (c *Counts) add(d Counts) {
	c.TokensSent += d.TokensSent
	c.PeakContext = max(c.PeakContext, d.PeakContext)
	c.WarmRewrites += d.WarmRewrites
	c.Edits += d.Edits
	c.EditsMissing += d.EditsMissing
	c.CallsMissing += d.CallsMissing
	c.Deactivated += d.Deactivated
	c.DeactivatedMissing += d.DeactivatedMissing
}

// ratio returns cost relative to of, 1 when of is 0.
func ratio(cost, of float64) float64 {
	if of == 0 {
		return 1
	}
	return cost / of
}

// Thin reduces a series to at most limit points. The call with the largest prompt
// represents a group of consecutive calls, with the most significant change and start of
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
			if start == Continues {
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

// median returns the median of a non-empty list, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
