package token

import "time"

// ModelCost is what an agent knows of a model's prices, in dollars per million
// tokens: pi's model.cost.
type ModelCost struct {
	Input, CacheRead, CacheWrite, Output float64
}

// How long providers keep an unused prompt, where the model does not say.
const (
	shortTTL = 5 * time.Minute
	longTTL  = time.Hour
)

// PricesOf works out the prices of a model. api is the provider's protocol as pi
// names it; long says that the user asked for the long retention. The second
// result is false when the cost does not tell what reading from a cache costs.
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
	if anthropic && long { // models list what five minutes cost
		p.Write = max(p.Write, 2)
	}
	return p, true
}
