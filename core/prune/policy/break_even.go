package policy

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/prune/ledger"
	"github.com/coctostan/pictx/core/token"
)

// breakEven is the When of the policy "auto". It compares what pruning costs now with what
// it saves on the requests to come.
type breakEven struct {
	preset   Preset
	coldOnly bool
	without  []string // elements of DecisionNames
}

// triggerGuard is the name by which settings switch off the loss limit.
// It is not a Trigger.
const triggerGuard Trigger = "guard"

// What else settings switch off by name: the lower margin for rewrites that earlier savings
// pay for, the price of fetching a text again, which a short session must be able to save,
// the protections of files that the user named or that are changed blindly, and the lower
// ages in a cache that lasts long.
const (
	withoutLedger = "ledger"
	withoutFetch  = "fetch"
	withoutNamed  = "named"
	withoutBlind  = "blind"
	withoutSooner = "sooner"
)

// DecisionNames lists what AutoSettings.Without may name besides sources: the triggers that
// make the policy "auto" act, and what bounds them.
func DecisionNames() []string {
	return []string{string(TriggerCold), string(TriggerWarm), string(TriggerTail), withoutLedger, string(triggerGuard), withoutFetch, withoutNamed, withoutBlind, withoutSooner}
}

// disabled reports whether a trigger is switched off.
func (p breakEven) disabled(t Trigger) bool { return slices.Contains(p.without, string(t)) }

const (
	// minRewrite is the minimum that must be removable to rewrite a warm cache, as the
	// provider counts. Rewriting only the end of the cache costs next to nothing, so
	// minTail is the size of a result that is worth a marker.
	minRewrite token.Count = 8000
	minTail                = minResult
	// markerSize is the assumed size of a marker that is not written yet.
	markerSize token.Count = 40
	// riskBudget is the largest share of the bill that pruning may cost if none of the
	// expected requests come.
	riskBudget = 0.005
	// expectedCalls is the mean number of requests before the cache gets cold or the
	// session ends, and expectedCallsLong the same for a cache with a long time to live.
	// minExpectedCalls are assumed even when the context is almost full.
	expectedCalls, expectedCallsLong, minExpectedCalls = 25, 40, 3
	// maxCallsPerCall bounds the number of expected requests for each request so far: a
	// session that has just begun is likely to be short.
	maxCallsPerCall = 2
	// longTTL is the time to live from which on expectedCallsLong applies.
	longTTL = 30 * time.Minute
)

const (
	// marginCovered is how many times the cost the gain must be when earlier savings cover
	// the cost.
	marginCovered = 2
	// marginUncovered is the same when they do not. marginAtStake is added in proportion to
	// the share of the bill that the cost is: a session that ends soon after loses the
	// cost, which shows in the bill of that session alone.
	marginUncovered, marginAtStake = 3, 10
	// maxLoss is the share of the bill so far by which a rewrite may make a session more
	// expensive than plain pi, because the session may end, or be compacted, with any
	// request. Even with a cold cache, where nothing is rewritten, the model may fetch a
	// pruned text again. A cache that lives long may risk maxLossLong, since it hardly ever
	// gets cold, when pruning is free.
	maxLoss, maxLossLong = 0.03, 0.04
	// manyRequests is the number of requests from which on such a fetch no longer matters.
	manyRequests = 30
	// fewRequests is the number of requests below which the gain of a rewrite must also
	// cover fetching a text again: in so short a bill nothing else costs as much.
	fewRequests = 20
	// refetchedText and refetchOutput are the sizes assumed for the text and the output of
	// such a fetch.
	refetchedText, refetchOutput token.Count = 2000, 100
	// marginEager is the margin of the preset eager, whatever is at stake.
	marginEager = 4
)

// margin returns how many times its cost the gain of a rewrite must be, with this budget
// and this bill so far.
func (p breakEven) margin(r rewrite, budget float64, b bill.Bill, prices token.Prices) float64 {
	switch {
	case r.cost <= budget:
		return marginCovered
	case !p.disabled(triggerGuard) && p.exceedsMaxLoss(r.cost-budget, b, prices):
		return math.Inf(1)
	case p.preset == PresetCareful:
		return math.Inf(1)
	case p.preset == PresetEager:
		return marginEager
	}
	return marginUncovered + marginAtStake*r.cost/max(1, b.Billed)
}

// exceedsMaxLoss reports whether a loss is more than a session that may end with any request
// can risk.
func (p breakEven) exceedsMaxLoss(loss float64, b bill.Bill, prices token.Prices) bool {
	if p.preset == PresetEager || b.Requests == 0 {
		return false
	}
	share := maxLoss
	if prices.TTL >= longTTL {
		share = maxLossLong
	}
	return loss > share*b.Billed
}

// refetchEatsGain reports whether fetching one of the candidates again would cost a short
// session more than the rewrite gains beyond its margin.
func (p breakEven) refetchEatsGain(a *ledger.Account, candidates []*Candidate, r rewrite, f *Figures) bool {
	if p.preset == PresetEager || p.disabled(withoutFetch) || a.Bill.Requests >= fewRequests {
		return false
	}
	return r.gain <= r.margin*r.cost+refetchCost(a, candidates, f)
}

