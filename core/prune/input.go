package prune

import (
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/ledger"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/token"
)

// Message is one message of a context.
type Message = ledger.Message

// Form is a form of a message that requests saw before it was pruned.
type Form = ledger.Form

// marked returns the tool result m with a marker in the place of its content.
func marked(m Message, entryID, marker string, was token.Count, since int) Message {
	h := *m.Head
	h.Content = message.Content{Kind: message.ContentText, Chars: token.Units(marker)}
	return Message{EntryID: entryID, Head: &h, Marked: true, Was: append(m.Was[:len(m.Was):len(m.Was)], Form{Tokens: was, Until: since})}
}

// NewMessage makes a Message of a head and the bytes it was parsed from. Neither
// is changed, and raw is not kept.
func NewMessage(entryID string, h *message.Head, raw []byte) Message {
	return Message{EntryID: entryID, Head: h, Marked: marker.Is(h, raw)}
}

// Result is a tool result as sources and protections see it.
type Result struct {
	// Index is its position in the messages.
	Index int
	// Message is the message itself; its Head is never nil.
	Message Message
	// Tokens is pi's estimate of it.
	Tokens token.Count
	// Turns is the number of user messages after it.
	Turns int

	order int // position among Input.Results
	born  int // messages of the user until then
}

// Input is what a plan is made from. It is for one goroutine. It may grow by messages and
// have them replaced from one plan to the next: what is known of the others is kept then,
// so that a plan costs what is new.
type Input struct {
	ledger.Conversation
	// Situation is what else is known.
	Situation Situation

	at      []int    // the positions of results
	past    []Result // tool results before the last compaction summary
	results []Result // those after it
	total   token.Count
	users   int // messages of the user, after which Result.born counts

	calls     callIndex
	hist      *history     // nil until asked for
	answers   *answerIndex // likewise: the answers
	undecided []int        // the places in results of those that a plan decides about

	// Room that plans use one after the other.
	opinions   []opinion
	candidates []Candidate
}

// NewInput measures messages, which it keeps and does not change.
func NewInput(messages []Message) *Input {
	in := &Input{results: make([]Result, 0, countResults(messages))}
	in.Messages, in.Sizes = messages[:0:len(messages)], make([]token.Count, 0, len(messages))
	in.add(messages)
	in.countTurns()
	return in
}

func countResults(messages []Message) int {
	n := 0
	for i := range messages {
		if h := messages[i].Head; h != nil && h.Role == message.RoleToolResult {
			n++
		}
	}
	return n
}

// add adds messages at the end.
func (in *Input) add(messages []Message) {
	for i := range messages {
		in.Messages = append(in.Messages, messages[i])
		m := &in.Messages[len(in.Messages)-1]
		tokens := token.Estimate(m.Head)
		in.Sizes = append(in.Sizes, tokens)
		in.total += tokens
		if m.Head == nil {
			continue
		}
		switch m.Head.Role {
		case message.RoleUser:
			in.users++
		case message.RoleToolResult:
			at := len(in.Messages) - 1
			in.results = append(in.results, Result{Index: at, Message: *m, Tokens: tokens, order: len(in.results), born: in.users})
			in.at = append(in.at, at)
		case message.RoleCompactionSummary:
			// What a summary stands for is settled: nothing before it is looked at.
			in.past, in.results, in.at = append(in.past, in.results...), nil, nil
			in.hist, in.answers = nil, nil
		}
	}
	in.Visited += len(messages)
	in.Close()
}

// Follow makes the input that of messages, which go on from its own but for those at
// changed. It reports false when what is known of them cannot be kept: a new input is
// then needed.
func (in *Input) Follow(messages []Message, changed []int) bool {
	known := len(in.Messages)
	if len(messages) < known {
		return false
	}
	for _, i := range changed {
		if i < known && !in.replace(i, messages[i]) {
			return false
		}
	}
	in.add(messages[known:])
	return true
}

// replace puts a message in the place of that at i, of which a marker or less is left. It
// reports false when what is known of the context cannot be kept.
func (in *Input) replace(i int, m Message) bool {
	old := in.Messages[i]
	if len(old.Was) > 0 || len(m.Was) != 1 || old.Head == nil || m.Head == nil || old.Head.Role != m.Head.Role || len(old.Head.Calls) != len(m.Head.Calls) {
		return false
	}
	in.Visited++
	was, now := in.Sizes[i], token.Estimate(m.Head)
	in.Messages[i], in.Sizes[i] = m, now
	in.total += now - was
	if o, ok := slices.BinarySearch(in.at, i); ok {
		in.results[o].Message, in.results[o].Tokens = m, now
		in.hist.drop(o, &in.results[o])
	}
	if m.Head.Role == message.RoleAssistant {
		in.repoint(i, old.Head, m.Head)
	}
	if in.answers != nil {
		in.answers.replaced(in, i)
	}
	return in.Replaced(i, was, old)
}

// turns is the number of user messages after a result.
func (in *Input) turns(born int) int {
	n := in.users - born
	if in.Prompt {
		n++
	}
	return n
}

// countTurns gives every result the number of user messages after it.
func (in *Input) countTurns() {
	for i := range in.results {
		in.results[i].Turns = in.turns(in.results[i].born)
	}
}

// Results returns the tool results a source may propose, oldest first: those
// after the last compaction summary. The slice belongs to the input.
func (in *Input) Results() []Result {
	in.countTurns()
	return in.results
}

// Tokens is the estimate of all messages together.
func (in *Input) Tokens() token.Count { return in.total }

// repoint has what refers to calls of an answer refer to those of the head that takes its
// place: its arguments are shorter.
func (in *Input) repoint(at int, old, now *message.Head) {
	moved := make(map[*message.Call]*message.Call, len(old.Calls))
	for j := range old.Calls {
		moved[&old.Calls[j]] = &now.Calls[j]
	}
	first, _ := slices.BinarySearch(in.at, at)
	left := len(moved)
	for o := first; o < len(in.results) && left > 0; o++ {
		in.Visited++
		if c, ok := moved[in.calls.of[in.results[o].Index]]; ok {
			in.calls.of[in.results[o].Index] = c
		}
		if in.hist == nil || o >= len(in.hist.facts) {
			continue
		}
		if c, ok := moved[in.hist.facts[o].call]; ok {
			in.hist.facts[o].call = c
			left--
		}
	}
}

// callIndex finds the calls of results.
type callIndex struct {
	visited int                      // messages looked at
	of      map[int]*message.Call    // by the position of the result
	latest  map[string]*message.Call // by the id of the call
}

// Call returns the call that the tool result at index answers, nil when there is
// none. It is the nearest preceding call with the result's id: providers that
// count their calls use an id again, and other messages, another assistant
// message among them, may stand between a call and its result.
func (in *Input) Call(index int) *message.Call {
	c := &in.calls
	if c.of == nil {
		c.of, c.latest = make(map[int]*message.Call), make(map[string]*message.Call)
	}
	for ; c.visited < len(in.Messages); c.visited++ {
		h := in.Messages[c.visited].Head
		if h == nil {
			continue
		}
		switch h.Role {
		case message.RoleAssistant:
			for j := range h.Calls {
				c.latest[h.Calls[j].ID] = &h.Calls[j]
			}
		case message.RoleToolResult:
			if call := c.latest[h.ToolCallID]; call != nil {
				c.of[c.visited] = call
			}
		}
	}
	return c.of[index]
}
