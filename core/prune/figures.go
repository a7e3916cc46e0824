package prune

import "github.com/coctostan/pictx/core/token"

// Rule is why a decision was made as it was.
type Rule string

// The rules.
const (
	RuleNone     Rule = "none"     // nothing is prunable
	RuleForced   Rule = "forced"   // the user asked
	RuleCold     Rule = "cold"     // the cache holds nothing of the prompt
	RulePressure Rule = "pressure" // the context is almost full
	RuleWarm     Rule = "warm"     // it pays to rewrite the cache
	RuleTail     Rule = "tail"     // it pays to rewrite the end of it
	RuleWait     Rule = "wait"     // it does not pay yet
)

// Figures are both sides of a decision of the policy "auto". Tokens are counted as
// the provider counts them, prices are in plain input tokens.
type Figures struct {
	// Rule is what decided.
	Rule Rule `json:"rule"`
	// Cold is why the cache holds nothing of the prompt: idle, model, branch,
	// compaction, first, none (the provider has no cache); "" while it is warm.
	Cold string `json:"cold,omitempty"`
	// NoWarm is set when the provider's cache did not hold what the prices promise,
	// so that nothing is pruned while it is warm.
	NoWarm bool `json:"no_warm,omitempty"`
	// Results and RemovableTokens are what could go, less the markers.
	Results         int         `json:"results"`
	RemovableTokens token.Count `json:"removable_tokens"`
	// ContextTokens is the size of the coming prompt with the system prompt and
	// the tools, which are FloorTokens, and LimitTokens where it counts as almost
	// full, 0 when that is not known.
	ContextTokens token.Count `json:"context_tokens"`
	FloorTokens   token.Count `json:"floor_tokens"`
	LimitTokens   token.Count `json:"limit_tokens,omitempty"`
	// RebilledTokens are read from the cache now and would have to be written
	// again, at Cost more than reading them.
	RebilledTokens token.Count `json:"rebilled_tokens"`
	Cost           float64     `json:"cost"`
	// Calls is how many calls are expected to come, and Gain what they would cost
	// less.
	Calls int     `json:"calls"`
	Gain  float64 `json:"gain"`
	// Odds is how many times the gain must be the cost.
	Odds float64 `json:"odds"`
	// Ratio is the part of the rewritten tokens that would go, and Need the one at
	// which the gain is Odds times the cost.
	Ratio float64 `json:"ratio"`
	Need  float64 `json:"need"`
	// Billed is what the calls so far have cost, and Saved how much more it would
	// have been without pruning: what a rewrite may cost at lower odds.
	Billed float64 `json:"billed"`
	Saved  float64 `json:"saved"`
}
