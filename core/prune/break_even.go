package prune

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/prune/ledger"
	"github.com/coctostan/pictx/core/token"
)

// breakEven is the When of the policy "auto": it compares what pruning costs now with
// what it saves on the requests to come.
type breakEven struct {
	preset   Preset
	coldOnly bool
	without  []string // of DecisionNames
}

// triggerGuard names the bound of what a short session may lose, which is no Trigger.
const triggerGuard Trigger = "guard"

// withoutLedger names what is not a Trigger of its own: that what was saved may be
// spent at a lower margin.
const withoutLedger = "ledger"

// DecisionNames lists what AutoSettings.Without may name besides sources: the triggers
// that make the policy "auto" act, and the ledger.
func DecisionNames() []string {
	return []string{string(TriggerCold), string(TriggerWarm), string(TriggerTail), withoutLedger, string(triggerGuard)}
}

// disabled reports whether a trigger is switched off.
func (p breakEven) disabled(t Trigger) bool { return slices.Contains(p.without, string(t)) }

const (
	// minRewrite is the least that must be removable to rewrite a warm cache, as the
	// provider counts. The end of it costs next to nothing: a result that is worth a
	// marker is enough.
	minRewrite token.Count = 8000
	minTail                = minResult
	// markerSize is the size of a marker that is not written yet.
	markerSize token.Count = 40
	// riskBudget is the largest share of the bill that pruning may cost if none of the
	// expected requests come.
	riskBudget = 0.005
	// expectedCalls and expectedCallsLong are how many requests come on average before
	// the cache gets cold or the session ends, the second with a long time to live;
	// minExpectedCalls remain in a context that is almost full.
	expectedCalls, expectedCallsLong, minExpectedCalls = 25, 40, 3
	// maxCallsPerCall bounds the requests that are expected for each one so far: a session
	// that has just begun is as likely to be short.
	maxCallsPerCall = 2
	// longTTL is the time to live from which on expectedCallsLong holds.
	longTTL = 30 * time.Minute
)

const (
	// marginCovered is how many times the cost the gain must be when earlier savings
	// cover the cost.
	marginCovered = 2
	// marginUncovered is the same when they do not, and marginAtStake is added to it for
	// a cost as large as the whole bill so far: a session that ends soon after loses the
	// cost, which shows in the bill of that session alone.
	marginUncovered, marginAtStake = 3, 10
	// maxLoss is the share of the bill so far that a session may come to cost more than
	// plain pi while it has fewer than manyRequests: it may be over with the next one. With
	// a cold cache, where nothing is rewritten, that one may still fetch a text again. With
	// more requests an end is less likely and the bound grows. A cache that lives long may
	// stake maxLossLong: moments at which pruning is free hardly come to it.
	maxLoss, maxLossLong, manyRequests = 0.02, 0.04, 30
	// fewRequests is below how many what a rewrite saves has to pay for fetching a text
	// again as well: in so short a bill nothing else costs as much.
	fewRequests = 20
	// refetchedText and fetchOutput are the text and the output of such a fetch, at most.
	refetchedText, refetchOutput token.Count = 2000, 100
	// marginEager is enough for the preset eager, whatever is at stake.
	marginEager = 4
)

// margin returns how many times its cost the gain of a rewrite must be, with this much
// to spend and this bill so far.
func (p breakEven) margin(r rewrite, budget float64, b bill.Bill, prices token.Prices) float64 {
	switch {
	case r.cost <= budget:
		return marginCovered
	case p.exceedsMaxLoss(r.cost-budget, b, prices):
		return math.Inf(1)
	case p.preset == PresetCareful:
		return math.Inf(1)
	case p.preset == PresetEager:
		return marginEager
	}
	return marginUncovered + marginAtStake*r.cost/max(1, b.Billed)
}

// exceedsMaxLoss reports whether a loss is more than a session may risk that may soon be over.
func (p breakEven) exceedsMaxLoss(loss float64, b bill.Bill, prices token.Prices) bool {
	if p.preset == PresetEager || p.disabled(triggerGuard) || b.Requests == 0 {
		return false
	}
	grown := max(1, float64(b.Requests)/manyRequests)
	share := maxLoss
	if prices.TTL >= longTTL {
		share = maxLossLong
	}
	return loss > share*grown*grown*b.Billed
}

// refetchEatsGain reports whether fetching one of the candidates again would cost a short session
// more than is left of the gain of their rewrite.
func (p breakEven) refetchEatsGain(a *ledger.Account, candidates []Candidate, r rewrite, f *Figures) bool {
	if p.preset == PresetEager || p.disabled(triggerGuard) || a.Bill.Requests >= fewRequests {
		return false
	}
	return r.gain <= r.margin*r.cost+refetchCost(a, candidates, f)
}

