package prune

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Way is what can be done before a prompt that comes back to a lost cache.
type Way string

// The ways. WayPrune is what happens unless somebody chooses another.
const (
	WayFold  Way = "fold"  // all but the last responses becomes an extract
	WayPrune Way = "prune" // old output goes, as far as the rules allow
	WayFresh Way = "fresh" // all but the last response becomes an extract
	WaySend  Way = "send"  // nothing changes
)

// Ways lists all, the recommended one first.
func Ways() []Way { return []Way{WayFold, WayPrune, WayFresh, WaySend} }

// Choice returns the planner for a way.
func (w Way) Choice(c Choice) Choice {
	keeps := map[Way]int{WayFold: policy.FoldKeeps, WayFresh: policy.FreshKeeps}[w]
	switch {
	case w == WaySend:
		return Choice{Why: "nothing: sent as it is, as asked"}
	case c.Planner != nil:
		c.Planner = c.Planner.Folding(keeps)
	}
	return c
}

// Comeback is a prompt for which the provider holds nothing any more of a conversation that it
// had cached.
type Comeback struct {
	// Cold is why: a Cold constant of package policy.
	Cold string
	// Last is when the last request was made, in Unix milliseconds.
	Last int64
	// Offers are what can be done, in the order of Ways: each makes the prompt smaller than those
	// that take less away.
	Offers []Offer
}

// Offer is the prompt after something was done before it.
type Offer struct {
	Way Way
	// Tokens is its size as the provider counts, Cost what writing it costs, in units of one
	// uncached input token.
	Tokens token.Count
	Cost   float64
}

// ReadComeback returns what the coming prompt of a session costs in every way that is possible,
// nil unless its cache is lost.
func ReadComeback(ctx context.Context, from Ports, m Moment, c Choice) (*Comeback, error) {
	m.Dry, m.Boundary = true, true
	var back *Comeback
	var least token.Count
	for _, w := range []Way{WayPrune, WayFold, WayFresh} {
		d, err := Decide(ctx, from, m, w.Choice(c))
		if err != nil {
			return nil, err
		}
		switch {
		case d.Figures == nil:
			return nil, nil
		case back == nil:
			if !slices.Contains([]string{policy.ColdIdle, policy.ColdModel, policy.ColdBranch}, d.Figures.Cold) {
				return nil, nil
			}
			back = &Comeback{Cold: d.Figures.Cold}
			if last := lastResponse(d.Branch.tree); last != nil {
				back.Last = last.Timestamp
			}
			least = d.Figures.ContextTokens
			back.offer(WaySend, &m.Model, least)
		}
		if d.Figures.PlannedTokens < least {
			least = d.Figures.PlannedTokens
			back.offer(w, &m.Model, least)
		}
	}
	return back, nil
}

// offer adds an offer in its place.
func (b *Comeback) offer(w Way, m *Model, tokens token.Count) {
	p := m.prices()
	b.Offers = append(b.Offers, Offer{w, tokens, p.TimesAt(tokens) * p.Write * float64(tokens)})
	slices.SortFunc(b.Offers, func(x, y Offer) int { return slices.Index(Ways(), x.Way) - slices.Index(Ways(), y.Way) })
}

// Of returns the offer of a way, nil when that is not possible.
func (b *Comeback) Of(w Way) *Offer {
	for i := range b.Offers {
		if b.Offers[i].Way == w {
			return &b.Offers[i]
		}
	}
	return nil
}

// Label names the way for a person who chooses.
func (w Way) Label() string {
	switch w {
	case WayFold:
		return "Fold first"
	case WayPrune:
		return "Prune first"
	case WayFresh:
		return "Start afresh"
	}
	return "Send it as it is"
}

// leaves describes what is left of the conversation, "" for all of it.
func (w Way) leaves() string {
	switch w {
	case WayFold:
		return fmt.Sprintf(": an extract and the last %d responses", policy.FoldKeeps)
	case WayPrune:
		return ": old tool output goes"
	case WayFresh:
		return ": an extract and the last response"
	}
	return ""
}

// Text describes an offer, with dollars where the price p of the model is known.
func (o *Offer) Text(p *token.Prices) string {
	s := fmt.Sprintf("%s (%s tokens", o.Way.Label(), text.Tokens(o.Tokens))
	if p.Priced {
		s += ", " + text.Dollars(p.Dollars(o.Cost))
	}
	return s + ")" + o.Way.leaves()
}

// Title describes what a prompt costs that is sent now, in Unix milliseconds, as it is.
func (b *Comeback) Title(now int64, p *token.Prices) string {
	o := b.Of(WaySend)
	s := fmt.Sprintf("The last request was made %s, and %s: the prompt writes %s tokens again", text.Ago(time.UnixMilli(b.Last), time.UnixMilli(now)), policy.WhyCold(b.Cold), text.Tokens(o.Tokens))
	if p.Priced {
		s += ", " + text.Dollars(p.Dollars(o.Cost))
	}
	return s + "."
}
