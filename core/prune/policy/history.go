package policy

import (
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/mention"
	"github.com/coctostan/pictx/core/tool"
)

// fact is what the rules of the policy "auto" know about a tool result.
type fact struct {
	call  *message.Call
	class tool.Class
	// born is the number of the model's answers before the result.
	born int
	// age is the number of the model's answers since the result. Answers that were aborted
	// or failed do not count.
	age int
	// void is set when the call belongs to such an answer; what the call did does not
	// count.
	void bool
	// path is the number of the file in tool.Files, -1 when the call names none.
	path int
	// touched is the age of the last call on the same file, and turns the number of user
	// messages since that call.
	touched, turns int
	// edits is how often the file was changed since the result.
	edits int

	until int // how often the file was changed up to this result
}

// history is what happened in a context. It survives from one plan to the next and is
// extended by the messages that are added.
type history struct {
	next  int    // messages processed
	facts []fact // one for each of Input.results
	files tool.Files
	uses  []fileUse // one for each of files
	// live are the ascending indexes of the results that may be pruned one day: nothing
	// permanent protects them. Those in standing, likewise ascending, are prunable as long
	// as premises and pins are what they were; live does not contain them.
	live     []int
	standing []*standing
	premises premises
	pins     Pins
	// rules is the Planner.rules by which some were removed from live: see Input.settle.
	rules string
	// expanded are the ids of results that were brought back, with the number of answers
	// and user messages before that.
	expanded []expansion
	answers  int
	users    int
	// mentions are the files that the user named, and unread the indexes of the user's
	// messages that were not read for that yet. blind counts changes of files whose newest
	// read was pruned by then.
	mentions mention.Files
	unread   []int
	blind    int
	// open is the number of calls of the last answer that have no result yet.
	open int

	calls   map[string]pendingCall
	last    *message.Head // the previous assistant message, nil after a user message
	classes map[string]tool.Class
}

type expansion struct {
	id             string
	answers, users int
}

// history returns the history of the input. The members of a fact that count from the end
// are up to date only in facts that Input.fact returned.
func (in *Input) history() *history {
	if in.hist == nil || in.hist.files.CWD != in.Situation.CWD {
		in.answers = nil
		in.hist = &history{classes: make(map[string]tool.Class), calls: make(map[string]pendingCall)}
		in.hist.files.CWD = in.Situation.CWD
	}
	in.hist.follow(in)
	return in.hist
}

// fact returns what is known of one of the input's results.
func (in *Input) fact(r Result) *fact { return in.factAt(r.order) }

// factAt is fact for the result at an index into Input.results.
func (in *Input) factAt(order int) *fact {
	h := in.history()
	f := &h.facts[order]
	f.age, f.turns, f.touched = h.answers-f.born, in.turns(in.results[order].born), h.answers-f.born
	if f.path < 0 {
		return f
	}
	u := &h.uses[f.path]
	f.edits = u.edits - f.until
	if u.last > order {
		f.touched, f.turns = h.answers-h.facts[u.last].born, in.turns(in.results[u.last].born)
	}
	return f
}

// unanswered returns the number of calls of the last answer that have no result yet.
func (in *Input) unanswered() int {
	if in.Prompt {
		return 0
	}
	return in.history().open
}

// pendingCall is a call whose result has not come yet.
type pendingCall struct {
	call *message.Call
	void bool
}

// follow processes the new messages in order.
func (h *history) follow(in *Input) {
	for ; h.next < len(in.Messages); h.next++ {
		in.Visited++
		m := in.Messages[h.next].Head
		if m == nil {
			continue
		}
		switch m.Role {
		case message.RoleUser:
			h.last, h.open = nil, 0
			h.users++
			h.unread = append(h.unread, h.next)
		case message.RoleAssistant:
			h.answer(m)
		case message.RoleToolResult:
			h.open--
			if n := len(h.facts); n < len(in.results) && in.results[n].Index == h.next {
				h.facts = append(h.facts, h.fact(h.calls[m.ToolCallID], m))
				h.use(in, n)
				if mayGo(&h.facts[n], &in.results[n]) {
					h.live = append(h.live, n)
				}
			}
		}
	}
}

// answer records an assistant message and its calls.
func (h *history) answer(m *message.Head) {
	void := message.Voided(m)
	if !void && !message.SameAnswer(h.last, m) {
		h.answers++
		h.open = 0
	}
	if !void {
		h.open += len(m.Calls)
	}
	h.last = m
	for j := range m.Calls {
		h.calls[m.Calls[j].ID] = pendingCall{&m.Calls[j], void}
		h.noteExpansion(&m.Calls[j], void)
	}
}

