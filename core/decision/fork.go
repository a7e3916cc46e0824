package decision

import (
	"math/big"
	"slices"
	"strings"
)

// maxForked bounds the comparison of events to the latest ones of a decision.
const maxForked = 400

// seen returns the keys of the events that an event follows: those that its writer saw, or
// the one before it where it does not say.
func (d *Decision) seen(i int) []string {
	if len(d.events[i].Seen) > 0 || i == 0 {
		return d.events[i].Seen
	}
	return []string{d.events[i-1].Key}
}

// straight reports whether the history is linear: each event follows the one before it.
func (d *Decision) straight() bool {
	for i, e := range d.events[1:] {
		if len(e.Seen) > 0 && !(len(e.Seen) == 1 && e.Seen[0] == d.events[i].Key) {
			return false
		}
	}
	return true
}

// heads returns the keys of the events that no other follows. A new event that knows the
// whole history names them in Seen.
func (d *Decision) heads() (out []string) {
	for i, e := range d.events {
		seen := d.seen(i)
		out = append(slices.DeleteFunc(out, func(key string) bool { return slices.Contains(seen, key) }), e.Key)
	}
	return out
}

// history are the latest events of a decision. Every event follows the first one.
type history struct {
	events []*Event
	// known has for each event those that its writer knew, as a set of bits by their positions.
	known []*big.Int
}

// history returns the latest events with what their writers knew.
func (d *Decision) history() history {
	from := max(0, len(d.events)-maxForked)
	h := history{events: d.events[from:]}
	at := make(map[string]int, len(h.events))
	for i, e := range h.events {
		known := big.NewInt(1)
		for _, key := range d.seen(from + i) {
			if p, ok := at[key]; ok {
				known.Or(known, h.known[p]).SetBit(known, p, 1)
			}
		}
		h.known, at[e.Key] = append(h.known, known), i
	}
	return h
}

// ends returns the events among some that none of them follows, in order.
func (h history) ends(among func(e *Event) bool) []*Event {
	var at []int
	for i, e := range h.events {
		if i > 0 && among(e) {
			at = append(slices.DeleteFunc(at, func(k int) bool { return h.known[i].Bit(k) == 1 }), i)
		}
	}
	out := make([]*Event, len(at))
	for n, i := range at {
		out[n] = h.events[i]
	}
	return out
}

// tags returns the tags: those that either side added to some, without those that either
// side deleted.
func (h history) tags(base []string) []string {
	add, drop := make([][]string, len(h.events)), make([][]string, len(h.events))
	after := func(known func(i int) bool) []string {
		out := slices.Clone(base)
		for i := range h.events {
			if len(add[i])+len(drop[i]) > 0 && known(i) {
				out = without(out, drop[i])
				out = append(out, without(add[i], out)...)
			}
		}
		return out
	}
	for i, e := range h.events[1:] {
		if e.Data.Tags != nil {
			known := after(func(k int) bool { return h.known[i+1].Bit(k) == 1 })
			add[i+1], drop[i+1] = without(*e.Data.Tags, known), without(known, *e.Data.Tags)
		}
	}
	return after(func(int) bool { return true })
}

// without returns the elements of a that b lacks.
func without(a, b []string) []string {
	drop := make(map[string]bool, len(b))
	for _, t := range b {
		drop[t] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(t string) bool { return drop[t] })
}

// findSides finds the concurrently changed fields and merges the tags. An event overrules
// one that it follows if it sets the same field or removes the decision.
func (d *Decision) findSides() {
	h := d.history()
	base := []string{}
	for _, e := range d.events[:len(d.events)-len(h.events)+1] {
		set(&base, e.Data.Tags)
	}
	d.Tags = h.tags(base)
	if d.Removed && d.silenced() {
		return // no value is left
	}
	if all := h.ends(func(*Event) bool { return true }); d.Removed {
		changed := slices.IndexFunc(all, func(e *Event) bool { return e.Op != OpRemove })
		if changed >= 0 && slices.ContainsFunc(all, func(e *Event) bool { return e.Op == OpRemove }) {
			d.Sides = append(d.Sides, Side{"removed", all[changed].effect(), "removed"})
			return // whether the decision exists must be settled first
		}
	}
	for _, field := range []string{"status", "text"} {
		all := h.ends(func(e *Event) bool { return e.Op == OpRemove || e.value(field) != "" })
		all = slices.DeleteFunc(all, func(e *Event) bool { return e.Op == OpRemove })
		for _, e := range all {
			if b := all[len(all)-1]; e.value(field) != b.value(field) {
				d.Sides = append(d.Sides, Side{field, e.value(field), b.value(field)})
				break
			}
		}
	}
}

// value returns the value that an event sets a field to, "" when it does not set it.
func (e *Event) value(field string) string {
	switch {
	case field == "text" && e.Data.Text != nil:
		return *e.Data.Text
	case field == "text":
		return value(e.Data.Title)
	case e.Op == OpStatus || e.Op == OpSupersede:
		return strings.TrimSpace(string(value(e.Data.Status)) + " " + value(e.Data.Next))
	}
	return ""
}

// effect describes what an event did, including the new text.
func (e *Event) effect() string {
	if body := e.value("text"); body != "" {
		return e.does() + " to " + body
	}
	return e.does()
}

// does describes what an event did in one word.
func (e *Event) does() string {
	switch e.Op {
	case OpAdd:
		return "added"
	case OpEdit:
		return "edited"
	case OpStatus:
		return string(value(e.Data.Status))
	case OpSupersede:
		return "superseded"
	}
	return "removed"
}
