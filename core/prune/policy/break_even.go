package policy

import (
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/token"
)

// breakEven is the When of the policy "auto". While nothing of the prompt is cached, pruning is
// free. Before a turn it also prunes what saves several times what rewriting the cache costs.
type breakEven struct {
	coldOnly bool
}

const (
	// markerSize is the assumed size of a marker that is not written yet.
	markerSize token.Count = 40
	// margin is how many times its cost the gain of a rewrite must be: the session may end, or
	// be compacted, with any request.
	margin = 4
	// fullWindow is the share of a context window that an agent fills before it compacts.
	fullWindow = 0.8
)

// decide implements When.
func (p breakEven) decide(in *Input, candidates []*Candidate) Verdict {
	a := in.account()
	f := &Figures{
		Trigger: TriggerNone, Cold: a.Cold, Results: len(candidates), FloorTokens: a.Floor, Margin: margin,
		ContextTokens: a.size(), Billed: a.Bill.Billed, Saved: a.Bill.Saved(),
	}
	for _, c := range candidates {
		f.RemovableTokens += removable(a, c)
	}
	v := Verdict{Figures: f, Hold: Reason{CodeWait, "prunable, but not worth it yet"}}
	if !slices.ContainsFunc(candidates, func(c *Candidate) bool { return c.Source != clearedRule.name }) {
		v.Outcome = "nothing: no tool output is prunable"
		return v
	}
	if a.Cold == "" {
		f.compare(in, a, candidates[0].Index)
	}
	switch {
	case in.Situation.Forced:
		return v.act(TriggerForced, "as asked")
	case in.unanswered() > 0:
		return v.wait("results of the last response are still to come")
	case a.Cold != "":
		return v.act(TriggerCold, WhyCold(a.Cold))
	case p.coldOnly:
		return v.wait("the cache is warm (prune.mode is cold)")
	case !in.Situation.Boundary:
		return v.wait("the cache is warm, and a turn is running")
	case f.Gain <= 0 || f.Gain < margin*f.Cost:
		return v.wait(f.explain())
	}
	return v.act(TriggerWarm, f.explain())
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
func removable(a *Account, c *Candidate) token.Count {
	n := c.Trim.removable(c.Message.Head)
	if len(c.Trim.Calls) == 0 && !c.Trim.Thinking {
		n = max(0, c.Tokens-markerSize)
	}
	return a.Scaled(n)
}

// compare sets what a rewrite from a message on costs and gains.
func (f *Figures) compare(in *Input, a *Account, from int) {
	f.RebilledTokens = max(0, a.Plain().Read-a.Peek(f.RemovableTokens, from).Read-f.RemovableTokens)
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
}

// callsLeft estimates how many requests will carry what is left of the context: as many as
// there were, unless the context is full before.
func (in *Input) callsLeft(a *Account, removable token.Count) int {
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