// refetchCost is the maximum cost of fetching one of the candidates again. It is 0 when the
// model cannot want any back: thinking, and what was deactivated.
func refetchCost(a *ledger.Account, candidates []*Candidate, f *Figures) float64 {
	if !slices.ContainsFunc(candidates, func(c *Candidate) bool { return c.Reason.Code != CodeThinking && c.Reason.Code != CodeDeactivated }) {
		return 0
	}
	return a.Prices.Read*float64(f.ContextTokens) + a.Prices.Write*float64(min(refetchedText, f.RemovableTokens)) + a.Prices.OutputPrice()*float64(refetchOutput)
}

// decide implements When.
func (p breakEven) decide(in *Input, candidates []*Candidate) Verdict {
	a := in.account()
	f := &Figures{
		NoWarm:  a.Collapses+in.Situation.Collapsed >= maxCollapses,
		Trigger: TriggerNone, Cold: a.Cold, Results: len(candidates), FloorTokens: a.Floor,
		ContextTokens: a.Floor + a.Scaled(in.total), Billed: a.Bill.Billed, Saved: a.Bill.Saved(), Bill: a.Bill,
	}
	for _, c := range candidates {
		f.RemovableTokens += removable(a, c)
	}
	v := Verdict{Figures: f, Hold: Reason{CodeWait, "prunable, but not worth it yet"}}
	switch {
	case len(candidates) == 0:
		v.Outcome = "nothing: no tool output is prunable"
		return v
	case in.Situation.Forced:
		if a.Cold == "" { // to tell the user what it costs
			f.compare(p.rewrite(in, candidates[0].Index, f.RemovableTokens, a.Plain(), false), a.Prices)
		}
		return v.act(TriggerForced, "as asked")
	case in.unanswered() > 0:
		return v.wait("results of the last response are still to come")
	case a.Cold != "" && p.disabled(TriggerCold):
		return v.wait("the rule is switched off that prunes when " + ledger.WhyCold(a.Cold))
	case a.Cold != "" && !p.disabled(withoutFetch) && a.Bill.Requests < manyRequests && p.exceedsMaxLoss(refetchCost(a, candidates, f)-a.Prices.Write*float64(f.RemovableTokens)-f.Saved, a.Bill, a.Prices):
		return v.wait("it saves a short session less than fetching a text again would cost")
	case a.Cold != "":
		return v.act(TriggerCold, ledger.WhyCold(a.Cold))
	case p.coldOnly:
		return v.wait("the cache is warm (prune.mode is cold)")
	case f.NoWarm:
		return v.wait("the cache is warm, and this provider's did not keep what it should")
	}
	return p.warm(in, candidates, v)
}

// act completes a verdict to prune.
func (v Verdict) act(t Trigger, why string) Verdict {
	v.Act, v.Figures.Trigger = true, t
	v.Outcome = fmt.Sprintf("pruned: %v removable tokens, %s", v.Figures.RemovableTokens, why)
	return v
}

// wait completes a verdict not to prune yet.
func (v Verdict) wait(why string) Verdict {
	v.Figures.Trigger, v.Outcome = TriggerWait, "nothing: "+why
	v.Hold.Text = "prunable, but " + why
	return v
}

// removable is how many tokens pruning a candidate removes, as the provider counts.
func removable(a *ledger.Account, c *Candidate) token.Count {
	if !c.Trim.empty() {
		return a.Scaled(c.Trim.removable(c.Message.Head))
	}
	return a.Scaled(max(0, c.Tokens-markerSize))
}

// rewrite is one way to prune while the cache is warm: all candidates from one position on.
type rewrite struct {
	from      int // position of the first candidate
	tail      bool
	removable token.Count
	rebilled  token.Count
	cost      float64
	calls     int
	gain      float64
	margin    float64
}

// worthwhile reports whether the gain justifies the cost.
func (r rewrite) worthwhile() bool {
	need := minRewrite
	if r.tail {
		need = minTail
	}
	return r.removable >= need && r.gain > r.margin*r.cost && r.gain > 0
}

// trigger returns the trigger under which the rewrite is allowed.
func (r rewrite) trigger() Trigger {
	if r.tail {
		return TriggerTail
	}
	return TriggerWarm
}

// net is the expected net saving.
func (r rewrite) net() float64 { return r.gain - r.cost }

