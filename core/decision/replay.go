package decision

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Decision is what the events about it come to.
type Decision struct {
	// ID is how it is shown and named: as in the log, with ~ and some letters of
	// the key of its first event when two decisions have the same there.
	ID string
	// Bare is the id in the log.
	Bare string
	// Key is that of the event it began with.
	Key string

	Title, Text string
	Tags        []string
	Status      Status
	// Reason is why it was decided, StatusReason why it has its status.
	Reason, StatusReason string
	// Supersedes and SupersededBy are ids, "" for none.
	Supersedes, SupersededBy string
	// Conflicts are the ids it is marked as being in conflict with, Note what was
	// said of it.
	Conflicts []string
	Note      string
	// Paths are globs of governed files, Review the day of the next look.
	Paths  []string
	Review string

	// Created, Updated and Since are when it began, when it was last changed and
	// when it got its status. They are zero when the log does not say.
	Created, Updated, Since time.Time
	// By is its author, Actor what the author was: user or agent.
	By, Actor string
	// Removed tells that it is gone.
	Removed bool

	events []*Event
}

// State is what a log comes to.
type State struct {
	// Decisions are all there ever were, removed ones too, in the order in which
	// they began.
	Decisions []*Decision
	// Orphans are events about decisions that the log does not have.
	Orphans []*Event

	byID map[string][]*Decision
}

// has reports whether the log has a decision of an id.
func (s *State) has(id string) bool { return s.byID[id] != nil }

// Replay puts the events together. It depends on the set of events alone, not on
// their order: decisions begin in the order of time and key, then everything else
// happens in that order.
func Replay(events []Event) *State {
	order := sorted(events)
	adds := 0
	for i := range events {
		if events[i].Op == OpAdd {
			adds++
		}
	}
	s := &State{byID: make(map[string][]*Decision, adds), Decisions: make([]*Decision, 0, adds)}
	room := shelf{make([]Decision, adds), make([]*Decision, adds), make([]*Event, adds)}
	for _, e := range order {
		if e.Op == OpAdd {
			s.begin(e, &room)
		}
	}
	s.name()
	for _, e := range order {
		if e.Op != OpAdd {
			s.attach(e)
		}
	}
	s.succeed()
	for _, d := range s.Decisions {
		d.apply()
	}
	return s
}

// sorted returns the events by time and key.
func sorted(events []Event) []*Event {
	order := make([]*Event, len(events))
	for i := range events {
		order[i] = &events[i]
	}
	if !slices.IsSortedFunc(order, compareEvents) {
		slices.SortFunc(order, compareEvents)
	}
	return order
}

func compareEvents(a, b *Event) int {
	if c := cmp.Compare(a.stamp, b.stamp); c != 0 {
		return c
	}
	return strings.Compare(a.Key, b.Key)
}

// shelf is room for what every decision has one of, made at once: a log may have
// very many.
type shelf struct {
	decisions []Decision
	lists     []*Decision
	events    []*Event
}

// begin makes the decision of an add.
func (s *State) begin(e *Event, room *shelf) {
	n := len(s.Decisions)
	d := &room.decisions[n]
	room.events[n] = e
	*d = Decision{ID: e.ID, Bare: e.ID, Key: e.Key, Created: e.When(), By: e.By, Actor: e.Actor, events: room.events[n : n+1 : n+1]}
	s.Decisions = append(s.Decisions, d)
	all := s.byID[e.ID]
	if all == nil {
		all = room.lists[n : n : n+1]
	}
	s.byID[e.ID] = append(all, d)
}

// SuffixMark stands between an id and the letters that tell apart two decisions that
// share it.
const SuffixMark = "~"

// name gives decisions that share an id names of their own. The first keeps it.
func (s *State) name() {
	for bare, all := range s.byID {
		for _, d := range all[1:] {
			d.ID = bare + SuffixMark + suffix(d, all)
		}
	}
}

// suffix is the end of a decision's key, as long as it takes to tell it apart.
func suffix(d *Decision, all []*Decision) string {
	const least = 4
	key := strings.ToLower(d.Key)
	for n := least; n < len(key); n++ {
		end := key[len(key)-n:]
		if !slices.ContainsFunc(all, func(o *Decision) bool { return o != d && strings.HasSuffix(strings.ToLower(o.Key), end) }) {
			return end
		}
	}
	return key
}

// attach finds the decision of an event.
func (s *State) attach(e *Event) {
	all := s.byID[e.ID]
	switch len(all) {
	case 0:
		s.Orphans = append(s.Orphans, e)
	case 1:
		all[0].events = append(all[0].events, e)
	default:
		d := owner(all, e)
		d.events = append(d.events, e)
	}
}

