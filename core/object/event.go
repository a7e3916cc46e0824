package object

import (
	"cmp"
	"slices"
)

// EventKind is what happened to an object in a session.
type EventKind string

// Kind happens to objects in sessions.
const (
	// Discovered is an object that the session met: it is inactive from now on, if it
	// was absent.
	Discovered EventKind = "discover"
	// Activated is an object whose content the model can see again.
	Activated EventKind = "activate"
	// Deactivated is one that the model or a person wants out of the context.
	Deactivated EventKind = "deactivate"
)

// Event is a change of what a session has. Kind a branch has is what its events
// come to, in the order of Seq.
type Event struct {
	// Seq orders events; later ones have higher numbers.
	Seq int64
	// Tx is the transaction, and Time when that was.
	Tx   int64
	Time Time
	// Session is the session, and Leaf the entry at which it happened: a branch that
	// has not the entry has not the event. A Leaf of "" is on every branch.
	Session, Leaf string
	// Object is the id of the object.
	Object string
	Kind   EventKind
	// Actor is who did it.
	Actor  Actor
	Reason string
}

// Actor is who changes something.
type Actor string

// The actors.
const (
	// ActorAgent is the model, by a tool or by its own shell.
	ActorAgent Actor = "agent"
	// ActorPerson is a person at a shell or with a command in pi.
	ActorPerson Actor = "person"
	// ActorCapture is pictx itself, that records what happens.
	ActorCapture Actor = "capture"
	// ActorPolicy is an automatic rule.
	ActorPolicy Actor = "policy"
)

// Standing is what events come to for one object.
type Standing struct {
	State State
	// By is the event that says so.
	By Event
}

// Replay tells what events come to, by object. on reports whether a branch has an
// entry, and may be nil for all. The events are in the order of Seq; a content that
// was met as a tool's result is active, which Discovered alone does not say.
func Replay(events []Event, on func(leaf string) bool) map[string]Standing {
	out := make(map[string]Standing)
	for _, e := range events {
		if e.Leaf != "" && on != nil && !on(e.Leaf) {
			continue
		}
		switch e.Kind {
		case Discovered:
			if _, met := out[e.Object]; !met {
				out[e.Object] = Standing{Inactive, e}
			}
		case Activated:
			out[e.Object] = Standing{Active, e}
		case Deactivated:
			out[e.Object] = Standing{Inactive, e}
		}
	}
	return out
}

// Naming tells which objects the result of each call named: those that were discovered
// at the entry at which the call itself was met, but for calls, which that call made.
// It is fed with events in their order, whenever there are new ones.
type Naming struct {
	calls map[string]string   // by the entries of their results
	at    map[string][]string // those entries, by call
	named map[string][]naming // by entry
}

type naming struct {
	seq int64
	id  string
}

// Add takes the next event. isCall reports whether its object is a call.
func (n *Naming) Add(e *Event, isCall bool) {
	if n.calls == nil {
		n.calls, n.at, n.named = make(map[string]string), make(map[string][]string), make(map[string][]naming)
	}
	switch {
	case e.Kind == Activated && isCall && n.calls[e.Leaf] == "":
		n.calls[e.Leaf] = e.Object
		n.at[e.Object] = append(n.at[e.Object], e.Leaf)
	case e.Kind == Discovered && !isCall:
		n.named[e.Leaf] = append(n.named[e.Leaf], naming{e.Seq, e.Object})
	}
}

// By returns the objects that the result of a call named, in the order of the events.
func (n *Naming) By(call string) []string {
	var all []naming
	for _, leaf := range n.at[call] {
		all = append(all, n.named[leaf]...)
	}
	slices.SortStableFunc(all, func(a, b naming) int { return cmp.Compare(a.seq, b.seq) })
	out := make([]string, len(all))
	for i := range all {
		out[i] = all[i].id
	}
	return out
}