// refetchCost is what it costs at most to fetch one of the candidates again, 0 when none holds
// a text that a model asks for: neither thinking, nor what was deactivated.
func refetchCost(a *ledger.Account, candidates []Candidate, f *Figures) float64 {
	if !slices.ContainsFunc(candidates, func(c Candidate) bool { return c.Reason.Code != CodeThinking && c.Reason.Code != CodeDeactivated }) {
		return 0
	}
	return a.Prices.Read*float64(f.ContextTokens) + a.Prices.Write*float64(min(refetchedText, f.RemovableTokens)) + a.Prices.OutputPrice()*float64(refetchOutput)
}

// decide implements When.
func (p breakEven) decide(in *Input, candidates []Candidate) Verdict {
	a := in.account()
	f := &Figures{
		NoWarm:  in.Situation.NoWarm || a.Collapses+in.Situation.Collapsed >= maxCollapses,
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
		if a.Cold == "" { // the user is told what it costs
			f.compare(p.rewrite(in, candidates[0].Index, f.RemovableTokens, a.Plain(), false), a.Prices)
		}
		return v.act(TriggerForced, "as asked")
	case in.unanswered() > 0:
		return v.wait("results of the last response are still to come")
	case a.Cold != "" && p.disabled(TriggerCold):
		return v.wait("the rule is switched off that prunes when " + ledger.WhyCold(a.Cold))
	case a.Cold != "" && a.Bill.Requests < manyRequests && p.exceedsMaxLoss(refetchCost(a, candidates, f)-a.Prices.Write*float64(f.RemovableTokens)-f.Saved, a.Bill, a.Prices):
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

// act and wait finish a verdict.
func (v Verdict) act(t Trigger, why string) Verdict {
	v.Act, v.Figures.Trigger = true, t
	v.Outcome = fmt.Sprintf("pruned: %v removable tokens, %s", v.Figures.RemovableTokens, why)
	return v
}

func (v Verdict) wait(why string) Verdict {
	v.Figures.Trigger, v.Outcome = TriggerWait, "nothing: "+why
	v.Hold.Text = "prunable, but " + why
	return v
}

// removable is what pruning a candidate takes away, as the provider counts.
func removable(a *ledger.Account, c Candidate) token.Count {
	if !c.Trim.empty() {
		return a.Scaled(c.Trim.removable(c.Message.Head))
	}
	return a.Scaled(max(0, c.Tokens-markerSize))
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
	margin    float64
}

// worthwhile reports whether the gain is worth the cost.
func (r rewrite) worthwhile() bool {
	need := minRewrite
	if r.tail {
		need = minTail
	}
	return r.removable >= need && r.gain > r.margin*r.cost && r.gain > 0
}

// trigger is the one that allows it.
func (r rewrite) trigger() Trigger {
	if r.tail {
		return TriggerTail
	}
	return TriggerWarm
}

// net is what it is expected to save.
func (r rewrite) net() float64 { return r.gain - r.cost }

// warm finds the rewrite that pays and is expected to save the most.
func (p breakEven) warm(in *Input, candidates []Candidate, v Verdict) Verdict {
	a := in.account()
	var best, whole rewrite
	var gone token.Count
	plain, budget := toSpend(a)
	if slices.Contains(p.without, withoutLedger) {
		budget = -1
	}
	for i := len(candidates) - 1; i >= 0; i-- {
		gone += removable(a, candidates[i])
		from := candidates[i].Index
		if i > 0 && (gone < minTail || !a.Reaches(from) || in.Situation.Final) {
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

// toSpend returns what the coming request costs with nothing more pruned, and what a
// rewrite may cost: what was saved, and riskBudget of the bill.
func toSpend(a *ledger.Account) (plain token.Bill, budget float64) {
	plain = a.Plain()
	return plain, a.Bill.Saved() + riskBudget*a.Bill.Billed - a.Owed(plain)
}

// rewrite works out what pruning from a message on costs and saves compared with plain.
func (p breakEven) rewrite(in *Input, from int, removable token.Count, plain token.Bill, tail bool) rewrite {
	a := in.account()
	after := a.Peek(removable, from)
	r := rewrite{from: from, tail: tail, removable: removable, calls: p.callsLeft(in, removable)}
	r.rebilled = max(0, plain.Read-after.Read-removable)
	r.cost = (a.Prices.Write - a.Prices.Read) * float64(r.rebilled)
	r.gain = float64(r.calls) * a.Prices.Read * float64(removable)
	return r
}

// callsLeft is how many requests are expected to carry what is left of the context,
// before the cache gets cold, the session ends or the context is full.
func (p breakEven) callsLeft(in *Input, removable token.Count) int {
	a, s := in.account(), &in.Situation
	n := expectedCalls
	if s.KnownPrices && a.Prices.TTL >= longTTL {
		n = expectedCallsLong
	}
	n = max(minExpectedCalls, min(n, maxCallsPerCall*max(a.Calls, a.Bill.Requests)))
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

// compare takes over the figures of a rewrite.
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

// explain writes both sides of the comparison, for a person.
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

// maxCollapses is how many times a provider's cache may hold less than its prices
// promise before it is left alone while it is warm.
const maxCollapses = 2
