package decision

import (
	"cmp"
	"slices"
	"strings"
)

// Decision is the state of a decision after all its events, and its JSON form. Times are as Stamp
// writes them, "" when the log has none.
type Decision struct {
	// V is the version of the JSON form.
	V int `json:"v"`
	// ID is the shown id. It is the id in the log, with ~ and some letters of Key appended
	// when an earlier decision has the same id.
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Text  string   `json:"text"`
	Tags  []string `json:"tags"`

	Status Status `json:"status"`
	// Reason says why it was decided, StatusReason why it has its status.
	Reason       string `json:"reason"`
	StatusReason string `json:"status_reason"`
	// Supersedes and SupersededBy are ids, "" for none.
	Supersedes   string `json:"supersedes"`
	SupersededBy string `json:"superseded_by"`
	// Conflicts are the ids of the decisions marked as conflicting with it, Note the note
	// on the conflict.
	Conflicts []string `json:"conflicts"`
	Note      string   `json:"note"`
	// Paths are globs of governed files, Review the day of the next review.
	Paths  []string `json:"paths"`
	Review string   `json:"review"`

	// Created, Updated and Since are the times of its addition, its last change and its
	// last change of status.
	Created string `json:"created"`
	Updated string `json:"updated"`
	Since   string `json:"since"`
	// By is its author, Actor "user" or "agent".
	By      string `json:"by"`
	Actor   string `json:"actor"`
	Removed bool   `json:"removed"`
	// Consequences and Decided (a day) come from an imported record.
	Consequences string `json:"consequences"`
	Decided      string `json:"decided"`
	// Sides are the fields that were changed concurrently and are not settled yet.
	Sides []Side `json:"sides"`
	// Rivals are the ids of other active decisions that concurrently superseded the same
	// decision. Only one of them can stand.
	Rivals []string `json:"rivals"`

	// Bare is the id in the log, Key the key of the event that added it.
	Bare string `json:"-"`
	Key  string `json:"-"`
	// Record holds the rest of an imported record, nil for a decision that was not imported.
	Record *Record `json:"-"`

	events   []*Event
	removals []string // keys of the removals that were not reverted
	// successors are the active decisions that concurrently superseded it, in order.
	successors []*Decision
}

// Side is a field that two people changed concurrently, neither having seen the other's
// change, and that no later event settled. Tags merge as a set; of a reason, paths and a
// review day the later change counts.
type Side struct {
	// Field is text, status or removed.
	Field string `json:"field"`
	// A and B are both values, B the later one. Of a removed decision A is what the other side
	// did.
	A string `json:"a"`
	B string `json:"b"`
}

// State is the state of a log: its decisions after all events.
type State struct {
	// Decisions are all decisions, including removed ones, in the order of their addition.
	Decisions []*Decision
	// Orphans are the events about decisions that the log does not have.
	Orphans []*Event

	byID map[string][]*Decision
}

// has reports whether the log has a decision with an id.
func (s *State) has(id string) bool { return s.byID[id] != nil }

