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
	// born is the number of answers until the result.
	born int
	// age counts the answers of the model since the result. An answer that was
	// aborted or failed does not count.
	age int
	// void is set when the call belongs to such an answer: what it did does not count.
	void bool
	// path is the number of the file, -1 when the call names none.
	path int
	// touched is the age of the last call on the same file, and turns the number
	// of user messages since.
	touched, turns int
	// edits counts how often the file was changed since.
	edits int

	until int // edits of the file up to this result
}

// history is what happened in a context. It is kept from one plan to the next and follows
// what is added.
type history struct {
	next  int    // messages looked at
	facts []fact // of Input.results
	files tool.Files
	uses  []fileUse // of files
	// live are the results, in order, that may still be pruned: those that no protection
	// holds for good.
	live []int
	// rules are the settings by which some of them were settled: see Input.settle.
	rules string
	// pastOpinions says of live which could go but for the price, by the places of results,
	// and pins what the user had pinned then.
	pastOpinions []pastOpinion
	pins         Pins
	// expanded are the ids that were brought back, with the answers and the messages of
	// the user until then.
	expanded []expansion
	answers  int
	users    int
	// open counts the calls of the last answer that have no result yet.
	open int

	calls   map[string]pendingCall
	last    *message.Head // the answer before, nil after a user's message
	classes map[string]tool.Class
}

type expansion struct {
	id             string
	answers, users int
}

// history returns the facts of the input's results. Of those that count from the end only
// a fact that Input.fact returned is up to date.
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

// factAt is fact of the result at a place among Input.results.
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

// unanswered counts the calls of the last answer that have no result yet.
func (in *Input) unanswered() int {
	if in.Prompt {
		return 0
	}
	return in.history().open
}

// pendingCall is a call that waits for its result.
type pendingCall struct {
	call *message.Call
	void bool
}

// follow goes through the messages that are new, in order, and counts answers.
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

// answer notes an answer of the model and its calls.
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

// mayGo reports whether a result may be pruned at some time: if nothing holds it that
// stays as it is.
func mayGo(f *fact, r *Result) bool {
	_, odd := KeepUnknownContent(nil, *r)
	return !r.Message.Marked && !r.Message.Head.IsError && !f.void && f.call != nil && !odd && r.Tokens >= minResult
}

// drop takes over that a result was replaced.
func (h *history) drop(place int, r *Result) {
	if h == nil || place >= len(h.facts) {
		return
	}
	if place < len(h.pastOpinions) {
		h.pastOpinions[place] = pastOpinion{}
	}
	if i, ok := slices.BinarySearch(h.live, place); ok && !mayGo(&h.facts[place], r) {
		h.live = slices.Delete(h.live, i, i+1)
	}
}

// fact is what is known of a result when it comes.
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

// classOf is tool.ClassOf, asked once for every tool.
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

// fileUse is what became of a file so far.
type fileUse struct {
	last  int // the newest result that used it, -1 for none
	edits int // how often it was changed
}

// use notes what a new result has to do with its file.
func (h *history) use(in *Input, order int) {
	f := &h.facts[order]
	if f.path < 0 {
		return
	}
	for len(h.uses) <= f.path {
		h.uses = append(h.uses, fileUse{last: -1})
	}
	u := &h.uses[f.path]
	switch f.class {
	case tool.Read:
	case tool.Edit:
		if !f.void && !in.results[order].Message.Head.IsError {
			u.edits++
		}
	default: // a listing or a search does not use the file
		f.until = u.edits
		return
	}
	f.until = u.edits
	if !f.void {
		u.last = order
	}
}
