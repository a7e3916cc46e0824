package prune

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/token"
)

// Trigger is what made the policy "auto" act or wait.
type Trigger string

// The triggers.
const (
	TriggerNone   Trigger = "none"   // nothing is prunable
	TriggerForced Trigger = "forced" // the user asked
	TriggerCold   Trigger = "cold"   // the cache holds nothing of the prompt
	TriggerWarm   Trigger = "warm"   // it pays to rewrite the cache
	TriggerTail   Trigger = "tail"   // it pays to rewrite the end of it
	TriggerWait   Trigger = "wait"   // it does not pay yet
)

// Figures are both sides of a decision of the policy "auto". Tokens are counted as
// the provider counts them, prices are in plain input tokens.
type Figures struct {
	// Trigger decided.
	Trigger Trigger `json:"rule"`
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
	// the tools, which are FloorTokens.
	ContextTokens token.Count `json:"context_tokens"`
	FloorTokens   token.Count `json:"floor_tokens"`
	// RebilledTokens are read from the cache now and would have to be written again,
	// which is more expensive by Cost.
	RebilledTokens token.Count `json:"rebilled_tokens"`
	Cost           float64     `json:"cost"`
	// Calls is how many requests are expected to come, and Gain how much less they
	// would cost.
	Calls int     `json:"calls"`
	Gain  float64 `json:"gain"`
	// Margin is how many times Cost the gain must be.
	Margin float64 `json:"odds"`
	// Ratio is the share of the rewritten tokens that would go, and Need the share at
	// which the gain is Margin times the cost.
	Ratio float64 `json:"ratio"`
	Need  float64 `json:"need"`
	// Bill is the whole bill of the session so far, with plain pi beside it.
	Bill bill.Bill `json:"-"`
	// Billed is what the requests so far have cost, and Saved how much more they would
	// have cost without pruning: a rewrite that costs no more needs a lower margin.
	Billed float64 `json:"billed"`
	Saved  float64 `json:"saved"`
}
