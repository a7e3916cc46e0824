package decision

import (
	"bytes"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// Fork is a field of a decision that two people changed concurrently, neither having seen
// the other's change, and that no later event settled.
type Fork struct {
	Decision *Decision
	// Field is text, status or removed. Tags merge as a set, with the additions and deletions
	// of both sides; of a reason, paths and a review day the later change counts.
	Field string
	// A and B are the two events in order. B's value is in force unless the decision is
	// removed.
	A, B *Event
}

// Sides returns the values that the two events gave the field. Of a removed decision they
// are what the other side did, and the removal.
func (f Fork) Sides() (a, b string) {
	if f.Field != "removed" {
		return f.A.says(f.Field), f.B.says(f.Field)
	}
	if f.A.Op == OpRemove {
		f.A, f.B = f.B, f.A
	}
	return f.A.effect(), f.B.effect()
}

// fields lists the fields that can fork.
func fields() []string {
	return []string{"removed", "status", "text"}
}

// says returns the value that an event sets a field to, "" when it does not set it.
func (e *Event) says(field string) string {
	switch field {
	case "removed":
		if e.Op == OpRemove {
			return "removed"
		}
	case "status":
		if s := value(e.Data.Status); s != "" && (e.Op == OpStatus || e.Op == OpSupersede) {
			return strings.TrimSpace(string(s) + " " + value(e.Data.Next))
		}
	case "text":
		if e.Data.Text != nil {
			return *e.Data.Text
		}
		return value(e.Data.Title)
	}
	return ""
}

// Forks lists the forks of all decisions.
func (s *State) Forks() []Fork {
	var out []Fork
	for _, d := range s.Decisions {
		out = append(out, d.Forks()...)
	}
	return out
}

// Forks lists the concurrently changed fields of the decision.
func (d *Decision) Forks() []Fork { return d.forks }

// findForks finds the concurrently changed fields and merges the tags.
func (d *Decision) findForks() {
	after := d.ancestors()
	d.mergeTags(after)
	if d.Removed && d.silenced() {
		return // redacted: no value is left
	}
	for _, field := range fields() {
		heads := d.headsOf(field, after)
		for _, e := range heads {
			if last := heads[len(heads)-1]; e.says(field) != last.says(field) {
				d.forks = append(d.forks, Fork{d, field, e, last})
				break
			}
		}
		if field == "removed" && len(d.forks) > 0 {
			return // whether the decision exists must be settled first
		}
	}
}

// headsOf returns the events that set a field and were not overruled. A descendant
// overrules an event when it sets the field too or removes the decision. For the field
// "removed" the candidates are the events that remove the decision or change anything about
// it.
func (d *Decision) headsOf(field string, after ancestry) []*Event {
	var at []int
	for i, e := range d.events {
		if i == 0 || i < d.recent() { // the first event adds it
			continue
		}
		if e.says(field) != "" || e.Op == OpRemove || field == "removed" && e.speaks() {
			at = append(at, i)
		}
	}
	var out []*Event
	for _, i := range at {
		overruled := slices.ContainsFunc(at, func(k int) bool { return after.follows(k, i) })
		if !overruled && (d.events[i].says(field) != "" || field == "removed") {
			out = append(out, d.events[i])
		}
	}
	return out
}

// tagChange is what an event did to the tags.
type tagChange struct{ add, drop []string }

// mergeTags sets the tags: those that either side added, without those that either side
// deleted.
func (d *Decision) mergeTags(after ancestry) {
	changes := make([]tagChange, len(d.events))
	for i, e := range d.events {
		if e.Data.Tags == nil {
			continue
		}
		var seen []tagChange
		if i > 0 {
			seen = append(seen, changes[0])
		}
		for k := max(1, d.recent()); k < i; k++ {
			if after.follows(i, k) {
				seen = append(seen, changes[k])
			}
		}
		known := tagsAfter(seen)
		changes[i] = tagChange{without(*e.Data.Tags, known), without(known, *e.Data.Tags)}
	}
	d.Tags = tagsAfter(changes)
}

// tagsAfter returns the tags after some changes, each once.
func tagsAfter(changes []tagChange) []string {
	var all []string
	at := make(map[string]int) // where in all a tag is that was not dropped
	for _, c := range changes {
		for _, t := range c.drop {
			delete(at, t)
		}
		for _, t := range c.add {
			if _, there := at[t]; !there {
				at[t] = len(all)
				all = append(all, t)
			}
		}
	}
	out := []string{}
	for i, t := range all {
		if n, there := at[t]; there && n == i {
			out = append(out, t)
		}
	}
	return out
}

func without(a, b []string) []string {
	drop := make(map[string]bool, len(b))
	for _, t := range b {
		drop[t] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(t string) bool { return drop[t] })
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

// maxForked bounds the pairwise comparison to the latest events of a decision.
const maxForked = 400

// ancestry has for each event those before it that its writer knew, as a set of bits by
// their positions. The events before the latest maxForked have no bits.
type ancestry []*big.Int

// follows reports whether event from is an ancestor of event i.
func (a ancestry) follows(i, from int) bool { return a[i].Bit(from) == 1 }

// ancestors computes the ancestors of each event. An event without Seen follows the one
// before it.
func (d *Decision) ancestors() ancestry {
	at := make(map[string]int, len(d.events))
	out := make(ancestry, len(d.events))
	for i, e := range d.events {
		out[i], at[e.Key] = new(big.Int), i
		if i < d.recent() {
			continue
		}
		seen := e.Seen
		if len(seen) == 0 && i > 0 {
			seen = []string{d.events[i-1].Key}
		}
		for _, key := range seen {
			if p, known := at[key]; known && p != i && p >= d.recent() {
				out[i].Or(out[i], out[p]).SetBit(out[i], p, 1)
			}
		}
	}
	return out
}

// recent is the position of the first event that may fork.
func (d *Decision) recent() int { return max(0, len(d.events)-maxForked) }

// speaks reports whether an event changes the content or the status of a decision.
func (e *Event) speaks() bool {
	d := &e.Data
	return e.Op != OpRemove && (d.Text != nil || d.Title != nil || d.Status != nil || d.Tags != nil || d.Reason != nil || d.Paths != nil || d.Review != nil)
}

// heads returns the keys of the events without descendants. A new event that knows the
// whole history names them in Seen.
func (d *Decision) heads() []string {
	followed := make(map[string]bool)
	before := ""
	var out []string
	for _, e := range d.events {
		if e.derived && e.Line == 0 {
			continue // synthesized by the replay
		}
		if len(e.Seen) == 0 {
			followed[before] = true
		}
		for _, key := range e.Seen {
			followed[key] = true
		}
		before = e.Key
		out = append(out, e.Key)
	}
	return slices.DeleteFunc(out, func(key string) bool { return followed[key] })
}

// lookup finds a decision by its shown id or its id in the log, nil when there is none.
func (s *State) lookup(id string) *Decision {
	d, err := s.Find(id)
	if err == nil {
		return d
	}
	if all := s.byID[id]; len(all) > 0 {
		return all[0]
	}
	return nil
}

// effect describes what an event did, including the new text.
func (e *Event) effect() string {
	if body := e.says("text"); body != "" {
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

// Merge merges two logs with a common base: each line of either side once, byte for byte,
// ordered by time and key. A line that one side deleted stays deleted. When one side
// redacted a decision, the lines that the other side added about it are redacted too. The
// result does not depend on which side is which. A damaged line is an error, because a
// person has to look at it.
func Merge(base, ours, theirs []byte) ([]byte, error) {
	var sides [3]map[string][]byte
	for i, data := range [][]byte{base, ours, theirs} {
		lines, err := mergeLines(data)
		if err != nil && i > 0 {
			return nil, err
		}
		sides[i] = lines
	}
	type mergeLine struct {
		e    Event
		line []byte
	}
	keys := maps.Clone(sides[1])
	maps.Copy(keys, sides[2])
	var all []mergeLine
	for key := range keys {
		if line := chooseLine(sides[0][key], sides[1][key], sides[2][key]); line != nil {
			e, _ := Parse(line) // an unknown operation still has a time and a key
			all = append(all, mergeLine{e, line})
		}
	}
	slices.SortFunc(all, func(a, b mergeLine) int {
		if c := compareEvents(&a.e, &b.e); c != 0 {
			return c
		}
		return bytes.Compare(a.line, b.line)
	})
	var out []byte
	for _, a := range all {
		out = append(append(out, a.line...), '\n')
	}
	if l := Read(out); len(l.Events) > 0 {
		s := Replay(l.Events)
		if back := s.Restored(); len(back) > 0 {
			out, _ = Redact(out, s, back)
		}
	}
	return out, nil
}

// Met lists the active decisions that a branch adds to a log, each with those closest to it
// that another branch added: nobody has seen both.
func Met(base, ours, theirs []byte) []Entrant {
	added := func(side []byte) []*Decision {
		old := Replay(Read(base).Events)
		return slices.DeleteFunc(Replay(Read(side).Events).With(Active), func(d *Decision) bool { return old.has(d.Bare) })
	}
	var out []Entrant
	here := &State{Decisions: added(ours)}
	for _, d := range added(theirs) {
		if near := here.Closest(d.Text, nil); len(near) > 0 && !slices.ContainsFunc(here.Decisions, func(o *Decision) bool { return o.Key == d.Key }) {
			out = append(out, Entrant{Text: d.Text, Closest: near})
		}
	}
	return out
}

// chooseLine chooses between two versions of a line, nil where a side lacks it: the changed
// one, or when both changed, the shorter one, which is the redacted one.
func chooseLine(was, a, b []byte) []byte {
	switch {
	case bytes.Equal(a, was), a == nil:
		return b
	case bytes.Equal(b, was), b == nil:
		return a
	case len(a) < len(b) || len(a) == len(b) && bytes.Compare(a, b) < 0:
		return a
	}
	return b
}

// mergeLines returns the lines of a log by the key of their event.
func mergeLines(data []byte) (map[string][]byte, error) {
	l := Read(data)
	out := make(map[string][]byte)
	for _, d := range l.Damage {
		if d.Code != DamageUnknown {
			return out, fmt.Errorf("merge decisions: line %d: %s", d.Line, d.Cause)
		}
	}
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		e, err := Parse(line)
		key := e.Key
		if err != nil {
			key = DeriveKey(line)
		}
		out[key] = line
	}
	return out, nil
}
