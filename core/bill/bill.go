package bill

import (
	"encoding/json"

	"github.com/coctostan/pictx/core/token"
)

// Part is one thing that a session is billed for with pictx.
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

// Item is what one part comes to.
type Item struct {
	// Tokens is its input, every time that it was sent.
	Tokens token.Count `json:"tokens"`
	// Cost is in plain input tokens.
	Cost float64 `json:"cost"`
}

// Items are the parts of a bill.
type Items [partCount]Item

// Money is what parts cost in dollars.
type Money [partCount]float64

// Plus adds parts at a price.
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

// Bill is what requests cost on both sides, in plain input tokens of the model. The
// zero Bill is that of no request.
type Bill struct {
	// Requests counts the requests of the agent, without those of compaction and
	// without fetches.
	Requests int `json:"requests"`
	// Plain is what plain pi would have cost, Billed what it costs with pictx.
	Plain  float64 `json:"plain"`
	Billed float64 `json:"billed"`
	// PlainSummaries is the part of Plain that compaction costs.
	PlainSummaries float64 `json:"plain_summaries"`
	// Parts add up to Billed.
	Parts Items `json:"parts"`
}

// Saved is what pictx saves: negative where it costs more than plain pi.
func (b Bill) Saved() float64 { return b.Plain - b.Billed }

// Ratio is the bill as a part of plain pi's, 1 when there is none.
func (b Bill) Ratio() float64 {
	if b.Plain == 0 {
		return 1
	}
	return b.Billed / b.Plain
}

// Plus adds another bill of the same model.
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

// Compact adds the requests of a compaction at these prices, as plain pi and as pictx
// sends them.
func (b *Bill) Compact(p token.Prices, plain, sent Compaction) {
	cost := plain.cost(p)
	b.Plain += cost
	b.PlainSummaries += cost
	b.charge(Summaries, sent.Input, sent.cost(p))
}

// charge adds to a part, and to the whole.
func (b *Bill) charge(p Part, tokens token.Count, cost float64) {
	b.Parts[p].Tokens += tokens
	b.Parts[p].Cost += cost
	b.Billed += cost
}
