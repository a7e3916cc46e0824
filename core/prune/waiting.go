package prune

import "slices"

// waiting is what was said of a result that could go but for the price.
type waiting struct {
	source string // "" for none
	reason Reason
	on     premises
}

// premises are what holds of a result for as long as what was said of it does, besides
// what is pinned: that it gets older changes nothing.
type premises struct {
	use                   fileUse
	turns, warm, restored int
}

// premises are those of the result at a place.
func (in *Input) premises(place, warm int) premises {
	h, f := in.hist, in.factAt(place)
	out := premises{turns: min(f.turns, farTurns), warm: warm, restored: len(h.expanded)}
	if f.path >= 0 {
		out.use = h.uses[f.path]
	}
	return out
}

// recall takes over what earlier plans said of results that wait, where that holds. About
// the others sources and protections are asked.
func (in *Input) recall(c *cases) {
	in.asked = c.results
	if !c.brief {
		return
	}
	h, warm := in.history(), in.warm()
	if !h.pins.equal(&in.Situation.Pins) {
		h.waiting = nil
		h.pins = in.Situation.Pins
	}
	h.waiting = append(h.waiting, make([]waiting, len(h.facts)-len(h.waiting))...)
	in.asked = nil
	for i, place := range c.results {
		if w := &h.waiting[place]; w.source != "" && w.on == in.premises(place, warm) {
			c.opinions[i] = opinion{source: w.source, reason: w.reason, recalled: true}
			continue
		}
		in.Looked++
		in.asked = append(in.asked, place)
	}
}

// wait notes what was said of the result at a place.
func (in *Input) wait(place, warm int, o *opinion) {
	switch {
	case o.recalled:
	case o.source == "":
		in.hist.waiting[place] = waiting{}
	default:
		in.hist.waiting[place] = waiting{o.source, o.reason, in.premises(place, warm)}
	}
}

// equal reports whether the same is pinned.
func (p *Pins) equal(q *Pins) bool {
	return slices.Equal(p.Entries, q.Entries) && slices.Equal(p.Paths, q.Paths) && slices.Equal(p.Released, q.Released)
}
