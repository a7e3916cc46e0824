package token

import "time"

// Prices are what a model costs and how its provider caches prompts. Prices of tokens are
// multiples of the price of an uncached input token, so that requests to one model can be
// compared even if that is unknown.
type Prices struct {
	// Name is the name of the model or the price world.
	Name string `json:"name"`
	// Input is the price of a million uncached input tokens in dollars. It is valid when
	// Priced is set: a free model costs 0.
	Input  float64 `json:"input"`
	Priced bool    `json:"priced"`
	// Read is the price of a token read from the cache.
	Read float64 `json:"read"`
	// Write is the price of a token that is not in the cache and is written to it.
	Write float64 `json:"write"`
	// TTL is how long the cache keeps an unused prompt; 0 is for ever.
	TTL time.Duration `json:"ttl"`
	// Prefix is set when the longest common prefix with an earlier request is cached, as by
	// OpenAI, Gemini and DeepSeek. Otherwise prompts are cached up to breakpoints, as by
	// Anthropic.
	Prefix bool `json:"prefix"`
	// Output is the price of a token of output; 0 is unknown: see OutputPrice.
	Output float64 `json:"output,omitempty"`
	// Tiers are steps of the price, ascending.
	Tiers []Tier `json:"tiers,omitempty"`
	// Binds is set when the provider drops thinking before which something has changed.
	Binds bool `json:"binds"`
	// Warm is set when pi keeps the cache warm: see Refreshes.
	Warm bool `json:"warm"`
}

// Tier is a step of the price: a request with more input than Above costs Times as much.
type Tier struct {
	Above Count   `json:"above"`
	Times float64 `json:"times"`
}

// assumedOutput replaces an unknown price of output: as much as with Anthropic.
const assumedOutput = 5

// OutputPrice is the price of a token of output, assumed when it is unknown.
func (p *Prices) OutputPrice() float64 {
	if p.Output > 0 {
		return p.Output
	}
	return assumedOutput
}

// TimesAt returns how many times the price of the first tier a request with this much input
// costs.
func (p *Prices) TimesAt(input Count) float64 {
	times := 1.0
	for _, t := range p.Tiers {
		if input > t.Above {
			times = t.Times
		}
	}
	return times
}

// Dollars converts a cost in units of one uncached input token.
func (p *Prices) Dollars(cost float64) float64 { return cost * p.Input / 1_000_000 }

// LookBack is how many content blocks before a breakpoint Anthropic searches for an earlier
// one.
const LookBack = 20

// Unknown are the prices of a model of which none are known: those of Anthropic, but with
// the cache assumed to be warm for an hour.
func Unknown() Prices {
	return Prices{Name: "unknown", Read: 0.1, Write: 1.25, TTL: time.Hour}
}

// Caches reports whether reading from the cache is cheaper than writing.
func (p *Prices) Caches() bool { return p.Read < p.Write }

// maxMargin is how far the moment at which a cache expires may be off: clocks differ, and
// providers keep prompts longer, or a request was sent earlier than is known.
const maxMargin = 45 * time.Second

// Margin is by how much the time to live of a cache may be off, in either direction.
func (p *Prices) Margin() time.Duration { return min(maxMargin, p.TTL*3/20) }

// Cold reports whether the cache has certainly expired after so long without a request.
func (p *Prices) Cold(idle time.Duration) bool { return p.TTL > 0 && idle > p.TTL+p.Margin() }
