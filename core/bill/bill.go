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

	partCount
)

// partNames are the names of the parts for programs.
var partNames = [partCount]string{"requests", "declarations", "sections", "markers", "messages", "fetches", "summaries"}

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
	// Cost is in units of one uncached input token.
	Cost float64 `json:"cost"`
}

// Items are the parts of a bill.
type Items [partCount]Item

// Money is what parts cost in dollars.
type Money [partCount]float64

// Plus adds the costs of parts at a rate.
func (m Money) Plus(i Items, r Rate) Money {
	for p := range i {
		m[p] += r.Dollars(i[p].Cost)
	}
	return m
}

// MarshalJSON writes the parts by their names.
func (i Items) MarshalJSON() ([]byte, error) {
	named := make(map[string]Item, len(i))
	for p, item := range i {
		named[Part(p).String()] = item
	}
	return json.Marshal(named)
}

// Bill is what requests cost with pictx and with plain pi, in units of one uncached input
// token of the model. The zero Bill has no requests.
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
	// Unbilled is the number of branches that are left out of the bill of a session because
	// it has very many.
	Unbilled int `json:"-"`
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

// Plus returns the sum with another bill of the same model.
func (b Bill) Plus(c Bill) Bill { return b.add(c, 1) }

// Minus returns the difference to another bill of the same model, which is part of this one.
func (b Bill) Minus(c Bill) Bill { return b.add(c, -1) }

// add adds a bill n times.
func (b Bill) add(c Bill, n int) Bill {
	b.Requests += n * c.Requests
	b.Plain += float64(n) * c.Plain
	b.Billed += float64(n) * c.Billed
	b.PlainSummaries += float64(n) * c.PlainSummaries
	b.Unbilled += n * c.Unbilled
	for i, item := range c.Parts {
		b.Parts[i].Tokens += token.Count(n) * item.Tokens
		b.Parts[i].Cost += float64(n) * item.Cost
	}
	return b
}

// Compact adds the requests of a compaction at these prices, as plain pi and as pictx
// sends them.
func (b *Bill) Compact(p token.Prices, plain, sent Compaction) {
	cost := plain.cost(p)
	b.Plain += cost
	b.PlainSummaries += cost
	b.charge(Summaries, sent.Input, sent.cost(p))
}

// charge adds to a part and to the total.
func (b *Bill) charge(p Part, tokens token.Count, cost float64) {
	b.Parts[p].Tokens += tokens
	b.Parts[p].Cost += cost
	b.Billed += cost
}