// owner says which of several decisions with one id an event is about: the one it
// follows from, else the latest that had begun.
func owner(all []*Decision, e *Event) *Decision {
	for _, d := range all {
		for _, known := range d.events {
			if slices.Contains(e.Seen, known.Key) {
				return d
			}
		}
	}
	d := all[0]
	for _, other := range all[1:] {
		if compareEvents(other.events[0], e) < 0 {
			d = other
		}
	}
	return d
}

// succeed lets decisions take the place of those they supersede, where the log
// lacks the event that says so: writing may have stopped before it.
func (s *State) succeed() {
	for _, d := range s.Decisions {
		first := d.events[0]
		old := s.byID[value(first.Data.Supersedes)]
		if len(old) == 0 || first.Data.Status != nil && *first.Data.Status != Active {
			continue
		}
		was := old[0]
		if slices.ContainsFunc(was.events, func(e *Event) bool { return value(e.Data.Next) == d.Bare }) {
			continue
		}
		was.events = append(was.events, &Event{
			Time: first.Time, Op: OpSupersede, ID: was.Bare, Key: first.Key, stamp: first.stamp, derived: true,
			Data: Data{Status: ptr(Superseded), Next: ptr(d.Bare)},
		})
		slices.SortStableFunc(was.events[1:], compareEvents)
	}
}

// apply lets the events of a decision happen.
func (d *Decision) apply() {
	d.Status, d.Since = Active, d.Created
	for _, e := range d.events {
		d.change(e)
	}
	if d.Text == "" {
		d.Text = d.Title
	}
}

// change lets one event happen. Nothing brings a removed decision back.
func (d *Decision) change(e *Event) {
	if d.Removed {
		return
	}
	if t := e.When(); t.After(d.Updated) {
		d.Updated = t
	}
	if e.Op == OpRemove {
		d.Removed = true
		d.StatusReason = value(e.Data.Reason)
		return
	}
	d.changeStatus(e)
	set(&d.Title, e.Data.Title)
	set(&d.Text, e.Data.Text)
	set(&d.Tags, e.Data.Tags)
	set(&d.Supersedes, e.Data.Supersedes)
	set(&d.Conflicts, e.Data.Conflicts)
	set(&d.Note, e.Data.Note)
	set(&d.Paths, e.Data.Paths)
	set(&d.Review, e.Data.Review)
}

// changeStatus takes the status and the reason of an event. The reason of a change
// of status is not the reason of the decision.
func (d *Decision) changeStatus(e *Event) {
	turns := e.Op == OpStatus || e.Op == OpSupersede
	if !turns {
		set(&d.Reason, e.Data.Reason)
	}
	next := value(e.Data.Status)
	if e.Op == OpSupersede && next == "" {
		next = Superseded
	}
	if next == "" {
		return
	}
	if turns {
		d.StatusReason = value(e.Data.Reason)
	}
	if next != d.Status {
		d.Status, d.Since = next, e.When()
	}
	d.SupersededBy = ""
	if next == Superseded {
		d.SupersededBy = value(e.Data.Next)
	}
}

func set[T any](field *T, said *T) {
	if said != nil {
		*field = *said
	}
}

// Events are those of the decision, the oldest first.
func (d *Decision) Events() []*Event { return d.events }

// Last is the latest time of an event of the decision.
func (d *Decision) last() int64 {
	last := int64(0)
	for _, e := range d.events {
		last = max(last, e.stamp)
	}
	return last
}

// Present lists the decisions that are not removed, the oldest first.
func (s *State) Present() []*Decision {
	var out []*Decision
	for _, d := range s.Decisions {
		if !d.Removed {
			out = append(out, d)
		}
	}
	return out
}

// Removed lists the decisions that are removed, the oldest first.
func (s *State) Removed() []*Decision {
	var out []*Decision
	for _, d := range s.Decisions {
		if d.Removed {
			out = append(out, d)
		}
	}
	return out
}

// With lists the decisions of a status, the oldest first.
func (s *State) With(status Status) []*Decision {
	var out []*Decision
	for _, d := range s.Decisions {
		if !d.Removed && d.Status == status {
			out = append(out, d)
		}
	}
	return out
}

// Counts says how many decisions have each status.
func (s *State) Counts() map[Status]int {
	n := make(map[Status]int)
	for _, d := range s.Decisions {
		if !d.Removed {
			n[d.Status]++
		}
	}
	return n
}

// Shared lists the ids that more than one decision has, in order.
func (s *State) Shared() []string {
	var out []string
	for bare, all := range s.byID {
		if len(all) > 1 {
			out = append(out, bare)
		}
	}
	slices.Sort(out)
	return out
}
