package prune

import (
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/message"
)

// StateOp is what a StateChange does.
type StateOp string

// The operations.
const (
	// OpDeactivate removes an object from what the model sees; a marker stays.
	OpDeactivate StateOp = "deactivate"
	// OpActivate brings it back and exempts it from every automatic policy until it is
	// deactivated.
	OpActivate StateOp = "activate"
)

// StateChange is the wish of the agent or a person about an object of a session. Like pins,
// changes are entries of the session, so that every branch, fork and machine has its own.
type StateChange struct {
	Op StateOp `json:"op"`
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

// same reports whether both are the same change.
func (c StateChange) same(d StateChange) bool {
	return c.Op == d.Op && c.Object == d.Object && c.Tx == d.Tx && (c.Tx > 0 || c.Time == d.Time)
}

// StatesEntry is the type of the custom entry that carries changes of state.
const StatesEntry = "pictx.objects"

// StatesData is the data of a StatesEntry.
type StatesData struct {
	States []StateChange `json:"states"`
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

// stateLog computes States while walking down a branch.
type stateLog struct {
	states States
	// calls are the objects that calls without a result yet bring back, by the id of the
	// call.
	calls map[string]string
}

// apply applies a change.
func (l *stateLog) apply(c StateChange) {
	if l.states.Objects == nil {
		l.states.Objects, l.calls = make(map[string][]string), make(map[string]string)
	}
	for _, e := range c.Entries {
		l.addEntry(c.Object, e)
	}
	entries := l.states.Objects[c.Object]
	from, to := &l.states.Inactive, &l.states.Active
	if c.Op == OpDeactivate {
		from, to = to, from
	}
	*from = slices.DeleteFunc(*from, func(e string) bool { return slices.Contains(entries, e) })
	for _, e := range entries {
		if !slices.Contains(*to, e) {
			*to = append(*to, e)
		}
	}
	if c.Op == OpActivate && c.Call != "" {
		l.calls[c.Call] = c.Object
	}
}

func (l *stateLog) addEntry(object, entry string) {
	if known := l.states.Objects[object]; !slices.Contains(known, entry) {
		l.states.Objects[object] = append(known, entry)
	}
}

// result records the result of a call that brought an object back.
func (l *stateLog) result(n *message.Node) {
	object, ok := l.calls[n.Message.ToolCallID]
	if !ok || n.Type != message.EntryMessage || n.Message.Role != message.RoleToolResult {
		return
	}
	delete(l.calls, n.Message.ToolCallID)
	l.addEntry(object, n.ID)
	if !n.Message.IsError {
		l.states.Active = append(l.states.Active, n.ID)
	}
}

// States returns the states of objects on the branch. stored are the changes of the store.
// Those that are on no branch of the session apply here too and are the second result, for
// the session to carry from now on.
func (b *Branch) States(stored []StateChange) (States, []StateChange, error) {
	var l stateLog
	var err error
	if slices.ContainsFunc(b.source.asides(), SaysStates) {
		l, err = statesOn(b.source.path, b.source.line)
	}
	if err != nil {
		return States{}, nil, err
	}
	carry, err := b.unknownStates(stored)
	if err != nil {
		return States{}, nil, err
	}
	for _, c := range carry {
		l.apply(c)
	}
	return l.states, carry, nil
}

// StatesOn returns the states of objects on a path of message.Tree.Path. line returns the
// bytes of an entry.
func StatesOn(path []*message.Node, line func(*message.Node) ([]byte, error)) (States, error) {
	l, err := statesOn(path, line)
	return l.states, err
}

func statesOn(path []*message.Node, line func(*message.Node) ([]byte, error)) (stateLog, error) {
	var p message.Parser
	var l stateLog
	for _, n := range path {
		l.result(n)
		changes, err := statesOf(&p, n, line)
		if err != nil {
			return l, err
		}
		for _, c := range changes {
			l.apply(c)
		}
	}
	return l, nil
}

// unknownStates returns the elements of stored that are on no branch of the session.
func (b *Branch) unknownStates(stored []StateChange) ([]StateChange, error) {
	if len(stored) == 0 {
		return nil, nil
	}
	var p message.Parser
	var known []StateChange
	for _, n := range b.customs() {
		changes, err := statesOf(&p, n, b.source.line)
		if err != nil {
			return nil, err
		}
		known = append(known, changes...)
	}
	var out []StateChange
	for _, s := range stored {
		if !slices.ContainsFunc(known, s.same) {
			out = append(out, s)
		}
	}
	return out, nil
}

// SaysStates reports whether an entry carries changes of state.
func SaysStates(n *message.Node) bool {
	return n.Type == message.EntryCustom && n.Message.CustomType == StatesEntry
}

// statesOf returns the changes that an entry carries.
func statesOf(p *message.Parser, n *message.Node, line func(*message.Node) ([]byte, error)) ([]StateChange, error) {
	if !SaysStates(n) {
		return nil, nil
	}
	raw, err := line(n)
	if err != nil {
		return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
	}
	return ParseStates(p, raw), nil
}

// ParseStates reads a StatesEntry. It ignores what this package would not write: a session
// file may hold anything.
func ParseStates(p *message.Parser, entry []byte) []StateChange {
	var out []StateChange
	for _, one := range dataList(p, entry, "states") {
		c := StateChange{
			Op: StateOp(p.StringMember(one, "op")), Object: p.StringMember(one, "object"),
			Call: p.StringMember(one, "call"), Tx: p.TimeMember(one, "tx"), Time: p.TimeMember(one, "time"),
		}
		for _, e := range p.ListMember(one, "entries") {
			if len(e) > 2 && e[0] == '"' {
				c.Entries = append(c.Entries, message.Unquote(e))
			}
		}
		if c.Object != "" && (c.Op == OpActivate || c.Op == OpDeactivate) {
			out = append(out, c)
		}
	}
	return out
}

// dataList returns the elements of a list in the data of a custom entry.
func dataList(p *message.Parser, entry []byte, name string) [][]byte {
	data, err := p.Member(entry, "data")
	if err != nil || data.End == 0 {
		return nil
	}
	return p.ListMember(data.Of(entry), name)
}
