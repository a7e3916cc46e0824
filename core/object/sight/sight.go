// Package sight tells which objects a model can see at one place of a session. What
// the model's own tools say of that, and what the commands of a shell say, is worked
// out here, from the same branch by the same rules: neither says something else than
// what the agent does.
//
// The package must not know where sessions and objects are kept: it is handed the
// branch, and what was said of objects besides.
package sight

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/pool"
	"github.com/coctostan/pictx/core/prune"
)

// View is what the model sees of tool results, and what was said of them.
type View struct {
	// Shown are the tool results in the context. Paths are canonical.
	Shown []prune.Shown
	// States are what was said of objects.
	States prune.States
	// Brought are the messages by which contents came that no call asked for.
	Brought []string
}

// Of is the view at the end of a branch. canonical makes a path canonical, as those of
// objects are.
func Of(b *prune.Branch, cwd string, states prune.States, canonical func(path string) string) *View {
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

// OfPools is the view of the layout pools, in which what its planner leaves out is a
// reference. b is unmarked: nothing is pruned in that layout.
func OfPools(b *prune.Branch, sit prune.Situation, w prune.Window, canonical func(path string) string) *View {
	b.Unmark()
	v := Of(b, sit.CWD, sit.States, canonical)
	plan := pool.Planner(b.Session, w).PlanAt(sit, b.Messages)
	for i := range v.Shown {
		r := &v.Shown[i]
		r.Pruned = slices.ContainsFunc(plan.Edits, func(e prune.Edit) bool { return e.EntryID == r.Entry })
	}
	return v
}

// Entries are the tool results that show an object: those that did at first, and those
// that brought it back, be it as a file or as the call that read it.
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

// First are the entries of the results in a context that show an object as they came:
// of a file those that read it.
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

// Sees reports whether one of the entries stands in the context in full, and is not to
// go.
func (v *View) Sees(entries []string) bool {
	return slices.ContainsFunc(v.Shown, func(r prune.Shown) bool {
		return slices.Contains(entries, r.Entry) && !r.Pruned && !slices.Contains(v.States.Inactive, r.Entry)
	})
}

// Brings reports whether the content of an object came in a message of its own.
func (v *View) Brings(id string) bool {
	return slices.ContainsFunc(v.Brought, func(text string) bool {
		rest, ok := strings.CutPrefix(text, BroughtHead+id)
		return ok && (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, ":"))
	})
}

// BroughtHead begins a message that brings an object, whose id follows.
const BroughtHead = "The user activated "

// State is where an object of the session is for the model.
func (v *View) State(o object.Object) object.State {
	if o.Key.Kind.Locked() || v.Sees(v.Entries(o)) || v.Brings(o.ID) {
		return object.Active
	}
	return object.Inactive
}

// Changes are what was said of objects outside of a session, as the session itself
// would carry it: events are in their order, and find returns the object with an id.
func Changes(events []object.Event, find func(id string) (object.Object, error), shown []prune.Shown) []prune.StateChange {
	var out []prune.StateChange
	for _, e := range events {
		op := prune.OpActivate
		if e.What == object.Deactivated {
			op = prune.OpDeactivate
		}
		change := prune.StateChange{Op: op, Object: e.Object, Tx: e.Tx, Time: int64(e.Time) / 1000}
		if o, err := find(e.Object); err == nil {
			change.Entries = First(o.Key, shown)
		}
		out = append(out, change)
	}
	return out
}
