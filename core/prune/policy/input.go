package policy

import (
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Result is a tool result as sources and protections see it.
type Result struct {
	// Index is its position in the messages.
	Index int
	// Message is the message itself; its Head is never nil.
	Message Message
	// Tokens is its size as pi estimates it.
	Tokens token.Count
	// Call is the call that it answers, nil when that is not in the context.
	Call *message.Call
	// Turns is the number of user messages after it.
	Turns int

	order int   // index into Input.results
	at    place // where it stands
	age   int   // responses since, without those that were aborted or failed
	void  bool  // its call belongs to such a response; what the call did does not count
	use
}

// place is a position in a conversation: the responses and user messages up to it.
type place struct{ responses, users int }

// use is what a call did, and what happened to its file since. Input.learn sets it.
type use struct {
	class tool.Class
	// path is the number of the file in Input.files, -1 when the call names none.
	path int
	// command is that of a shell, "" otherwise.
	command string
	// touched is the age of the last call on the same file, and idle the number of user
	// messages since that call.
	touched, idle int
	// edits is how often the file was changed since the result, until how often up to it.
	edits, until int
}

// Input is what a plan is made from. It is not safe for concurrent use.
type Input struct {
	// Messages are in context order, Sizes their estimated sizes.
	Messages []Message
	Sizes    []token.Count
	// Situation is what is known besides the messages.
	Situation Situation

	past    []Result // before the last compaction summary
	results []Result // after it
	start   int      // the position of the message after it
	total   token.Count
	at      place   // the end
	places  []place // of the messages
	open    int     // calls of the last response that have no result yet
	// expanded are the ids of results that were brought back, with the place of that.
	expanded []expansion

	known   *account // nil until needed
	learned bool
	files   tool.Files
	classes map[string]tool.Class
}

// expansion is a call that brought a result back.
type expansion struct {
	id string
	at place
}

// pending is a call whose result has not come yet.
type pending struct {
	call *message.Call
	void bool
}

// NewInput measures messages, which it retains and does not modify.
func NewInput(messages []Message, sit Situation) *Input {
	in := &Input{Messages: messages, Situation: sit, Sizes: make([]token.Count, len(messages)), places: make([]place, len(messages))}
	in.results = make([]Result, 0, CountResults(messages))
	// A result answers the nearest call with its id before it: providers that count their calls
	// reuse ids, and other messages may stand between.
	calls := make(map[string]pending)
	var last *message.Head // the previous response, nil after a user message
	for i := range messages {
		h := messages[i].Head
		in.Sizes[i] = token.Estimate(h)
		in.total += in.Sizes[i]
		if h == nil {
			continue
		}
		switch h.Role {
		case message.RoleUser:
			last, in.open = nil, 0
			in.at.users++
		case message.RoleAssistant:
			in.respond(h, last, calls)
			last = h
		case message.RoleToolResult:
			in.open--
			a := calls[h.ToolCallID]
			in.results = append(in.results, Result{
				Index: i, Message: messages[i], Tokens: in.Sizes[i], Call: a.call, void: a.void, order: len(in.results), at: in.at,
			})
		case message.RoleCompactionSummary: // nothing before it can be pruned any more
			in.past, in.results, in.start = append(in.past, in.results...), nil, i+1
		}
		in.places[i] = in.at
	}
	for i := range in.results {
		r := &in.results[i]
		r.age, r.Turns = in.at.responses-r.at.responses, in.turns(r.at)
	}
	return in
}

// respond records an assistant message and its calls.
func (in *Input) respond(h, last *message.Head, calls map[string]pending) {
	void := message.Voided(h)
	if !void && !message.SameAnswer(last, h) {
		in.at.responses++
		in.open = 0
	}
	if !void {
		in.open += len(h.Calls)
	}
	for j := range h.Calls {
		calls[h.Calls[j].ID] = pending{&h.Calls[j], void}
		if !void {
			tool.ExpandIDs(&h.Calls[j], func(id string) { in.expanded = append(in.expanded, expansion{id, in.at}) })
		}
	}
}

// turns returns the number of user messages after a place.
func (in *Input) turns(p place) int { return in.at.users - p.users }

// Call returns the call that the tool result at a position answers, nil when there is none.
func (in *Input) Call(index int) *message.Call {
	for _, list := range [...][]Result{in.past, in.results} {
		if at, ok := slices.BinarySearchFunc(list, index, func(r Result, i int) int { return r.Index - i }); ok {
			return list[at].Call
		}
	}
	return nil
}

// fileUse is what happened to a file so far.
type fileUse struct {
	last  int // index of the newest result that used it, -1 for none
	edits int // how often it was changed
	shown int // up to how many changes the newest excerpt shows, which stands for earlier reads, too
}

// learn reads the arguments of calls and sets what the results did to files. Policies that do
// not ask for it are spared that.
func (in *Input) learn() {
	if in.learned {
		return
	}
	in.learned, in.classes, in.files.CWD = true, make(map[string]tool.Class), in.Situation.CWD
	var uses []fileUse
	for i := range in.results {
		r := &in.results[i]
		r.use = in.useOf(r)
		if r.path < 0 {
			continue
		}
		for len(uses) <= r.path {
			uses = append(uses, fileUse{last: -1})
		}
		u := &uses[r.path]
		if r.edited() {
			u.edits++
		}
		r.until = u.edits
		if r.Message.Excerpt {
			u.shown = u.edits
		}
		if !r.void && (r.class == tool.Edit || r.class == tool.Read) { // listing or searching is not using the file
			u.last = i
		}
	}
	for i := range in.results {
		r := &in.results[i]
		r.touched, r.idle = r.age, r.Turns
		if r.path < 0 {
			continue
		}
		u := &uses[r.path]
		r.edits = u.edits - max(r.until, u.shown)
		if u.last > i {
			r.touched, r.idle = in.results[u.last].age, in.results[u.last].Turns
		}
	}
}

// edited reports whether the call of a result has changed a file.
func (r *Result) edited() bool { return r.class == tool.Edit && !r.void && !r.Message.Head.IsError }

// useOf returns what the call of a result did.
func (in *Input) useOf(r *Result) use {
	u := use{class: in.classOf(r.Message.Head.ToolName), path: -1}
	if r.Call == nil || u.class == tool.Other {
		return u
	}
	a := tool.ParseArguments(r.Call.Arguments)
	if u.class == tool.Editor {
		u.class = tool.EditorClass(a.Command)
	}
	if u.class == tool.Shell {
		u.command = message.Unquote(a.Command)
	}
	if a.Path != nil {
		u.path = in.files.OfLiteral(a.Path)
	}
	if u.class == tool.Edit && a.Patch != nil && u.path < 0 {
		tool.Patched(message.Unquote(a.Patch), func(file string) { u.path = in.files.Of(file) })
	}
	return u
}

// classOf caches tool.ClassOf by name.
func (in *Input) classOf(name string) tool.Class {
	c, ok := in.classes[name]
	if !ok {
		c = tool.ClassOf(name)
		in.classes[name] = c
	}
	return c
}