// mayGo reports whether a result may ever be pruned: no protection that never changes
// applies to it.
func mayGo(f *fact, r *Result) bool {
	_, odd := KeepUnknownContent(nil, *r)
	return !r.Message.Marked && !r.Message.Head.IsError && !f.void && f.call != nil && !odd && r.Tokens >= minResult
}

// drop records that the result at an index was replaced.
func (h *history) drop(place int, r *Result) {
	if h == nil || place >= len(h.facts) {
		return
	}
	if i, ok := h.stands(place); ok {
		h.standing = slices.Delete(h.standing, i, i+1)
		at, _ := slices.BinarySearch(h.live, place)
		h.live = slices.Insert(h.live, at, place)
	}
	if i, ok := slices.BinarySearch(h.live, place); ok && !mayGo(&h.facts[place], r) {
		h.live = slices.Delete(h.live, i, i+1)
	}
}

// fact returns what is known of a result when it arrives.
func (h *history) fact(a pendingCall, m *message.Head) fact {
	f := fact{call: a.call, void: a.void, path: -1, born: h.answers, class: h.classOf(m.ToolName)}
	if a.call == nil || f.class == tool.Other {
		return f
	}
	acc := tool.ParseArguments(a.call.Arguments)
	if f.class == tool.Editor {
		f.class = tool.EditorClass(acc.Command)
	}
	if acc.Path != nil {
		f.path = h.files.OfLiteral(acc.Path)
	}
	if f.class == tool.Edit && acc.Patch != nil && f.path < 0 {
		tool.Patched(message.Unquote(acc.Patch), func(file string) { f.path = h.files.Of(file) })
	}
	return f
}

// classOf caches tool.ClassOf by name.
func (h *history) classOf(name string) tool.Class {
	c, ok := h.classes[name]
	if !ok {
		c = tool.ClassOf(name)
		h.classes[name] = c
	}
	return c
}

func (h *history) noteExpansion(c *message.Call, void bool) {
	if void {
		return
	}
	tool.ExpandIDs(c, func(id string) {
		h.expanded = append(h.expanded, expansion{id: id, answers: h.answers, users: h.users})
	})
}

// fileUse is what happened to a file so far.
type fileUse struct {
	last  int  // index of the newest result that used it, -1 for none
	read  int  // the same of the newest read
	edits int  // how often it was changed
	named bool // by the user
}

// use records what a new result means for its file.
func (h *history) use(in *Input, order int) {
	f := &h.facts[order]
	if f.path < 0 {
		return
	}
	for len(h.uses) <= f.path {
		n := len(h.uses)
		h.uses = append(h.uses, fileUse{last: -1, read: -1, named: h.mentions.Know(h.files.Path(n), n)})
	}
	u := &h.uses[f.path]
	switch f.class {
	case tool.Read:
		u.read = order
	case tool.Edit:
		if !f.void && !in.results[order].Message.Head.IsError {
			u.edits++
			if u.read >= 0 && in.goneBefore(u.read, order) {
				h.blind++
			}
		}
	default: // listing or searching is not using the file
		f.until = u.edits
		return
	}
	f.until = u.edits
	if !f.void {
		u.last = order
	}
}

// named reports whether the user has named the file of a result. The user's messages are
// read when this is first asked: most plans never do.
func (in *Input) named(f *fact) bool {
	if f.path < 0 {
		return false
	}
	in.readNames()
	return in.hist.uses[f.path].named
}

// readNames notes the files that the user named in messages that were not read yet.
func (in *Input) readNames() {
	h := in.history()
	if in.Situation.Text == nil {
		return
	}
	for _, i := range h.unread {
		h.note(in.Situation.Text(i))
	}
	h.unread = h.unread[:0]
}

// note records the files that the user names in a text.
func (h *history) note(text []byte) {
	h.mentions.Note(text, func(file int) {
		if file < len(h.uses) {
			h.uses[file].named = true
		}
	})
}

// goneBefore reports whether one result was pruned before the call of a later one was made.
func (in *Input) goneBefore(place, later int) bool {
	m := in.results[place].Message
	was := m.Was
	return m.Marked && len(was) > 0 && was[len(was)-1].Until <= in.results[later].Index
}
