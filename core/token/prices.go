package token

import "time"

// Prices are what a provider bills for input, as multiples of its uncached input price, and
// how its prompt cache works.
type Prices struct {
	// Name is the name of the profile.
	Name string `json:"name"`
	// Read is the price of a token read from the cache.
	Read float64 `json:"read"`
	// Write is the price of a token that is not in the cache and is written to it.
	Write float64 `json:"write"`
	// TTL is how long the cache keeps an unused prompt; 0 is for ever.
	TTL time.Duration `json:"ttl"`
	// Prefix is set when the longest common prefix with an earlier call is cached, as by
	// OpenAI, Gemini and DeepSeek. Otherwise prompts are cached up to breakpoints, as by
	// Anthropic.
	Prefix bool `json:"prefix"`
	// Output is the price of a token of output; 0 is unknown: see OutputPrice.
	Output float64 `json:"output,omitempty"`
}

// assumedOutput replaces an unknown price of output: as much as with Anthropic.
const assumedOutput = 5

// OutputPrice is the price of a token of output, assumed when it is unknown.
func (p Prices) OutputPrice() float64 {
	if p.Output > 0 {
		return p.Output
	}
	return assumedOutput
}

// LookBack is how many content blocks before a breakpoint Anthropic searches for an earlier
// one.
const LookBack = 20

// Profiles returns the prices that sessions are replayed under.
func Profiles() []Prices {
	return []Prices{
		{Name: "anthropic-5m", Read: 0.1, Write: 1.25, TTL: 5 * time.Minute, Output: 5},
		{Name: "anthropic-1h", Read: 0.1, Write: 2, TTL: time.Hour, Output: 5},
		{Name: "openai", Read: 0.1, Write: 1, TTL: 5 * time.Minute, Prefix: true, Output: 8},
		{Name: "deepseek", Read: 0.02, Write: 1, TTL: time.Hour, Prefix: true, Output: 3},
		{Name: "none", Read: 1, Write: 1},
	}
}

// Profile returns the profile of that name.
func Profile(name string) (Prices, bool) {
	for _, p := range Profiles() {
		if p.Name == name {
			return p, true
		}
	}
	return Prices{}, false
}

// Caches reports whether reading from the cache is cheaper than writing.
func (p Prices) Caches() bool { return p.Read < p.Write }

// Cold reports whether the cache has expired after so long without a call. The margin
// allows for clocks and for providers that keep prompts longer.
func (p Prices) Cold(idle time.Duration) bool { return p.TTL > 0 && idle > p.TTL+p.Margin() }

// Margin is by how much the time to live of a cache may be off, in either direction.
func (p Prices) Margin() time.Duration { return min(45*time.Second, p.TTL*3/20) }

// ModelCost is what an agent knows of a model's prices, in dollars per million tokens: pi's
// model.cost.
type ModelCost struct {
	Input, CacheRead, CacheWrite, Output float64
}

// How long providers keep an unused prompt, where the model does not say.
const (
	shortTTL = 5 * time.Minute
	longTTL  = time.Hour
)

// PricesOf derives the prices of a model. api is the provider's protocol as pi names it;
// long means that the user chose the long retention. The second result is false when cost
// does not give the price of cache reads.
func PricesOf(api string, c ModelCost, long bool) (Prices, bool) {
	anthropic := api == "anthropic-messages" || api == "bedrock-converse-stream"
	p := Prices{Name: "model", TTL: shortTTL, Prefix: !anthropic, Write: 1}
	if long {
		p.TTL = longTTL
	}
	if c.Input <= 0 || c.CacheRead <= 0 || c.CacheRead > c.Input {
		return p, false
	}
	p.Read, p.Output = c.CacheRead/c.Input, c.Output/c.Input
	if c.CacheWrite > c.Input {
		p.Write = c.CacheWrite / c.Input
	}
	if anthropic && long { // the listed price is that of five minutes
		p.Write = max(p.Write, 2)
	}
	return p, true
}
