package bill

import (
	"encoding/json"
	"math"

	"github.com/coctostan/pictx/core/token"
)

// Part is a component of what a session is billed with pictx.
type Part int

// The parts, in the order in which they are listed.
const (
	Requests Part = iota
	Declarations
	Sections
	Markers
	Messages
	Fetches
	Summaries
	Refreshes

	partCount
)

// partNames are the names of the parts for programs.
var partNames = [partCount]string{"requests", "declarations", "sections", "markers", "messages", "fetches", "summaries", "refreshes"}

// Parts lists all parts.
func Parts() []Part {
	out := make([]Part, partCount)
	for i := range out {
		out[i] = Part(i)
	}
	return out
}

// String returns the name of the part, for programs.
func (p Part) String() string { return partNames[p] }

// Item is the total of one part.
type Item struct {
	// Tokens is its input, counted every time that it was sent.
	Tokens token.Count `json:"tokens"`
	// Cost is in the unit of the bill.
	Cost float64 `json:"cost"`
}

// Items are the parts of a bill.
type Items [partCount]Item

// MarshalJSON writes the parts by their names.
func (i Items) MarshalJSON() ([]byte, error) {
	named := make(map[string]Item, len(i))
	for p, item := range i {
		named[Part(p).String()] = item
	}
	return json.Marshal(named)
}

// Bill is what requests cost with pictx and with plain pi, in dollars or in units of one
// uncached input token: see Total. The zero Bill has no requests.
type Bill struct {
	// Requests is the number of requests by the agent, excluding compaction and fetches.
	Requests int `json:"requests"`
	// Plain is what plain pi would have cost, Billed what it costs with pictx.
	Plain  float64 `json:"plain"`
	Billed float64 `json:"billed"`
	// PlainSummaries is the part of Plain that is due to compaction.
	PlainSummaries float64 `json:"plain_summaries"`
	// Parts add up to Billed.
	Parts Items `json:"parts"`
}

// Saved is what pictx saves, negative when it costs more than plain pi.
func (b Bill) Saved() float64 { return b.Plain - b.Billed }

// Ratio is the bill relative to plain pi's, 1 without one.
func (b Bill) Ratio() float64 {
	if b.Plain == 0 {
		return 1
	}
	return b.Billed / b.Plain
}

// Recovered returns how many requests it takes to recover a cost, if each saves this much. It
// is unknown without a cost or without savings.
func Recovered(cost, saved float64) (requests int, known bool) {
	if cost <= 0 || saved <= 0 {
		return 0, false
	}
	return int(math.Ceil(cost / saved)), true
}

// Plus returns the sum with another bill in the same unit.
func (b Bill) Plus(c Bill) Bill {
	b.Requests += c.Requests
	b.Plain += c.Plain
	b.Billed += c.Billed
	b.PlainSummaries += c.PlainSummaries
	for i, item := range c.Parts {
		b.Parts[i].Tokens += item.Tokens
		b.Parts[i].Cost += item.Cost
	}
	return b
}

// times returns the bill in another unit.
func (b Bill) times(factor float64) Bill {
	b.Plain, b.Billed, b.PlainSummaries = factor*b.Plain, factor*b.Billed, factor*b.PlainSummaries
	for i := range b.Parts {
		b.Parts[i].Cost *= factor
	}
	return b
}

// charge adds to a part and to the total.
func (b *Bill) charge(p Part, tokens token.Count, cost float64) {
	b.Parts[p].Tokens += tokens
	b.Parts[p].Cost += cost
	b.Billed += cost
}

// Total is the bill of requests to several models. Those whose price is known are in
// dollars, the others in units of one uncached input token each, so that an amount of money
// never depends on the price of another model.
type Total struct {
	Dollars Bill `json:"dollars"`
	Tokens  Bill `json:"tokens"`
}

// Plus returns the sum with another total.
func (t Total) Plus(o Total) Total { return Total{t.Dollars.Plus(o.Dollars), t.Tokens.Plus(o.Tokens)} }

// Requests is the number of requests by the agent.
func (t *Total) Requests() int { return t.Dollars.Requests + t.Tokens.Requests }

// Priced reports whether any request has a price that is not 0, or all have one.
func (t *Total) Priced() bool {
	return t.Dollars.Plain > 0 || t.Tokens.Requests == 0 && t.Dollars.Requests > 0
}

// Shown is the bill to compare: that in dollars if anything was paid for, else that in tokens.
func (t *Total) Shown() Bill {
	if t.Priced() {
		return t.Dollars
	}
	return t.Tokens
}

// In returns the total as the planner compares it with a request to a model: in units of one
// uncached input token of this model.
func (t *Total) In(p *token.Prices) Bill {
	if !p.Priced || p.Input <= 0 {
		return t.Tokens
	}
	return t.Dollars.times(1_000_000 / p.Input).Plus(t.Tokens)
}
