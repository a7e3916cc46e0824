package policy

import (
	"github.com/coctostan/pictx/core/token"
)

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
