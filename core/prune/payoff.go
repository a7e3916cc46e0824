package prune

import (
	"fmt"
	"math"
	"time"

	"github.com/coctostan/pictx/core/token"
)

// payoff is the When of the policy "auto": it compares what pruning costs now with
// what it saves on the calls to come.
type payoff struct {
	preset   Preset
	coldOnly bool
	limit    token.Count // of the context, 0 for none
	without  nameList    // of DecisionNames
}

// withoutLedger is the name of what is no Rule of its own: that what was saved may
// be spent at lower odds.
const withoutLedger = "ledger"

// DecisionNames lists what AutoSettings.Without may name besides sources: the rules
// that make the policy "auto" act, and the ledger.
func DecisionNames() []string {
	return []string{string(RuleCold), string(RuleWarm), string(RuleTail), string(RulePressure), withoutLedger}
}

// off reports whether a rule does not hold.
func (p payoff) off(r Rule) bool { return p.without.has(string(r)) }

const (
	// enough is what has to be removable for a rewrite of a warm cache, and
	// enoughTail for one of its end, by the provider's count.
	enough     token.Count = 8000
	enoughTail token.Count = 1000
	// markerSize is what a marker is counted as before it is written.
	markerSize token.Count = 40
	// almostFull is the part of the context that may be used before it is pruned
	// without waiting until that pays.
	almostFull = 0.85
	// relief is the part of such a context that must go, so that it is not pruned
	// again soon, and reliefCost the part of the bill that this may cost beyond what
	// was saved: the agent can still compact, which costs about as much as writing
	// the context once.
	relief, reliefCost = 0.2, 0.04
	// slack is the part of the bill that pruning may cost at the most if nothing
	// that it hopes for comes true.
	slack = 0.005
	// callsLeft and callsLeftLong are how many calls come on average before the
	// cache gets cold or the session ends, by its time to live; leastCalls is what
	// remains of it in a context that is almost full.
	callsLeft, callsLeftLong, leastCalls = 25, 40, 3
	// lived is how many calls are expected at the most for each that there was: a
	// session that has just begun is as likely to be a short one.
	lived = 2
	// longLived is the time to live from which on the second of them holds.
	longLived = 30 * time.Minute
)

const (
	// oddsCovered is how many times the gain must be the cost when what was saved before
	// covers the cost.
	oddsCovered = 2
	// oddsBeyond is the same when it does not, and oddsStaked what is added to it for a cost
	// of the whole bill so far: a session that ends soon after loses the cost, and it
	// shows in the bill of that session alone.
	oddsBeyond, oddsStaked = 3, 25
	// oddsEager is what the preset eager is content with, whatever is at stake.
	oddsEager = 4
)

// odds returns how many times the gain of a rewrite must be its cost, with so
// much to spend and so much billed.
func (p payoff) odds(r rewrite, budget, billed float64) float64 {
	switch {
	case r.cost <= budget:
		return oddsCovered
	case p.preset == PresetCareful:
		return math.Inf(1)
	case p.preset == PresetEager:
		return oddsEager
	}
	return oddsBeyond + oddsStaked*r.cost/max(1, billed)
}

// decide implements When.
func (p payoff) decide(in *Input, candidates []Candidate) Verdict {
	a := in.account()
	f := &Figures{
		NoWarm: in.Situation.NoWarm || a.collapses+in.Situation.Collapsed >= tooOften,
		Rule:   RuleNone, Cold: a.cold, Results: len(candidates), FloorTokens: a.floor,
		ContextTokens: a.floor + a.scaled(in.total), Billed: a.ledger.Billed, Saved: a.ledger.Saved(),
		LimitTokens: p.almostFull(&in.Situation),
	}
	for _, c := range candidates {
		f.RemovableTokens += a.removable(c)
	}
	v := Verdict{Figures: f, Hold: Reason{CodeWait, "prunable, but it does not pay yet"}}
	switch {
	case len(candidates) == 0:
		v.Outcome = "nothing: no tool output is prunable"
		return v
	case in.Situation.Forced:
		return v.act(RuleForced, "as asked")
	case in.history().open > 0:
		return v.wait("results of the last answer are still to come")
	case a.cold != "" && p.off(RuleCold):
		return v.wait("the rule is switched off that prunes when " + because(a.cold))
	case a.cold != "":
		return v.act(RuleCold, because(a.cold))
	case p.coldOnly:
		return v.wait("the cache is warm (prune.mode is cold)")
	case f.LimitTokens > 0 && f.ContextTokens > f.LimitTokens && p.relieves(in, candidates[0].Index, f):
		return v.act(RulePressure, fmt.Sprintf("%v tokens of context > %v", f.ContextTokens, f.LimitTokens))
	case f.NoWarm:
		return v.wait("the cache is warm, and this provider's did not keep what it should")
	}
	return p.warm(in, candidates, v)
}

