package policy

import (
	"cmp"
	"slices"
)

// standing is a result that is prunable although it did not pay to prune it yet. A long
// session has many of them, so a plan looks at one again only when a premise has changed.
type standing struct {
	Candidate
	path int     // that of its fact
	use  fileUse // of its file
	last int     // user messages before the last use of its file
	// turns is the number of user messages since, farTurns for more.
	turns int
}

// premises are what the opinions on all results depend on, besides the user's pins. None
// depends on the age of a result: see judge.
type premises struct {
	warm, restored        int
	blind, lasting, named bool
}

// premises returns those of the coming plan.
func (in *Input) premises() premises {
	h, named := in.hist, in.keepsNamed()
	if named {
		in.readNames()
	}
	return premises{warm: in.warm(), restored: len(h.expanded), blind: h.blind >= manyBlind, lasting: in.lasting(), named: named}
}

// stand returns the standing of a result with an opinion that proposes it.
func (in *Input) stand(place int, o *opinion) *standing {
	h := in.hist
	s := &standing{Candidate: Candidate{Result: in.results[place], Source: o.source, Reason: o.reason}, path: h.facts[place].path}
	last := place
	if s.path >= 0 {
		s.use = h.uses[s.path]
		last = max(last, s.use.last)
	}
	s.last = in.results[last].born
	s.turns = min(in.turns(s.last), farTurns)
	return s
}

// holds reports whether the premises of a standing that are its own still hold.
func (s *standing) holds(in *Input) bool {
	return (s.path < 0 || s.use == in.hist.uses[s.path]) && s.turns == min(in.turns(s.last), farTurns)
}

// revive returns the results to h.live that sources and protections have to be asked about
// again.
func (in *Input) revive() {
	h, now := in.hist, in.premises()
	all := now != h.premises || !h.pins.equal(&in.Situation.Pins)
	h.premises, h.pins = now, in.Situation.Pins
	before := len(h.live)
	h.standing = slices.DeleteFunc(h.standing, func(s *standing) bool {
		gone := all || !s.holds(in)
		if gone {
			h.live = append(h.live, s.order)
		}
		return gone
	})
	if len(h.live) > before {
		slices.Sort(h.live)
	}
}

// settle moves what a brief plan has opinions on from h.live to h.standing if it is
// prunable, and removes what is kept because of the name of a tool or a path, which stays
// as long as the settings do.
func (in *Input) settle(c *cases) {
	h, rest := in.hist, c.results[:0]
	for i, place := range c.results {
		o := &c.opinions[i]
		switch {
		case o.source != "":
			at, _ := h.stands(place)
			h.standing = slices.Insert(h.standing, at, in.stand(place, o))
		case o.reason.Code == CodeNotAgain, o.reason.Code == CodeKeepTool, o.reason.Code == CodeKeepPath:
		default:
			rest = append(rest, place)
		}
	}
	h.live = rest
}

// stands returns the index into h.standing of the result at an index, or where to insert
// it.
func (h *history) stands(place int) (int, bool) {
	return slices.BinarySearchFunc(h.standing, place, func(s *standing, place int) int { return cmp.Compare(s.order, place) })
}

// equal reports whether both pin the same.
func (p *Pins) equal(q *Pins) bool {
	return slices.Equal(p.Entries, q.Entries) && slices.Equal(p.Paths, q.Paths) && slices.Equal(p.Released, q.Released)
}
