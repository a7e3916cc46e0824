package commands

import (
	"cmp"
	"maps"
	"slices"

	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
)

// What counts as another bill than without pruning.
const (
	better = 0.99
	worse  = 1.01
)

// replaySum adds sessions up.
type replaySum struct {
	work   *replayWork
	res    *replayResult
	groups []map[replayGroup]*replayGroup // by policy
}

func newReplaySum(w *replayWork, res *replayResult) *replaySum {
	s := &replaySum{work: w, res: res}
	for _, p := range w.policies {
		res.Policies = append(res.Policies, replayPolicy{Name: p.Name, Prices: make(map[string]replayBill)})
		s.groups = append(s.groups, make(map[replayGroup]*replayGroup))
	}
	return s
}

// add adds a session.
func (s *replaySum) add(d *replayed) {
	row := replaySession{
		Session: d.session, File: d.file, Started: text.KnownTime(d.started),
		Calls: d.runs[0][0].Calls, CWD: d.cwd, Policies: []replaySessionPolicy{},
	}
	if len(d.calibration) > 0 {
		row.Calibration = d.calibration[0]
	}
	if d.foreign > 0 {
		s.res.Converted++
		s.res.ConvertedFloor = max(s.res.ConvertedFloor, int64(d.foreign))
	}
	s.res.Sessions++
	s.res.Calls += row.Calls
	for i, runs := range d.runs {
		row.Policies = append(row.Policies, s.policy(i, runs, d.runs[0]))
	}
	s.res.PerSession = append(s.res.PerSession, row)
}

// policy adds a session's runs of a policy, which none are compared with.
func (s *replaySum) policy(i int, runs, none []replay.Run) replaySessionPolicy {
	total := &s.res.Policies[i]
	shown := &runs[s.work.shown]
	one := replaySessionPolicy{
		Name: total.Name, FirstPrune: shown.FirstPrune, replayCounts: countsOf(shown),
		Prices: make(map[string]replaySessionBill), Series: shown.Series,
	}
	total.add(one.replayCounts)
	for j := range runs {
		name := s.work.prices[j].Name
		r, base := &runs[j], none[j].Bill
		bill := replaySessionBill{Bill: r.Bill, BillVsNone: ratio(r.Bill, base), NetVsNone: ratio(r.Net, base)}
		one.Prices[name] = bill
		b := total.Prices[name]
		b.Bill, b.net, b.noneBill = b.Bill+r.Bill, b.net+r.Net, b.noneBill+base
		b.WorstVsNone = max(b.WorstVsNone, bill.BillVsNone)
		switch {
		case bill.BillVsNone < better:
			b.Better++
		case bill.BillVsNone > worse:
			b.Worse++
		}
		total.Prices[name] = b
	}
	for _, p := range shown.Pruned {
		total.PrunedResults++
		total.PrunedTokens += int64(p.Tokens)
		key := replayGroup{Tool: p.Tool, Argument: text.TerminalLine(p.Argument), Reason: p.Reason}
		g := s.groups[i][key]
		if g == nil {
			g = &replayGroup{Tool: key.Tool, Argument: key.Argument, Reason: key.Reason}
			s.groups[i][key] = g
		}
		g.Results++
		g.Tokens += int64(p.Tokens)
	}
	return one
}

// end works out what follows from the sums.
func (s *replaySum) end() {
	for i := range s.res.Policies {
		p := &s.res.Policies[i]
		for _, prices := range s.work.prices {
			b := p.Prices[prices.Name]
			b.BillVsNone, b.NetVsNone = ratio(b.Bill, b.noneBill), ratio(b.net, b.noneBill)
			if s.res.Sessions == 0 {
				b.WorstVsNone = 1
			}
			p.Prices[prices.Name] = b
		}
		groups := slices.SortedFunc(maps.Values(s.groups[i]), func(x, y *replayGroup) int {
			return cmp.Or(cmp.Compare(y.Tokens, x.Tokens), cmp.Compare(x.Tool, y.Tool),
				cmp.Compare(x.Argument, y.Argument), cmp.Compare(x.Reason, y.Reason))
		})
		for _, g := range groups[:min(len(groups), replayGroups)] {
			p.Pruned = append(p.Pruned, *g)
		}
	}
}

// countsOf takes the figures of a run that do not have a price each.
func countsOf(r *replay.Run) replayCounts {
	return replayCounts{
		TokensSent: int64(r.TokensSent), PeakContext: int64(r.Peak), WarmRewrites: r.WarmRewrites,
		Edits: r.Edits, EditsMissing: r.EditsMissing, CallsMissing: r.CallsMissing,
		Deactivated: r.Deactivated, DeactivatedMissing: r.DeactivatedMissing,
	}
}

// add adds the figures of a session: the largest context is that of all.
func (c *replayCounts) add(d replayCounts) {
	c.TokensSent += d.TokensSent
	c.PeakContext = max(c.PeakContext, d.PeakContext)
	c.WarmRewrites += d.WarmRewrites
	c.Edits += d.Edits
	c.EditsMissing += d.EditsMissing
	c.CallsMissing += d.CallsMissing
	c.Deactivated += d.Deactivated
	c.DeactivatedMissing += d.DeactivatedMissing
}

// ratio is a cost as a part of another; of nothing, nothing is the same.
func ratio(cost, of float64) float64 {
	if of == 0 {
		return 1
	}
	return cost / of
}