// relieves reports whether pruning all candidates, the first of them at from, does
// something for a context that is almost full, and not at any price.
func (p payoff) relieves(in *Input, from int, f *Figures) bool {
	if p.off(RulePressure) || f.RemovableTokens < max(enough, token.Count(relief*float64(f.ContextTokens))) {
		return false
	}
	plain, budget := in.account().toSpend(in, reliefCost)
	return p.rewrite(in, from, f.RemovableTokens, plain, false).cost <= budget
}

// act and wait finish a verdict.
func (v Verdict) act(r Rule, why string) Verdict {
	v.Act, v.Figures.Rule = true, r
	v.Outcome = fmt.Sprintf("pruned: %v removable tokens, %s", v.Figures.RemovableTokens, why)
	return v
}

func (v Verdict) wait(why string) Verdict {
	v.Figures.Rule, v.Outcome = RuleWait, "nothing: "+why
	v.Hold.Text = "prunable, but " + why
	return v
}

// because says why a cache is cold.
func because(cold string) string {
	switch cold {
	case coldNone:
		return "the provider has no cache to lose"
	case coldModel:
		return "the cache is another model's"
	case coldBranch:
		return "the cache is another branch's"
	case coldCompaction:
		return "the cache is from before the compaction"
	case coldFirst:
		return "nothing is cached yet"
	}
	return "the cache is cold"
}

// removable is what pruning a candidate takes away, as the provider counts.
func (a *account) removable(c Candidate) token.Count {
	return a.scaled(max(0, c.Tokens-markerSize))
}

// almostFull is the size from which on the context is pruned before that pays, 0
// when it is not known.
func (p payoff) almostFull(s *Situation) token.Count {
	reserve := s.Reserve
	if reserve <= 0 {
		reserve = DefaultReserve
	}
	limit := s.Window - reserve
	if s.Window <= 0 || p.limit > 0 && p.limit < limit {
		limit = p.limit
	}
	return token.Count(almostFull * float64(max(0, limit)))
}

// rewrite is one way to prune while the cache is warm: the candidates from one
// position on.
type rewrite struct {
	from      int // position of the first of them
	tail      bool
	removable token.Count
	rebilled  token.Count
	cost      float64
	calls     int
	gain      float64
	odds      float64
}

// pays reports whether the gain is worth the cost.
func (r rewrite) pays() bool {
	need := enough
	if r.tail {
		need = enoughTail
	}
	return r.removable >= need && r.gain > r.odds*r.cost && r.gain > 0
}

// rule is the one that allows it.
func (r rewrite) rule() Rule {
	if r.tail {
		return RuleTail
	}
	return RuleWarm
}

// net is what it is expected to save.
func (r rewrite) net() float64 { return r.gain - r.cost }

// warm finds the rewrite that is expected to save most, of those that pay.
func (p payoff) warm(in *Input, candidates []Candidate, v Verdict) Verdict {
	a := in.account()
	var best, whole rewrite
	var removable token.Count
	plain, budget := a.toSpend(in, slack)
	if p.without.has(withoutLedger) {
		budget = -1
	}
	for i := len(candidates) - 1; i >= 0; i-- {
		removable += a.removable(candidates[i])
		from := candidates[i].Index
		if i > 0 && (removable < enoughTail || !a.reaches(from)) {
			continue
		}
		r := p.rewrite(in, from, removable, plain, i > 0)
		r.odds = p.odds(r, budget, a.ledger.Billed)
		if i == 0 {
			whole = r
		}
		if r.pays() && !p.off(r.rule()) && (best.removable == 0 || r.net() >= best.net()) {
			best = r
		}
	}
	if best.removable == 0 {
		v.Figures.compare(whole, a.prices)
		return v.wait(v.Figures.sides(whole))
	}
	v.Figures.compare(best, a.prices)
	v.From = best.from
	v.Hold = Reason{CodeDepth, "before the part of the context that is worth rewriting"}
	v.Figures.RemovableTokens = best.removable
	if !best.tail {
		v.From = 0
	}
	return v.act(best.rule(), v.Figures.sides(best))
}

