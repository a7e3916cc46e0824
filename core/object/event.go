package object

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// EventKind says what happened to an object in a session.
type EventKind string

// The kinds of events.
const (
	// Discovered is an object that came up in the session: from now on it is inactive,
	// unless it was active already.
	Discovered EventKind = "discover"
	// Activated is an object whose content the model can see again.
	Activated EventKind = "activate"
	// Deactivated is an object that the model or a person wants out of the context.
	Deactivated EventKind = "deactivate"
)

// Event is a change of an object's state in a session. Replay adds the events of a
// branch up, in the order of Seq.
type Event struct {
	// Seq orders events; later ones have higher numbers.
	Seq int64
	// Tx is the transaction, and Time when that was.
	Tx   int64
	Time Time
	// Session is the session, and Leaf the entry at which it happened: only branches
	// with that entry have the event. A Leaf of "" is on every branch.
	Session, Leaf string
	// Object is the id of the object.
	Object string
	Kind   EventKind
	// Actor is who did it.
	Actor  Actor
	Reason string
}

// Actor is the author of a change.
type Actor string

// The actors.
const (
	// ActorAgent is the model, by a tool or by its own shell.
	ActorAgent Actor = "agent"
	// ActorPerson is a person at a shell or with a command in pi.
	ActorPerson Actor = "person"
	// ActorCapture is pictx itself, which records what happens.
	ActorCapture Actor = "capture"
	// ActorPolicy is an automatic rule.
	ActorPolicy Actor = "policy"
)

// SessionState is the state of one object in a session.
type SessionState struct {
	State State
	// By is the event that made it so.
	By Event
}

// Replay works out the state of each object from events, which come in the order of
// Seq. on reports whether a branch has an entry; nil is for all of them. A Discovered
// alone leaves an object inactive: what came as a tool's result has an Activated.
func Replay(events []Event, on func(leaf string) bool) map[string]SessionState {
	out := make(map[string]SessionState)
	for _, e := range events {
		if e.Leaf != "" && on != nil && !on(e.Leaf) {
			continue
		}
		switch e.Kind {
		case Discovered:
			if _, known := out[e.Object]; !known {
				out[e.Object] = SessionState{Inactive, e}
			}
		case Activated:
			out[e.Object] = SessionState{Active, e}
		case Deactivated:
			out[e.Object] = SessionState{Inactive, e}
		}
	}
	return out
}

// Mentions maps each call to the objects that its result named: those discovered at the
// entry where the call itself was activated, except for calls, which that call made.
// Events are added in order, as they come.
type Mentions struct {
	calls map[string]string    // by the entries of their results
	at    map[string][]string  // those entries, by call
	named map[string][]mention // by entry
}

// mention is an object that was named, by the event that says so.
type mention struct {
	seq int64
	id  string
}

// Add takes the next event. isCall reports whether its object is a call.
func (n *Mentions) Add(e *Event, isCall bool) {
	if n.calls == nil {
		n.calls, n.at, n.named = make(map[string]string), make(map[string][]string), make(map[string][]mention)
	}
	switch {
	case e.Kind == Activated && isCall && n.calls[e.Leaf] == "":
		n.calls[e.Leaf] = e.Object
		n.at[e.Object] = append(n.at[e.Object], e.Leaf)
	case e.Kind == Discovered && !isCall:
		n.named[e.Leaf] = append(n.named[e.Leaf], mention{e.Seq, e.Object})
	}
}

// Of returns the objects that the result of a call named, in the order of the events.
func (n *Mentions) Of(call string) []string {
	var all []mention
	for _, leaf := range n.at[call] {
		all = append(all, n.named[leaf]...)
	}
	slices.SortStableFunc(all, func(a, b mention) int { return cmp.Compare(a.seq, b.seq) })
	out := make([]string, len(all))
	for i := range all {
		out[i] = all[i].id
	}
	return out
}

// Time is a moment in Unix microseconds.
type Time int64

// Forever is the end of an interval that does not end.
const Forever Time = math.MaxInt64

// TimeOf converts a time.
func TimeOf(t time.Time) Time { return Time(t.UnixMicro()) }

// Std converts to the standard library's time, in UTC. Forever cannot be converted.
func (t Time) Std() time.Time { return time.UnixMicro(int64(t)).UTC() }

// Interval is a half-open span of time: From is in it, To is not.
type Interval struct {
	// From is when it begins; in an Op 0 is the time of the transaction.
	From Time
	// To is when it ends, Forever for never. In an Op 0 is the next change that is
	// known, as in XTDB: what was recorded for later stays.
	To Time
}

// Contains reports whether a moment is in the interval.
func (i Interval) Contains(t Time) bool { return i.From <= t && t < i.To }

// Overlaps reports whether two intervals have a moment in common.
func (i Interval) Overlaps(o Interval) bool { return i.From < o.To && o.From < i.To }

// At is the point in both times that a question is about.
type At struct {
	// Valid is when it should be true, 0 for now.
	Valid Time
	// Known is when it should have been known, 0 for now.
	Known Time
}
