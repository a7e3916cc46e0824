package token

import (
	"time"
)

// Model is what is known of a model. The zero Model is one of which nothing is known.
type Model struct {
	// Provider and ID name it as pi does; API is the protocol in which it is called.
	Provider, ID, API string
	// Window is the size of its context window in tokens, 0 when unknown.
	Window Count
	// Cost is what its tokens cost up to the first of Tiers, which ascend.
	Cost  Cost
	Tiers []CostTier
	// CacheShort and CacheLong are how long its provider keeps an unused prompt with pi's short
	// and long retention; 0 is unknown.
	CacheShort, CacheLong time.Duration
	// Thinks is set for a model that can reason before it answers.
	Thinks bool
	// Effort is pi's compat.supportsMidConvoEffort: with Anthropic Messages, pi asks the provider
	// of such a model to drop thinking that has become invalid. Others refuse the request.
	Effort bool
}

// Cost is what tokens cost, in dollars per million. A model that is free costs 0.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// CostTier is what all tokens of a request cost whose input is larger than Above.
type CostTier struct {
	Above Count `json:"inputTokensAbove"`
	Cost  `json:",embed"`
}

// Free reports whether nothing is paid for the model: its cost is known to be 0.
func (m *Model) Free() bool { return m.Cost == Cost{} && len(m.Tiers) == 0 }

// CostAt returns what the tokens of a request cost that has this much input, read from the
// cache or not.
func (m *Model) CostAt(input Count) Cost {
	cost := m.Cost
	for _, t := range m.Tiers {
		if input > t.Above {
			cost = t.Cost
		}
	}
	return cost
}

// Dollars returns the price of these numbers of tokens.
func (c Cost) Dollars(input, output, cacheRead, cacheWrite int64) float64 {
	const perMillion = 1e-6
	return perMillion * (c.Input*float64(input) + c.Output*float64(output) + c.CacheRead*float64(cacheRead) + c.CacheWrite*float64(cacheWrite))
}