// toSpend returns what the coming call costs with nothing more pruned, and what a
// rewrite may cost with that part of the bill besides what was saved.
func (a *account) toSpend(in *Input, part float64) (plain token.Bill, budget float64) {
	plain = a.cache.Peek(a.prompt(in, 0, len(in.Messages)))
	return plain, a.ledger.Saved() + part*a.ledger.Billed - a.owed(in, plain)
}

// prompt is the coming one with removable tokens less, and otherwise the same
// before the message at from.
func (a *account) prompt(in *Input, removable token.Count, from int) token.Prompt {
	last := len(in.Messages)
	return token.Prompt{
		Time: a.now, Floor: a.floor, Tokens: a.scaled(a.before[last]) - removable,
		Blocks: a.blocks[last], Same: a.scaled(a.before[min(from, a.changed)]),
	}
}

// reaches reports whether a cache with breakpoints may have one before the message
// at from that is still found; with the longest common prefix it always has.
func (a *account) reaches(from int) bool {
	return a.prices.Prefix || a.blocks[len(a.blocks)-1]-a.blocks[from] <= token.LookBack
}

// rewrite works out what pruning from a message on costs and saves, beside plain.
func (p payoff) rewrite(in *Input, from int, removable token.Count, plain token.Bill, tail bool) rewrite {
	a := in.account()
	after := a.cache.Peek(a.prompt(in, removable, from))
	r := rewrite{from: from, tail: tail, removable: removable, calls: p.callsLeft(in, removable)}
	r.rebilled = max(0, plain.Read-after.Read-removable)
	r.cost = (a.prices.Write - a.prices.Read) * float64(r.rebilled)
	r.gain = float64(r.calls) * a.prices.Read * float64(removable)
	return r
}

// owed is what the coming call costs more for what was decided since the last one.
func (a *account) owed(in *Input, plain token.Bill) float64 {
	if a.changed == len(in.Messages) {
		return 0
	}
	p := a.prompt(in, 0, len(in.Messages))
	p.Same = a.sent
	return (a.prices.Write - a.prices.Read) * float64(max(0, a.cache.Peek(p).Read-plain.Read-a.marked))
}

// callsLeft is how many calls are expected that carry what is left of the context:
// before the cache gets cold or the session ends, and before the context is full.
func (p payoff) callsLeft(in *Input, removable token.Count) int {
	a, s := in.account(), &in.Situation
	n := callsLeft
	if s.KnownPrices && a.prices.TTL >= longLived {
		n = callsLeftLong
	}
	n = max(leastCalls, min(n, lived*max(a.calls, a.ledger.Calls)))
	if s.Window <= 0 || a.calls < 2 {
		return n
	}
	growth := a.scale * float64(a.last-a.first) / float64(a.calls-1)
	room := 0.8*float64(s.Window) - float64(a.scaled(in.total)-removable)
	if growth <= 0 || room/growth >= float64(n) {
		return n
	}
	return max(leastCalls, int(room/growth))
}

// compare takes over the figures of a rewrite.
func (f *Figures) compare(r rewrite, prices token.Prices) {
	f.RebilledTokens, f.Cost, f.Calls, f.Gain, f.Odds = r.rebilled, r.cost, r.calls, r.gain, r.odds
	if touched := r.removable + r.rebilled; touched > 0 {
		f.Ratio = float64(r.removable) / float64(touched)
	}
	f.Need = 1
	if k := r.odds * (prices.Write - prices.Read); !math.IsInf(k, 0) {
		if n := float64(r.calls) * prices.Read; n+k > 0 {
			f.Need = k / (n + k)
		}
	} else {
		f.Odds = 0 // there is no such number in JSON
	}
}

// sides says both sides of the comparison.
func (f *Figures) sides(r rewrite) string {
	need := enough
	if r.tail {
		need = enoughTail
	}
	sign := "<="
	switch {
	case r.removable < need:
		return fmt.Sprintf("%v removable tokens < %v", r.removable, need)
	case r.pays():
		sign = ">"
	}
	return fmt.Sprintf("ratio %.2f %s %.2f (%v of %v tokens)", f.Ratio, sign, f.Need, r.removable, r.removable+r.rebilled)
}

// tooOften is how many times a provider's cache may hold less than its prices
// promise before it is left alone while it is warm.
const tooOften = 2
