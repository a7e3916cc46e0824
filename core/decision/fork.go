package decision

import (
	"fmt"
	"slices"
	"strings"
)

// Fork is a field of a decision that two people changed concurrently, neither having
// seen the other's change, and that no later event settled.
type Fork struct {
	Decision *Decision
	// Field is the name of the field: text, status, reason, tags, paths, review or removed.
	Field string
	// A and B are the events, in their order. B's value is in force, unless the
	// decision is removed.
	A, B *Event
}

// Sides returns the values that the two events gave the field.
func (f Fork) Sides() (a, b string) { return f.A.says(f.Field), f.B.says(f.Field) }

// fields are the fields that can fork.
func fields() []string {
	return []string{"removed", "status", "text", "reason", "tags", "paths", "review"}
}

// says returns the value that an event gives a field, "" when it does not change it.
func (e *Event) says(field string) string {
	turns := e.Op == OpStatus || e.Op == OpSupersede
	switch field {
	case "removed":
		if e.Op == OpRemove {
			return "removed"
		}
	case "status":
		if s := value(e.Data.Status); turns && s != "" {
			return strings.TrimSpace(string(s) + " " + value(e.Data.Next))
		}
	case "text":
		if e.Data.Text != nil {
			return *e.Data.Text
		}
		return value(e.Data.Title)
	case "reason":
		if !turns && e.Data.Reason != nil {
			return *e.Data.Reason
		}
	case "tags":
		return listed(e.Data.Tags)
	case "paths":
		return listed(e.Data.Paths)
	case "review":
		return value(e.Data.Review)
	}
	return ""
}

func listed(p *[]string) string {
	if p == nil {
		return ""
	}
	return "[" + strings.Join(*p, " ") + "]"
}

// Forks lists the forks of all decisions.
func (s *State) Forks() []Fork {
	var out []Fork
	for _, d := range s.Decisions {
		out = append(out, d.Forks()...)
	}
	return out
}

// Forks lists the fields of the decision that were changed concurrently.
func (d *Decision) Forks() []Fork {
	if d.straight() {
		return nil
	}
	after := d.ancestors()
	var out []Fork
	for j := 2; j < len(d.events); j++ {
		for i := 1; i < j; i++ {
			if after[j][i] || after[i][j] {
				continue
			}
			if f := d.fork(i, j, after); f != "" {
				out = append(out, Fork{d, f, d.events[i], d.events[j]})
			}
		}
	}
	return out
}

// straight reports whether the history of the decision is linear: each event follows
// from the one before it.
func (d *Decision) straight() bool {
	for i, e := range d.events[1:] {
		if len(e.Seen) > 0 && !(len(e.Seen) == 1 && e.Seen[0] == d.events[i].Key) {
			return false
		}
	}
	return true
}

// maxForked bounds how many events are compared, each with every other.
const maxForked = 400

// ancestors returns for each event the indexes of those it follows from. An event that
// does not name any follows from the one before it.
func (d *Decision) ancestors() []map[int]bool {
	at := make(map[string]int, len(d.events))
	for i, e := range d.events {
		at[e.Key] = i
	}
	out := make([]map[int]bool, len(d.events))
	from := max(0, len(d.events)-maxForked)
	var visit func(i int) map[int]bool
	visit = func(i int) map[int]bool {
		if out[i] != nil {
			return out[i]
		}
		out[i] = map[int]bool{}
		for _, p := range d.parents(i, at) {
			if p < from || p == i {
				continue
			}
			out[i][p] = true
			for a := range visit(p) {
				out[i][a] = true
			}
		}
		return out[i]
	}
	for i := range d.events {
		visit(i)
	}
	return out
}

// parents returns the indexes of the events that an event names as seen.
func (d *Decision) parents(i int, at map[string]int) []int {
	e := d.events[i]
	if len(e.Seen) == 0 {
		return []int{max(0, i-1)}
	}
	var out []int
	for _, key := range e.Seen {
		if p, ok := at[key]; ok {
			out = append(out, p)
		}
	}
	return out
}

// fork returns the field in which two events differ and that no later event settled,
// "" when there is none.
func (d *Decision) fork(i, j int, after []map[int]bool) string {
	a, b := d.events[i], d.events[j]
	for _, f := range fields() {
		x, y := a.says(f), b.says(f)
		if f == "removed" {
			if (x == "") == (y == "") {
				continue
			}
		} else if x == "" || y == "" || x == y {
			continue
		}
		if !d.settled(f, i, j, after) {
			return f
		}
	}
	return ""
}

// settled reports whether an event that follows from both sets the field.
func (d *Decision) settled(field string, i, j int, after []map[int]bool) bool {
	for k, e := range d.events {
		if after[k][i] && after[k][j] && (e.says(field) != "" || field == "removed") {
			return true
		}
	}
	return false
}

// heads are the keys of the events that no other follows from. A writer that knows all
// events names them as seen.
func (d *Decision) heads() []string {
	followed := make(map[string]bool)
	before := ""
	var out []string
	for _, e := range d.events {
		if e.derived && e.Line == 0 {
			continue // replay made it up
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

// Clash is an unresolved conflict in the log.
type Clash struct {
	// Kind is marked, forked or shared.
	Kind string
	// IDs are the decisions, A and B the texts of the two sides.
	IDs  []string
	Text string
	A, B string
}

// The kinds of clashes.
const (
	ClashMarked = "marked" // two active decisions were marked as being in conflict
	ClashForked = "forked" // a decision was changed in two ways side by side
	ClashShared = "shared" // two decisions have one id
)

// Clashes lists the conflicts that a person has to resolve.
func (s *State) Clashes() []Clash {
	var out []Clash
	for _, d := range s.With(Active) {
		for _, other := range d.Conflicts {
			o := s.lookup(other)
			if o == nil || o == d || o.Removed || o.Status != Active || d.ID > o.ID && slices.Contains(o.Conflicts, d.ID) {
				continue
			}
			text := fmt.Sprintf("%s and %s are in conflict", d.ID, o.ID)
			out = append(out, Clash{ClashMarked, []string{d.ID, o.ID}, text, d.Text, o.Text})
		}
	}
	for _, f := range s.Forks() {
		a, b := f.Sides()
		if f.Field == "removed" {
			a, b = f.A.does(), f.B.does()
		}
		text := fmt.Sprintf("%s was changed in two ways side by side: %s", f.Decision.ID, f.Field)
		out = append(out, Clash{ClashForked, []string{f.Decision.ID}, text, a, b})
	}
	for _, bare := range s.Shared() {
		all := s.byID[bare]
		ids := make([]string, len(all))
		for i, d := range all {
			ids[i] = d.FullID(all)
		}
		out = append(out, Clash{ClashShared, ids, fmt.Sprintf("%d decisions have the id %s", len(all), bare), all[0].Text, all[1].Text})
	}
	return out
}

// lookup finds a decision by its id in the log or its shown id, nil when there is none.
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

// does returns the effect of an event in a word.
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
