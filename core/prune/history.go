package prune

import (
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/tool"
)

// fact is what the rules of the policy "auto" know about a tool result.
type fact struct {
	call  *message.Call
	class tool.Class
	// age counts the answers of the model since the result. An answer that was
	// aborted or failed does not count.
	age int
	// void is set when the call belongs to such an answer: what it did does not count.
	void bool
	// path is the number of the file, -1 when the call names none.
	path int
	// from and to are the lines of a read; to is after the last, forever without
	// an end.
	from, to int
	// touched is the age of the last call on the same file, and turns the number
	// of user messages since.
	touched, turns int
	// edits counts how often the file was changed since, and covered is set when it
	// was read again with these lines.
	edits   int
	covered bool
}

const forever = 1 << 40

// history is what happened in a context, looked at once for every plan.
type history struct {
	facts []fact // of Input.Results
	files tool.Files
	// expanded are the ids that were brought back, with the age and the user turns
	// since the call.
	expanded []expansion
	answers  int
	// open counts the calls of the last answer that have no result yet.
	open int

	classes map[string]tool.Class
}

type expansion struct {
	id         string
	age, turns int
}

// history returns the facts of the input's results.
func (in *Input) history() *history {
	if in.hist == nil {
		h := &history{facts: make([]fact, len(in.results)), classes: make(map[string]tool.Class)}
		h.files.CWD = in.Situation.CWD
		h.walk(in)
		h.follow(in)
		in.hist = h
	}
	return in.hist
}

// pendingCall is a call that waits for its result.
type pendingCall struct {
	call *message.Call
	void bool
}

// walk goes through the messages in order and counts answers.
func (h *history) walk(in *Input) {
	calls := make(map[string]pendingCall)
	var last *message.Head // the answer before, nil after a user's message
	next, turns := 0, 0
	for i := range in.Messages {
		m := in.Messages[i].Head
		if m == nil {
			continue
		}
		switch m.Role {
		case message.RoleUser:
			last, h.open = nil, 0
			turns++
		case message.RoleAssistant:
			void := voided(m)
			if !void && !message.SameAnswer(last, m) {
				h.answers++
				h.open = 0
			}
			if !void {
				h.open += len(m.Calls)
			}
			last = m
			for j := range m.Calls {
				calls[m.Calls[j].ID] = pendingCall{&m.Calls[j], void}
				h.noteExpansion(&m.Calls[j], void, turns)
			}
		case message.RoleToolResult:
			h.open--
			if next < len(in.results) && in.results[next].Index == i {
				h.facts[next] = h.fact(calls[m.ToolCallID], m)
				next++
			}
		}
	}
	h.countBack(in, turns)
}

// countBack turns the answers and user turns until a result or an expansion came into
// those since.
func (h *history) countBack(in *Input, turns int) {
	for i := range h.facts {
		h.facts[i].age = h.answers - h.facts[i].age
		h.facts[i].turns = in.results[i].Turns
	}
	for i := range h.expanded {
		h.expanded[i].age = h.answers - h.expanded[i].age
		h.expanded[i].turns = turns - h.expanded[i].turns
	}
}

// voided reports whether an answer never counted: the agent does not send it again.
func voided(m *message.Head) bool { return m.StopReason == "error" || m.StopReason == "aborted" }

// fact is what is known of a result when it comes: age is the number of answers
// until then.
func (h *history) fact(a pendingCall, m *message.Head) fact {
	f := fact{call: a.call, void: a.void, path: -1, age: h.answers, from: 1, to: forever, class: h.classOf(m.ToolName)}
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
	f.from = acc.From
	switch {
	case acc.To > 0:
		f.to = acc.To
	case m.Content.Chars >= mayBeCut:
		// Agents cut long files: there are at least this many lines.
		f.to = f.from + m.Content.Chars/longLine
	}
	if f.class == tool.Edit && acc.Patch != nil && f.path < 0 {
		tool.Patched(message.Unquote(acc.Patch), func(file string) { f.path = h.files.Of(file) })
	}
	return f
}

const (
	// mayBeCut is the length from which on a read without a limit may have been
	// cut by the agent (pi: 2,000 lines or 50 KB), and longLine a line that is
	// longer than the average of almost any file.
	mayBeCut = 16_000
	longLine = 200
)

// classOf is tool.ClassOf, asked once for every tool.
func (h *history) classOf(name string) tool.Class {
	c, ok := h.classes[name]
	if !ok {
		c = tool.ClassOf(name)
		h.classes[name] = c
	}
	return c
}

func (h *history) noteExpansion(c *message.Call, void bool, turns int) {
	if void {
		return
	}
	tool.ExpandIDs(c, func(id string) {
		h.expanded = append(h.expanded, expansion{id: id, age: h.answers, turns: turns})
	})
}

// fileState is what was seen of a file, walking from the newest result back.
type fileState struct {
	seen           bool
	touched, turns int
	edits          int
	reads          []lineRange // that were not pruned, none within another
}

type lineRange struct{ from, to int }

// follow finds what became of the file of every result later.
func (h *history) follow(in *Input) {
	files := make([]fileState, h.files.Len())
	for i := len(h.facts) - 1; i >= 0; i-- {
		f := &h.facts[i]
		f.touched = f.age
		if f.path < 0 {
			continue
		}
		s, r := &files[f.path], &in.results[i]
		if s.seen {
			f.touched, f.turns = s.touched, s.turns
		}
		f.edits = s.edits
		ok := !f.void && !r.Message.Head.IsError
		switch f.class {
		case tool.Read:
			f.covered = slices.ContainsFunc(s.reads, func(l lineRange) bool { return l.from <= f.from && f.to <= l.to })
			if ok && !r.Message.Marked && !f.covered {
				s.reads = append(s.reads, lineRange{f.from, f.to})
			}
		case tool.Edit:
			if ok {
				s.edits++
			}
		default:
			continue // a listing or a search does not use the file
		}
		if !s.seen && !f.void {
			s.seen, s.touched, s.turns = true, f.age, r.Turns
		}
	}
}
