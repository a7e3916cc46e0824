package object

import (
	"math"
	"time"
)

// EventKind is what happened to an object in a session.
type EventKind string

// The kinds of events.
const (
	// Discovered: the object was named in the session. It becomes inactive unless it was
	// active.
	Discovered EventKind = "discover"
	// Activated: the model can see the object's content again.
	Activated EventKind = "activate"
	// Deactivated: the model or a person wants the object out of the context.
	Deactivated EventKind = "deactivate"
)

// Event is a change of an object's state in a session. Replay computes states from the
// events of a branch in their order.
type Event struct {
	// Tx is the transaction, Time its time.
	Tx   int64
	Time Time
	// Session is the session, Leaf the entry at which the event happened: only branches
	// with that entry have it. A Leaf of "" is on every branch.
	Session, Leaf string
	// Object is the id of the object, Key its present key.
	Object string
	Key    Key
	Kind   EventKind
	// Actor is who caused it.
	Actor  Actor
	Reason string
}

// Actor is the author of a change.
type Actor string

// The actors.
const (
	// ActorAgent is the model, through a tool or its own shell.
	ActorAgent Actor = "agent"
	// ActorPerson is a person at a shell or with a command in pi.
	ActorPerson Actor = "person"
	// ActorCapture is pictx itself, recording what happens.
	ActorCapture Actor = "capture"
)

// State returns the state of an object after the event.
func (e Event) State() State {
	if e.Kind == Activated {
		return Active
	}
	return Inactive
}

// Replay returns, by object, the event that caused its state. on reports whether the branch has an
// entry; nil means that it has all. Discovered leaves an object as it is, unless it was unknown.
func Replay(events []Event, on func(leaf string) bool) map[string]Event {
	out := make(map[string]Event)
	for _, e := range events {
		if e.Leaf != "" && on != nil && !on(e.Leaf) {
			continue
		}
		if _, known := out[e.Object]; !known || e.Kind != Discovered {
			out[e.Object] = e
		}
	}
	return out
}

// Time is a moment in Unix microseconds.
type Time int64

// Forever is the end of a version that is still in force.
const Forever Time = math.MaxInt64

// TimeOf converts a time.
func TimeOf(t time.Time) Time { return Time(t.UnixMicro()) }

// Std converts to a time.Time in UTC. Forever cannot be converted.
func (t Time) Std() time.Time { return time.UnixMicro(int64(t)).UTC() }
