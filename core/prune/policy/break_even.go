package policy

import (
	"fmt"

	"github.com/coctostan/pictx/core/token"
)

const (
	// markerSize is the assumed size of a marker that is not written yet.
	markerSize token.Count = 40
	// margin is how many times its cost the gain of a rewrite must be: the session may end, or
	// be compacted, with any request.
	margin = 4
	// fullWindow is the share of a context window that an agent fills before it compacts.
	fullWindow = 0.8
)

// breakEven is the When of the policy "auto". While nothing of the prompt is cached, pruning is
// free. Before a turn it also prunes what saves several times what rewriting the cache costs.
func breakEven(coldOnly bool) When {
	return func(in *Input, candidates []*Candidate) Verdict {
		a := in.account()
		f, prunable := in.compare(a, candidates)
		v := Verdict{Figures: f, Hold: Reason{CodeWait, "prunable, but not worth it yet"}}
		switch {
		case !prunable:
			v.Outcome = "nothing: no tool output is prunable"
			return v
		case in.Situation.Forced:
			return v.act(TriggerForced, "as asked")
		case in.open > 0:
			return v.wait("results of the last response are still to come")
		case a.Cold != "":
			return v.act(TriggerCold, WhyCold(a.Cold))
		case coldOnly:
			return v.wait("the cache is warm (prune.mode is cold)")
		case !in.Situation.Boundary:
			return v.wait("the cache is warm, and a turn is running")
		case f.Gain <= 0 || f.Gain < margin*f.Cost:
			return v.wait(f.explain())
		}
		return v.act(TriggerWarm, f.explain())
	}
}

// act completes a verdict to prune.
func (v Verdict) act(t Trigger, why string) Verdict {
	v.Act, v.Figures.Trigger = true, t
	v.Outcome = fmt.Sprintf("pruned: %v tokens, %s", v.Figures.RemovableTokens, why)
	return v
}

// wait completes a verdict not to prune yet.
func (v Verdict) wait(why string) Verdict {
	v.Figures.Trigger, v.Outcome = TriggerWait, "nothing: "+why
	v.Hold.Text = "prunable, but " + why
	return v
}

// removable is how many tokens pruning a candidate removes, as the provider counts.
func removable(a *account, c *Candidate) token.Count {
	n := c.Trim.removable(c.Message.Head)
	if len(c.Trim.Calls) == 0 && !c.Trim.Thinking {
		n = max(0, c.Tokens-markerSize)
	}
	return a.Scaled(n)
}

// compare returns what a rewrite from the first candidate on costs and gains. While nothing is
// cached, or nothing is prunable, there is nothing to compare.
func (in *Input) compare(a *account, candidates []*Candidate) (f *Figures, prunable bool) {
	f = &Figures{
		Trigger: TriggerNone, Cold: a.Cold, Results: len(candidates), FloorTokens: a.Floor, Margin: margin,
		ContextTokens: a.size(), Billed: a.Bill.Billed, Saved: a.Bill.Saved(),
	}
	for _, c := range candidates {
		f.RemovableTokens += removable(a, c)
		prunable = prunable || c.Source != clearedRule.name
	}
	if !prunable || a.Cold != "" {
		return f, prunable
	}
	f.RebilledTokens = max(0, a.plain().Read-a.peek(f.RemovableTokens, candidates[0].Index).Read-f.RemovableTokens)
	f.Cost = (a.Prices.Write - a.Prices.Read) * float64(f.RebilledTokens)
	f.Calls = in.callsLeft(a, f.RemovableTokens)
	f.Gain = float64(f.Calls) * a.Prices.Read * float64(f.RemovableTokens)
	if touched := f.RemovableTokens + f.RebilledTokens; touched > 0 {
		f.Ratio = float64(f.RemovableTokens) / float64(touched)
	}
	f.Need = 1
	if k := margin * (a.Prices.Write - a.Prices.Read); float64(f.Calls)*a.Prices.Read+k > 0 {
		f.Need = k / (float64(f.Calls)*a.Prices.Read + k)
	}
	return f, true
}

// callsLeft estimates how many requests will carry what is left of the context: as many as
// there were, unless the context is full before.
func (in *Input) callsLeft(a *account, removable token.Count) int {
	n := max(1, a.Requests, a.Bill.Requests)
	if window, growth := in.Situation.Window, a.growth(); window > 0 && growth > 0 {
		room := fullWindow*float64(window) - float64(a.size()-removable)
		n = min(n, max(1, int(room/growth)))
	}
	return n
}

// explain describes both sides of the comparison to a person.
func (f *Figures) explain() string {
	if f.Cost <= 0 {
		return "nothing that is cached would be rewritten"
	}
	return fmt.Sprintf("the next %d requests would save %.1f times what rewriting costs, and %d times is asked", f.Calls, f.Gain/f.Cost, margin)
}

// Trigger is what made the policy "auto" act or wait.
type Trigger string

// The triggers.
const (
	TriggerNone   Trigger = "none"   // nothing is prunable
	TriggerForced Trigger = "forced" // the user asked
	TriggerCold   Trigger = "cold"   // the cache holds nothing of the prompt
	TriggerWarm   Trigger = "warm"   // rewriting the cache pays
	TriggerWait   Trigger = "wait"   // it does not pay yet
)

// Figures are both sides of a decision of the policy "auto". Tokens are as the provider
// counts them; prices are in units of one uncached input token.
type Figures struct {
	// Trigger is what decided.
	Trigger Trigger `json:"rule"`
	// Cold is why nothing of the prompt is cached: idle, model, branch, compaction, first,
	// or none (the provider has no cache); "" while the cache is warm.
	Cold string `json:"cold,omitempty"`
	// Results and RemovableTokens are the number and size, less the markers, of what could
	// be pruned.
	Results         int         `json:"results"`
	RemovableTokens token.Count `json:"removable_tokens"`
	// ContextTokens is the size of the coming prompt. It includes FloorTokens, the size of
	// the system prompt and the tools.
	ContextTokens token.Count `json:"context_tokens"`
	FloorTokens   token.Count `json:"floor_tokens"`
	// PlannedTokens is the size of the coming prompt after the plan.
	PlannedTokens token.Count `json:"-"`
	// RebilledTokens would be read from the cache without pruning and have to be written
	// again with it. Cost is the difference in price.
	RebilledTokens token.Count `json:"rebilled_tokens"`
	Cost           float64     `json:"cost"`
	// Calls is the expected number of further requests, Gain how much cheaper they would
	// be.
	Calls int     `json:"calls"`
	Gain  float64 `json:"gain"`
	// Margin is how many times Cost the gain must be.
	Margin float64 `json:"odds"`
	// Ratio is the share of the rewritten tokens that would be removed, Need the share at
	// which the gain is Margin times the cost.
	Ratio float64 `json:"ratio"`
	Need  float64 `json:"need"`
	// Billed is what the requests so far have cost, and Saved how much more they would have
	// cost without pruning.
	Billed float64 `json:"billed"`
	Saved  float64 `json:"saved"`
}
