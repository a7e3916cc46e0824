package policy

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/token"
)

// Past is what the requests of a session did whose messages have left its context.
type Past struct {
	// Bill is what they were billed.
	Bill bill.Bill
	// Measured is the regression line through their recorded prompt sizes.
	Measured token.Line

	prices token.Prices
	scale  float64
}

// PastOf returns the past that a context will have once it is compacted: what its own
// requests did, and what the situation knows of those before.
func PastOf(sit Situation, messages []Message) Past {
	in := NewInput(messages)
	in.Situation = sit
	in.Situation.Now, in.Situation.ModelSwitched, in.Situation.Moved = 0, false, false
	a := in.account()
	return Past{a.Bill, in.Measured(), a.Prices, a.Scale}
}

// Before returns the situation with this past.
func (p *Past) Before(sit Situation) Situation {
	sit.Before, sit.Measured = p.Bill, p.Measured
	return sit
}

// Billed returns how many tokens the provider counts for tokens that pi estimates.
func (p *Past) Billed(estimated token.Count) token.Count {
	return token.Count(p.scale * float64(estimated))
}

// Compact adds the requests of a compaction, by plain pi and as they were sent.
func (p *Past) Compact(plain, sent bill.Compaction) { p.Bill.Compact(p.prices, plain, sent) }