// warm finds the worthwhile rewrite with the largest net saving.
func (p breakEven) warm(in *Input, candidates []*Candidate, v Verdict) Verdict {
	a := in.account()
	var best, whole rewrite
	var gone token.Count
	plain, budget := toSpend(a)
	if slices.Contains(p.without, withoutLedger) {
		budget = -1
	}
	enough := float64(minTail)
	for i := len(candidates) - 1; i >= 0; i-- {
		gone += removable(a, candidates[i])
		from := candidates[i].Index
		switch {
		case i > 0 && (in.Situation.Final || !a.Reaches(from)): // nor what is before it
			gone, i = v.Figures.RemovableTokens-removable(a, candidates[0]), 1
			continue
		case i > 0 && float64(gone) < enough:
			continue
		}
		r := p.rewrite(in, from, gone, plain, i > 0)
		r.margin = p.margin(r, budget, a.Bill, a.Prices)
		if p.refetchEatsGain(a, candidates[i:], r, v.Figures) {
			r.margin = math.Inf(1)
		}
		if i == 0 {
			whole = r
		}
		enough = max(enough, p.enough(in, r))
		if r.worthwhile() && !p.disabled(r.trigger()) && (best.removable == 0 || r.net() >= best.net()) {
			best = r
		}
	}
	if best.removable == 0 {
		v.Figures.compare(whole, a.Prices)
		return v.wait(v.Figures.explain(whole))
	}
	v.Figures.compare(best, a.Prices)
	v.From = best.from
	v.Hold = Reason{CodeDepth, "before the part of the context that is worth rewriting"}
	v.Figures.RemovableTokens = best.removable
	if !best.tail {
		v.From = 0
	}
	return v.act(best.trigger(), v.Figures.explain(best))
}

// enough returns how many tokens must go before a rewrite from further back than r can be
// worthwhile: it writes at least as much again. Without it, every request would weigh each
// text that has been waiting in a long session.
func (p breakEven) enough(in *Input, r rewrite) float64 {
	a := in.account()
	if !a.Prices.Prefix || r.rebilled <= 1 || r.from >= a.Changed {
		return 0 // a breakpoint may precede both, or both change what is new
	}
	const rounding = 0.999
	return rounding * marginCovered * (a.Prices.Write - a.Prices.Read) * float64(r.rebilled-1) / (float64(p.mostCalls(in)) * a.Prices.Read)
}

// toSpend returns the cost of the coming request without further pruning, and the budget of
// a rewrite: what was saved so far plus riskBudget of the bill.
func toSpend(a *ledger.Account) (plain token.Bill, budget float64) {
	plain = a.Plain()
	return plain, a.Bill.Saved() + riskBudget*a.Bill.Billed - a.Owed(plain)
}

// rewrite computes what pruning from a message on costs and saves compared with plain.
func (p breakEven) rewrite(in *Input, from int, removable token.Count, plain token.Bill, tail bool) rewrite {
	a := in.account()
	after := a.Peek(removable, from)
	r := rewrite{from: from, tail: tail, removable: removable, calls: p.callsLeft(in, removable)}
	r.rebilled = max(0, plain.Read-after.Read-removable)
	r.cost = (a.Prices.Write - a.Prices.Read) * float64(r.rebilled)
	r.gain = float64(r.calls) * a.Prices.Read * float64(removable)
	return r
}

// callsLeft estimates how many requests will carry what is left of the context before the
// cache gets cold, the session ends, or the context is full.
func (p breakEven) callsLeft(in *Input, removable token.Count) int {
	a, s, n := in.account(), &in.Situation, p.mostCalls(in)
	if s.Window <= 0 || a.Calls < 2 {
		return n
	}
	growth := a.Scale * float64(a.Last-a.First) / float64(a.Calls-1)
	room := 0.8*float64(s.Window) - float64(a.Scaled(in.total)-removable)
	if growth <= 0 || room/growth >= float64(n) {
		return n
	}
	return max(minExpectedCalls, int(room/growth))
}

// mostCalls is callsLeft where the context is far from full.
func (p breakEven) mostCalls(in *Input) int {
	a, n := in.account(), expectedCalls
	if in.lasting() {
		n = expectedCallsLong
	}
	return max(minExpectedCalls, min(n, maxCallsPerCall*max(a.Calls, a.Bill.Requests)))
}

// compare sets the figures of a rewrite.
func (f *Figures) compare(r rewrite, prices token.Prices) {
	f.RebilledTokens, f.Cost, f.Calls, f.Gain, f.Margin = r.rebilled, r.cost, r.calls, r.gain, r.margin
	if touched := r.removable + r.rebilled; touched > 0 {
		f.Ratio = float64(r.removable) / float64(touched)
	}
	f.Need = 1
	if k := r.margin * (prices.Write - prices.Read); !math.IsInf(k, 0) {
		if n := float64(r.calls) * prices.Read; n+k > 0 {
			f.Need = k / (n + k)
		}
	} else {
		f.Margin = 0 // JSON has no infinity
	}
}

// explain describes both sides of the comparison to a person.
func (f *Figures) explain(r rewrite) string {
	need := minRewrite
	if r.tail {
		need = minTail
	}
	if r.removable < need {
		return fmt.Sprintf("only %v tokens could go, it takes %v", r.removable, need)
	}
	share := fmt.Sprintf("%.0f%% of the %v tokens to be rewritten can go", 100*f.Ratio, r.removable+r.rebilled)
	if f.Need >= 1 && !r.worthwhile() {
		return share + ", which would not save enough yet"
	}
	return fmt.Sprintf("%s, worth it above %.0f%%", share, 100*f.Need)
}

// maxCollapses is how many collapsed requests (see Situation.Collapsed) it takes to leave
// the cache of a provider alone while it is warm.
const maxCollapses = 2
