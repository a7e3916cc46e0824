// Package state reads from a session which objects its model sees: what the agent or a
// person deactivated, and activated again. It must not know when something is pruned, nor
// how objects are kept.
package state

import (
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

// Log computes States while walking down a branch.
type Log struct {
	// States are those so far.
	States States
	// calls are the objects that calls without a result yet bring back, by the id of the
	// call.
	calls map[string]string
}

// Apply applies a change.
func (l *Log) Apply(c Change) {
	if l.States.Objects == nil {
		l.States.Objects, l.calls = make(map[string][]string), make(map[string]string)
	}
	for _, e := range c.Entries {
		l.addEntry(c.Object, e)
	}
	entries := l.States.Objects[c.Object]
	from, to := &l.States.Inactive, &l.States.Active
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

func (l *Log) addEntry(object, entry string) {
	if known := l.States.Objects[object]; !slices.Contains(known, entry) {
		l.States.Objects[object] = append(known, entry)
	}
}

// result records the result of a call that brought an object back.
func (l *Log) result(n *message.Node) {
	object, ok := l.calls[n.Message.ToolCallID]
	if !ok || n.Type != message.EntryMessage || n.Message.Role != message.RoleToolResult {
		return
	}
	delete(l.calls, n.Message.ToolCallID)
	l.addEntry(object, n.ID)
	if !n.Message.IsError {
		l.States.Active = append(l.States.Active, n.ID)
	}
}

// On returns the log of a path of message.Tree.Path. line returns the bytes of an entry.
func On(path []*message.Node, line func(*message.Node) ([]byte, error)) (Log, error) {
	var p message.Parser
	var l Log
	for _, n := range path {
		l.result(n)
		changes, err := Of(&p, n, line)
		if err != nil {
			return l, err
		}
		for _, c := range changes {
			l.Apply(c)
		}
	}
	return l, nil
}

// Is reports whether an entry carries changes of state.
func Is(n *message.Node) bool {
	return n.Type == message.EntryCustom && n.Message.CustomType == Entry
}

// Of returns the changes that an entry carries.
func Of(p *message.Parser, n *message.Node, line func(*message.Node) ([]byte, error)) ([]Change, error) {
	if !Is(n) {
		return nil, nil
	}
	raw, err := line(n)
	if err != nil {
		return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
	}
	return Parse(p, raw), nil
}

// Parse reads an Entry. It ignores what this package would not write: a session
// file may hold anything.
func Parse(p *message.Parser, entry []byte) []Change {
	var out []Change
	for _, one := range p.DataList(entry, "states") {
		c := Change{
			Op: Op(p.StringMember(one, "op")), Object: p.StringMember(one, "object"),
			Call: p.StringMember(one, "call"), Tx: p.TimeMember(one, "tx"), Time: p.TimeMember(one, "time"),
		}
		for _, e := range p.ListMember(one, "entries") {
			if len(e) > 2 && e[0] == '"' {
				c.Entries = append(c.Entries, message.Unquote(e))
			}
		}
		if c.Object != "" && (c.Op == Activate || c.Op == Deactivate) {
			out = append(out, c)
		}
	}
	return out
}

// Unknown returns the elements of stored that none of the custom entries of a session
// records.
func Unknown(customs []*message.Node, line func(*message.Node) ([]byte, error), stored []Change) ([]Change, error) {
	if len(stored) == 0 {
		return nil, nil
	}
	var p message.Parser
	var known, out []Change
	for _, n := range customs {
		changes, err := Of(&p, n, line)
		if err != nil {
			return nil, err
		}
		known = append(known, changes...)
	}
	for _, s := range stored {
		if !slices.ContainsFunc(known, s.Same) {
			out = append(out, s)
		}
	}
	return out, nil
}