// Replay applies events and returns the state of the log. The result depends only on the
// set of events, not on their order: the additions are applied first, by time and key, then
// all other events in the same order.
func Replay(events []Event) *State {
	order, adds := sorted(events), 0
	for _, e := range order {
		if e.Op == OpAdd {
			adds++
		}
	}
	s := &State{byID: make(map[string][]*Decision, adds), Decisions: make([]*Decision, 0, adds)}
	all := make([]Decision, adds) // a log may be very long
	for _, e := range order {
		if e.Op == OpAdd {
			s.begin(e, &all[len(s.Decisions)])
		}
	}
	s.attach(order)
	s.succeed(order)
	for _, d := range s.Decisions {
		d.apply()
	}
	s.findRivals()
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

// begin makes d the decision that an event adds.
func (s *State) begin(e *Event, d *Decision) {
	none := []string{}
	*d = Decision{
		V: 1, ID: e.ID, Bare: e.ID, Key: e.Key, Created: e.stamped(), By: e.By, Actor: e.Actor, events: []*Event{e},
		Tags: none, Conflicts: none, Paths: none, Rivals: none, Sides: []Side{},
	}
	s.Decisions = append(s.Decisions, d)
	s.byID[e.ID] = append(s.byID[e.ID], d)
}

// SuffixMark separates an id from the letters that distinguish decisions that share it.
const SuffixMark = "~"

// suffixed returns the id in the log with the end of the decision's key.
func (d *Decision) suffixed() string {
	const letters = 4
	return d.Bare + SuffixMark + strings.ToLower(d.Key[max(0, len(d.Key)-letters):])
}

// attach adds the other events to their decisions. Of several decisions with one id the first
// keeps it.
func (s *State) attach(order []*Event) {
	owners := make(map[string]*Decision) // of decisions that share an id, by the keys of their events
	for _, all := range s.byID {
		for i, d := range all {
			if i > 0 {
				d.ID = d.suffixed()
			}
			if len(all) > 1 {
				owners[d.Key] = d
			}
		}
	}
	for _, e := range order {
		all := s.byID[e.ID]
		switch {
		case e.Op == OpAdd:
		case len(all) == 0:
			s.Orphans = append(s.Orphans, e)
		case len(all) == 1:
			all[0].events = append(all[0].events, e)
		default:
			d := owner(all, e, owners)
			d.events = append(d.events, e)
			owners[e.Key] = d
		}
	}
}

// owner returns which of several decisions with one id an event belongs to: the one whose
// events it has seen, else the latest one added before it.
func owner(all []*Decision, e *Event, owners map[string]*Decision) *Decision {
	for _, key := range e.Seen {
		if d := owners[key]; d != nil && d.Bare == e.ID {
			return d
		}
	}
	before, _ := slices.BinarySearchFunc(all, e, func(d *Decision, e *Event) int { return compareEvents(d.events[0], e) })
	return all[max(0, before-1)]
}

// succeed marks decisions as superseded where the log lacks that event, which happens when
// the program was killed before it wrote it.
func (s *State) succeed(order []*Event) {
	named := make(map[[2]string]bool) // which decision superseded which, as events say
	for _, e := range order {
		if e.Data.Next != nil {
			named[[2]string{e.ID, *e.Data.Next}] = true
		}
	}
	lacked := make(map[*Decision]bool)
	for _, d := range s.Decisions {
		first := d.events[0]
		old, pair := s.byID[first.Data.Supersedes.ID], [2]string{first.Data.Supersedes.ID, d.Bare}
		if len(old) == 0 || named[pair] || first.Data.Status != nil && *first.Data.Status != Active {
			continue
		}
		named[pair], lacked[old[0]] = true, true
		old[0].events = append(old[0].events, &Event{
			Time: first.Time, Op: OpSupersede, ID: old[0].Bare, Key: first.Key, stamp: first.stamp,
			Data: Data{Status: new(Superseded), Next: new(d.Bare)},
		})
	}
	for d := range lacked {
		slices.SortStableFunc(d.events[1:], compareEvents)
	}
}

// apply replays the events of a decision.
func (d *Decision) apply() {
	d.Status, d.Since = Active, d.Created
	for _, e := range d.events {
		d.change(e)
	}
	if d.Text == "" {
		d.Text = d.Title
	}
	if !d.straight() {
		d.findSides()
	}
}

// change applies one event. A removed decision stays removed until somebody who knew of
// every removal gives it a status.
func (d *Decision) change(e *Event) {
	if d.Removed && d.restores(e) {
		d.Removed, d.removals = false, nil
	}
	if t := e.stamped(); t > d.Updated && !d.Removed {
		d.Updated = t
	}
	if e.Op != OpRemove {
		d.write(e)
		return
	}
	if !d.Removed {
		d.StatusReason = value(e.Data.Reason)
	}
	d.Removed, d.removals = true, append(d.removals, e.Key)
}

// restores reports whether an event restores a removed decision: its writer had seen every
// removal and set a status.
func (d *Decision) restores(e *Event) bool {
	return e.Op == OpStatus && !slices.ContainsFunc(d.removals, func(key string) bool { return !slices.Contains(e.Seen, key) })
}

// write sets the fields that an event changes.
func (d *Decision) write(e *Event) {
	d.changeStatus(e)
	set(&d.Title, e.Data.Title)
	set(&d.Text, e.Data.Text)
	set(&d.Tags, e.Data.Tags)
	if e.Data.Supersedes.Given {
		d.Supersedes = e.Data.Supersedes.ID
	}
	set(&d.Conflicts, e.Data.Conflicts)
	set(&d.Note, e.Data.Note)
	set(&d.Paths, e.Data.Paths)
	set(&d.Review, e.Data.Review)
	set(&d.Consequences, e.Data.Consequences)
	set(&d.Decided, e.Data.Decided)
	if e.Data.Record != nil {
		d.Record = e.Data.Record
	}
}

// changeStatus applies the status and its reason. The latter is not the reason of the
// decision.
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
	if turns && !d.Removed { // why it was removed stays
		d.StatusReason = value(e.Data.Reason)
	}
	if next != d.Status {
		d.Status, d.Since = next, e.stamped()
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

// Events returns the events of the decision, oldest first.
func (d *Decision) Events() []*Event { return d.events }

// last returns the latest time of the decision's events, in Unix milliseconds.
func (d *Decision) last() int64 {
	last := int64(0)
	for _, e := range d.events {
		last = max(last, e.stamp)
	}
	return last
}

// Present lists the decisions that are not removed, oldest first.
func (s *State) Present() []*Decision {
	return s.filter(func(d *Decision) bool { return !d.Removed })
}

// Listed lists the present decisions and those that one side removed and the other changed,
// oldest first.
func (s *State) Listed() []*Decision {
	return s.filter(func(d *Decision) bool { return !d.Removed || d.Contested() })
}

// Removed lists the removed decisions, oldest first.
func (s *State) Removed() []*Decision {
	return s.filter(func(d *Decision) bool { return d.Removed })
}

// With lists the decisions with a status, oldest first.
func (s *State) With(status Status) []*Decision {
	return s.filter(func(d *Decision) bool { return !d.Removed && d.Status == status })
}

func (s *State) filter(keep func(*Decision) bool) []*Decision {
	var out []*Decision
	for _, d := range s.Decisions {
		if keep(d) {
			out = append(out, d)
		}
	}
	return out
}

// shared lists the ids that several decisions share, sorted.
func (s *State) shared() (out []string) {
	for bare, all := range s.byID {
		if len(all) > 1 {
			out = append(out, bare)
		}
	}
	slices.Sort(out)
	return out
}
