package replay

import (
	"strconv"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
)

// costs are what a session says that its own input cost.
type costs struct {
	tokens  int64
	dollars float64
	calls   map[string]int // by model
}

// note reads the cost of an answer.
func (c *costs) note(p *message.Parser, h *message.Head, body []byte) {
	if c.calls == nil {
		c.calls = make(map[string]int)
	}
	c.calls[h.Model]++
	at := body
	for _, name := range [...]string{"usage", "cost", "input"} {
		s, err := p.Member(at, name)
		if err != nil || s.End == 0 {
			return
		}
		at = s.Of(at)
	}
	if dollars, err := strconv.ParseFloat(string(at), 64); err == nil && dollars > 0 && h.Usage.Input > 0 {
		c.tokens += h.Usage.Input
		c.dollars += dollars
	}
}

// Rate is the price of the session's plain input: what it says itself, else that of the
// model that answered most often, of own prices or of the dated table.
func (r *Recording) Rate(own []bill.ModelPrice) bill.Rate {
	if r.cost.tokens > 0 {
		return bill.Rate{PerMillion: 1_000_000 * r.cost.dollars / float64(r.cost.tokens), From: bill.FromSession}
	}
	model, most := "", 0
	for name, n := range r.cost.calls {
		if n > most || n == most && name < model {
			model, most = name, n
		}
	}
	return bill.RateOf(model, own)
}
