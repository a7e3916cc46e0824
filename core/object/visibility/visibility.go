// Package visibility determines which objects a model can see at one point of a session.
// The model's own tools and the shell commands both use it with the same branch, so that
// both agree with what the agent does.
//
// The package must not know where sessions and objects are kept; its caller provides the
// branch, and the changes of objects that were made outside of it.
package visibility

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/pool"
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

// Of returns the view at the end of a branch. canonical makes a path canonical, like those
// of objects.
func Of(b *prune.Branch, cwd string, states state.States, canonical func(path string) string) *View {
	v := &View{Shown: b.Shown(cwd), States: states}
	for i := range v.Shown {
		if r := &v.Shown[i]; r.Access.Reads && r.Access.Path != "" {
			r.Access.Path = canonical(r.Access.Path)
		}
	}
	for i := range b.Messages {
		if h := b.Messages[i].Head; h != nil && h.Role == message.RoleCustom && h.CustomType == pool.CustomType {
			v.Brought = append(v.Brought, b.Text(i))
		}
	}
	return v
}

// OfPools returns the view at the end of a branch in the layout "pools", where a reference
// replaces the results that are not active. It removes the marks of b, because nothing is
// pruned in that layout.
func OfPools(b *prune.Branch, sit policy.Situation, w policy.Window, canonical func(path string) string) *View {
	b.Unmark()
	v := Of(b, sit.CWD, sit.States, canonical)
	plan := pool.Planner(b.Session, w).PlanAt(sit, b.Messages)
	for i := range v.Shown {
		r := &v.Shown[i]
		r.Pruned = slices.ContainsFunc(plan.Edits, func(e policy.Edit) bool { return e.EntryID == r.Entry })
	}
	return v
}

// Entries returns the tool results that show an object: those that showed it first, and
// those that brought it back, as a file or as the call that read it.
func (v *View) Entries(o object.Object) []string {
	out := First(o.Key, v.Shown)
	first := slices.Clone(out)
	for id, entries := range v.States.Objects {
		same := id == o.ID || o.Key.Kind == object.KindFile &&
			slices.ContainsFunc(entries, func(e string) bool { return slices.Contains(first, e) })
		for _, e := range entries {
			if same && !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	slices.Sort(out)
	return out
}

// First returns the entries of the tool results that originally showed an object: for a
// file, those that read it.
func First(k object.Key, shown []prune.Shown) []string {
	var out []string
	for _, r := range shown {
		switch k.Kind {
		case object.KindToolcall:
			if r.Entry == k.Part(1) {
				out = append(out, r.Entry)
			}
		case object.KindFile:
			if r.Access.Reads && r.Access.Path == k.Part(1) && !r.Failed {
				out = append(out, r.Entry)
			}
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
func (v *View) State(o object.Object) object.State {
	if o.Key.Kind.Locked() || v.Sees(v.Entries(o)) || v.Brings(o.ID) {
		return object.Active
	}
	return object.Inactive
}

// Changes converts events from outside of a session, in order, to the form in which the
// session itself would carry them. find returns the object with an id.
func Changes(events []object.Event, find func(id string) (object.Object, error), shown []prune.Shown) []state.Change {
	var out []state.Change
	for _, e := range events {
		op := state.Activate
		if e.Kind == object.Deactivated {
			op = state.Deactivate
		}
		change := state.Change{Op: op, Object: e.Object, Tx: e.Tx, Time: int64(e.Time) / 1000}
		if o, err := find(e.Object); err == nil {
			change.Entries = First(o.Key, shown)
		}
		out = append(out, change)
	}
	return out
}
