package object

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/prune/state"
)

// View is the tool results that the model sees, with the states of objects.
type View struct {
	// Shown are the tool results in the context. Paths are canonical.
	Shown []prune.Shown
	// States are the states of objects.
	States state.States
	// Brought are the messages that brought content back without a call.
	Brought []string
}

// Sight is what else is needed to know what the model sees at the end of a branch.
type Sight struct {
	CWD string
	// Pools is set in the layout "pools".
	Pools bool
	// Changes and Pins are those that are known outside of the session.
	Changes []state.Change
	Pins    []prune.Pin
	// Canonical makes a path canonical, like those of objects.
	Canonical func(path string) string
}

// See returns what the model sees at the end of a branch, and the changes that the session does
// not have yet. In the layout "pools" it removes the marks of b, because nothing is pruned there.
func See(b *prune.Branch, in Sight) (*View, []state.Change, error) {
	states, carry, err := b.States(in.Changes)
	if err != nil {
		return nil, nil, err
	}
	if in.Pools {
		b.Unmark()
	}
	v := &View{Shown: b.Shown(in.CWD), States: states}
	for i := range v.Shown {
		if r := &v.Shown[i]; r.Access.Reads && r.Access.Path != "" {
			r.Access.Path = in.Canonical(r.Access.Path)
		}
	}
	for i := range b.Messages {
		if h := b.Messages[i].Head; h != nil && h.Role == message.RoleCustom && h.CustomType == CustomType {
			v.Brought = append(v.Brought, b.Text(i))
		}
	}
	if !in.Pools {
		return v, carry, nil
	}
	pins, _, err := b.LatestPins(in.Pins)
	if err != nil {
		return nil, nil, err
	}
	sit := policy.Situation{CWD: in.CWD, Pins: prune.PinsOf(pins), States: states}
	plan := Planner(b.Session, policy.SeedWindow()).PlanAt(sit, b.Messages)
	for i := range v.Shown {
		r := &v.Shown[i]
		r.Pruned = slices.ContainsFunc(plan.Edits, func(e policy.Edit) bool { return e.EntryID == r.Entry })
	}
	return v, carry, nil
}

// Entries returns the tool results that show an object: those that showed it first, and
// those that brought it back, as a file or as the call that read it.
func (v *View) Entries(o Object) []string {
	out := first(o.Key, v.Shown)
	shown := slices.Clone(out)
	for id, entries := range v.States.Objects {
		same := id == o.ID || o.Key.Kind == KindFile &&
			slices.ContainsFunc(entries, func(e string) bool { return slices.Contains(shown, e) })
		for _, e := range entries {
			if same && !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	slices.Sort(out)
	return out
}

// first returns the entries of the tool results that originally showed an object: for a
// file, those that read it.
func first(k Key, shown []prune.Shown) []string {
	var out []string
	for _, r := range shown {
		reads := r.Access.Reads && r.Access.Path == k.Part(1) && !r.Failed
		if k.Kind == KindToolcall && r.Entry == k.Part(1) || k.Kind == KindFile && reads {
			out = append(out, r.Entry)
		}
	}
	return out
}

// Sees reports whether one of the entries is in the context in full and not deactivated.
func (v *View) Sees(entries []string) bool {
	return slices.ContainsFunc(v.Shown, func(r prune.Shown) bool {
		return slices.Contains(entries, r.Entry) && !r.Pruned && !slices.Contains(v.States.Inactive, r.Entry)
	})
}

// Brings reports whether a message of its own brought the content of an object.
func (v *View) Brings(id string) bool {
	return slices.ContainsFunc(v.Brought, func(text string) bool {
		rest, ok := strings.CutPrefix(text, BroughtHead+id)
		return ok && (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, ":"))
	})
}

// BroughtHead begins a message that brings an object; the object's id follows it.
const BroughtHead = "The user activated "

// State returns the state of an object for the model: active when the model can see its
// content.
func (v *View) State(o Object) State {
	if o.Key.Kind.Locked() || v.Sees(v.Entries(o)) || v.Brings(o.ID) {
		return Active
	}
	return Inactive
}

// Changes converts events from outside of a session, in order, to the form in which the
// session itself would carry them.
func Changes(events []Event, shown []prune.Shown) []state.Change {
	var out []state.Change
	for _, e := range events {
		change := state.Change{Op: state.Activate, Object: e.Object, Entries: first(e.Key, shown), Tx: e.Tx, Time: int64(e.Time) / 1000}
		if e.Kind == Deactivated {
			change.Op = state.Deactivate
		}
		out = append(out, change)
	}
	return out
}
