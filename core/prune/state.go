package prune

import (
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/message"
)

// StateOp is what a StateChange does.
type StateOp string

// The changes of state.
const (
	// OpDeactivate takes an object out of what the model sees: a reference stays.
	OpDeactivate StateOp = "deactivate"
	// OpActivate brings it back, and keeps it from every automatic policy until it is
	// deactivated.
	OpActivate StateOp = "activate"
)

// StateChange is what the agent, or a person, said of an object of a session. Like
// pins, changes are part of the session, so that a branch, a fork and another
// machine see their own.
type StateChange struct {
	Op StateOp `json:"op"`
	// Object is the id of the object.
	Object string `json:"object"`
	// Entries are those of the tool results that show it, as far as they were in the
	// context then.
	Entries []string `json:"entries,omitempty"`
	// Call is the id of the call whose result brings the content back, "" for none.
	Call string `json:"call,omitempty"`
	// Tx is the transaction of the store that has it, 0 when none has.
	Tx int64 `json:"tx,omitempty"`
	// Time is when it was said, in Unix milliseconds.
	Time int64 `json:"time"`
}

// same reports whether two changes are the same one.
func (c StateChange) same(d StateChange) bool {
	return c.Op == d.Op && c.Object == d.Object && c.Tx == d.Tx && (c.Tx > 0 || c.Time == d.Time)
}

// StatesEntry is the type of the custom entry that carries changes of state.
const StatesEntry = "pictx.objects"

// StatesData is the data of a StatesEntry.
type StatesData struct {
	States []StateChange `json:"states"`
}

// States are the objects of a branch that somebody spoke of, by the entries of the
// tool results that show them.
type States struct {
	// Inactive are to become references.
	Inactive []string
	// Active are exempt from every automatic policy.
	Active []string
	// Objects says, by object, the entries that show it: those a change named, and
	// those of calls that brought it back.
	Objects map[string][]string
}

// stateLog works out States, walking down a branch.
type stateLog struct {
	states States
	// calls are the objects that calls without a result yet bring back.
	calls map[string]string
}

// apply takes over a change.
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

// result notes the result of a call that brought an object back.
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

// States returns what was said of objects on the branch. stored are the changes of
// the store: those that no branch of the session has count here, too, and are the
// second result, for the session to carry from now on.
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

// StatesOn returns what was said of objects on a path that message.Tree.Path
// returned. line returns the bytes of an entry.
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

// unknownStates returns those of stored that no branch of the session has.
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

// ParseStates reads a StatesEntry. What is not as this package writes it is no
// change: anything may stand in a session file.
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
