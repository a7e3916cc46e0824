package policy

import (
	"github.com/coctostan/pictx/core/message"
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
	// command is that of a shell, "" otherwise.
	command string
	// touched is the age of the last call on the same file, and turns the number of user
	// messages since that call.
	touched, turns int
	// edits is how often the file was changed since the result.
	edits int

	until int // how often the file was changed up to this result
}

// history is what happened in a context.
type history struct {
	facts []fact // one for each of Input.results
	files tool.Files
	uses  []fileUse // one for each of files
	// expanded are the ids of results that were brought back, with the number of answers
	// and user messages before that.
	expanded []expansion
	answers  int
	users    int
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
// are set only in facts that Input.fact returned.
func (in *Input) history() *history {
	if in.hist == nil {
		in.hist = &history{classes: make(map[string]tool.Class), calls: make(map[string]pendingCall)}
		in.hist.files.CWD = in.Situation.CWD
		in.hist.read(in)
	}
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
	f.edits = u.edits - max(f.until, u.shown)
	if u.last > order {
		f.touched, f.turns = h.answers-h.facts[u.last].born, in.turns(in.results[u.last].born)
	}
	return f
}

// unanswered returns the number of calls of the last answer that have no result yet.
func (in *Input) unanswered() int { return in.history().open }

// pendingCall is a call whose result has not come yet.
type pendingCall struct {
	call *message.Call
	void bool
}

// read processes the messages in order.
func (h *history) read(in *Input) {
	for i := range in.Messages {
		m := in.Messages[i].Head
		if m == nil {
			continue
		}
		switch m.Role {
		case message.RoleUser:
			h.last, h.open = nil, 0
			h.users++
		case message.RoleAssistant:
			h.answer(m)
		case message.RoleToolResult:
			h.open--
			if n := len(h.facts); n < len(in.results) && in.results[n].Index == i {
				h.facts = append(h.facts, h.fact(h.calls[m.ToolCallID], m))
				h.use(in, n)
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
	if f.class == tool.Shell {
		f.command = message.Unquote(acc.Command)
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
	last  int // index of the newest result that used it, -1 for none
	edits int // how often it was changed
	shown int // up to how many changes the newest excerpt shows, which stands for earlier reads, too
}

// use records what a new result means for its file.
func (h *history) use(in *Input, order int) {
	f := &h.facts[order]
	if f.path < 0 {
		return
	}
	for len(h.uses) <= f.path {
		h.uses = append(h.uses, fileUse{last: -1})
	}
	u := &h.uses[f.path]
	if f.class == tool.Edit && !f.void && !in.results[order].Message.Head.IsError {
		u.edits++
	}
	f.until = u.edits
	if in.results[order].Message.Excerpt {
		u.shown = u.edits
	}
	if !f.void && (f.class == tool.Edit || f.class == tool.Read) { // listing or searching is not using the file
		u.last = order
	}
}
