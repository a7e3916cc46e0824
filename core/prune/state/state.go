// Package state reads from a session which objects its model sees: what the agent or a
// person deactivated, and activated again. It must not know when something is pruned, nor
// how objects are kept.
package state

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/message"
)

// Op is what a Change does.
type Op string

// The operations.
const (
	// Deactivate removes an object from what the model sees; a marker stays.
	Deactivate Op = "deactivate"
	// Activate brings it back and exempts it from every automatic policy until it is
	// deactivated.
	Activate Op = "activate"
)

// Change is the wish of the agent or a person about an object of a session. Like pins,
// changes are entries of the session, so that every branch, fork and machine has its own.
type Change struct {
	Op Op `json:"op"`
	// Object is the id of the object.
	Object string `json:"object"`
	// Entries are the tool results that show it and were in the context at that time.
	Entries []string `json:"entries,omitempty"`
	// Call is the id of the call whose result brings the content back, "" for none.
	Call string `json:"call,omitempty"`
	// Tx is the store's transaction of the change, 0 when it is not in the store.
	Tx int64 `json:"tx,omitempty"`
	// Time is in Unix milliseconds.
	Time int64 `json:"time"`
}

// Same reports whether both are the same change.
func (c Change) Same(d Change) bool {
	return c.Op == d.Op && c.Object == d.Object && c.Tx == d.Tx && (c.Tx > 0 || c.Time == d.Time)
}

// Activates reports whether one of the changes activates an object.
func Activates(changes []Change) bool {
	return slices.ContainsFunc(changes, func(c Change) bool { return c.Op == Activate })
}

// Entry is the type of the custom entry that carries changes of state.
const Entry = "pictx.objects"

// Data is the data of an Entry.
type Data struct {
	States []Change `json:"states"`
}

// States are the states of the objects of a branch, by the entries of the tool results that
// show them.
type States struct {
	// Inactive are to be replaced by markers.
	Inactive []string
	// Active are exempt from every automatic policy.
	Active []string
	// Objects lists, by object, the entries that show it: those that a change named, and
	// those of calls that brought it back.
	Objects map[string][]string
}

// log computes States while walking down a branch.
type log struct {
	States
	// calls are the objects that calls without a result yet bring back, by the id of the
	// call.
	calls map[string]string
}

// apply applies a change.
func (l *log) apply(c Change) {
	for _, e := range c.Entries {
		l.addEntry(c.Object, e)
	}
	entries := l.Objects[c.Object]
	from, to := &l.Inactive, &l.Active
	if c.Op == Deactivate {
		from, to = to, from
	}
	*from = slices.DeleteFunc(*from, func(e string) bool { return slices.Contains(entries, e) })
	for _, e := range entries {
		if !slices.Contains(*to, e) {
			*to = append(*to, e)
		}
	}
	if c.Op == Activate && c.Call != "" {
		l.calls[c.Call] = c.Object
	}
}

func (l *log) addEntry(object, entry string) {
	if known := l.Objects[object]; !slices.Contains(known, entry) {
		l.Objects[object] = append(known, entry)
	}
}

// result records the result of a call that brought an object back.
func (l *log) result(n *message.Node) {
	object, ok := l.calls[n.Message.ToolCallID]
	if !ok || n.Type != message.EntryMessage || n.Message.Role != message.RoleToolResult {
		return
	}
	delete(l.calls, n.Message.ToolCallID)
	l.addEntry(object, n.ID)
	if !n.Message.IsError {
		l.Active = append(l.Active, n.ID)
	}
}

// On returns the states on a path of message.Tree.Path. Those of the stored changes that none of
// the custom entries of the session records apply, too, and are the second result.
func On(path, customs []*message.Node, line func(*message.Node) ([]byte, error), stored []Change) (States, []Change, error) {
	l := log{States{Objects: make(map[string][]string)}, make(map[string]string)}
	for _, n := range path {
		l.result(n)
		changes, err := of(n, line)
		if err != nil {
			return States{}, nil, err
		}
		for _, c := range changes {
			l.apply(c)
		}
	}
	var known, carry []Change
	for i := 0; i < len(customs) && len(stored) > 0; i++ {
		changes, err := of(customs[i], line)
		if err != nil {
			return States{}, nil, err
		}
		known = append(known, changes...)
	}
	for _, c := range stored {
		if !slices.ContainsFunc(known, c.Same) {
			carry = append(carry, c)
			l.apply(c)
		}
	}
	return l.States, carry, nil
}

// of returns the changes that an entry carries.
func of(n *message.Node, line func(*message.Node) ([]byte, error)) ([]Change, error) {
	if n.Type != message.EntryCustom || n.Message.CustomType != Entry {
		return nil, nil
	}
	raw, err := line(n)
	if err != nil {
		return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
	}
	return Parse(raw), nil
}

// Parse reads an Entry. It ignores what this package would not write: a session
// file may hold anything.
func Parse(entry []byte) (out []Change) {
	var e struct {
		Data struct {
			States []json.RawMessage `json:"states"`
		} `json:"data"`
	}
	if json.Unmarshal(entry, &e) != nil {
		return nil
	}
	for _, raw := range e.Data.States {
		var c Change
		if json.Unmarshal(raw, &c) == nil && c.Object != "" && c.Time >= 0 && (c.Op == Activate || c.Op == Deactivate) {
			out = append(out, c)
		}
	}
	return out
}
