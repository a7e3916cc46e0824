package prune

import (
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/token"
)

// Message is one message of a context.
type Message struct {
	// EntryID is the session entry it comes from, "" when that is not known.
	EntryID string
	// Head is what is known of the message. It is nil for an element that is no
	// message at all, which is kept and passed over.
	Head *message.Head
	// Marked is set on a tool result whose content is a marker already: see
	// marker.Is.
	Marked bool
	// Was lists what the message was before it was pruned, oldest first: more than one
	// form when it was pruned in steps, none when that is not known.
	Was []Form
}

// Form is a form of a message that requests saw before it was pruned.
type Form struct {
	// Tokens is its estimate.
	Tokens token.Count
	// Until is a position in the context: requests whose answers stand before it saw
	// this form.
	Until int
}

// original is the estimate of the message as it was before anything was pruned; now is
// what it is.
func (m *Message) original(now token.Count) token.Count {
	if len(m.Was) > 0 {
		return m.Was[0].Tokens
	}
	return now
}

// marked returns the tool result m with a marker in the place of its content.
func (m Message) marked(entryID, marker string, was token.Count, since int) Message {
	h := *m.Head
	h.Content = message.Content{Kind: message.ContentText, Chars: token.Units(marker)}
	return Message{EntryID: entryID, Head: &h, Marked: true, Was: append(m.Was[:len(m.Was):len(m.Was)], Form{was, since})}
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
}

// Input is what a plan is made from. It is for one goroutine.
type Input struct {
	// Messages are in context order, oldest first.
	Messages []Message
	// Situation is what else is known.
	Situation Situation

	sizes   []token.Count // of messages
	at      []int         // the positions of results
	past    []Result      // tool results before the last compaction summary
	results []Result      // those after it
	answers []Answer      // nil until asked for
	total   token.Count
	calls   []*message.Call // by message, of tool results; nil until asked for
	hist    *history        // nil until asked for
	books   *account        // likewise
}

// NewInput measures messages, which it keeps and does not change.
func NewInput(messages []Message) *Input {
	in := &Input{Messages: messages, results: make([]Result, 0, countResults(messages)), sizes: make([]token.Count, len(messages))}
	for i := range messages {
		m := &messages[i]
		tokens := token.Estimate(m.Head)
		in.sizes[i] = tokens
		in.total += tokens
		if m.Head == nil {
			continue
		}
		switch m.Head.Role {
		case message.RoleToolResult:
			in.results = append(in.results, Result{Index: i, Message: *m, Tokens: tokens})
		case message.RoleCompactionSummary:
			// What a summary stands for is settled: nothing before it is looked at.
			in.past, in.results = append(in.past, in.results...), nil
		}
	}
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

// countTurns gives every result the number of user messages after it.
func (in *Input) countTurns() {
	turns, next := 0, len(in.Messages)
	in.at = make([]int, len(in.results))
	for i := len(in.results) - 1; i >= 0; i-- {
		r := &in.results[i]
		for next--; next > r.Index; next-- {
			if h := in.Messages[next].Head; h != nil && h.Role == message.RoleUser {
				turns++
			}
		}
		r.Turns, r.order, in.at[i] = turns, i, r.Index
	}
}

// Results returns the tool results a source may propose, oldest first: those
// after the last compaction summary. The slice belongs to the input.
func (in *Input) Results() []Result { return in.results }

// Tokens is the estimate of all messages together.
func (in *Input) Tokens() token.Count { return in.total }

// Call returns the call that the tool result at index answers, nil when there is
// none. It is the nearest preceding call with the result's id: providers that
// count their calls use an id again, and other messages, another assistant
// message among them, may stand between a call and its result.
func (in *Input) Call(index int) *message.Call {
	if in.calls == nil {
		in.matchCalls()
	}
	return in.calls[index]
}

// matchCalls finds the call of every tool result.
func (in *Input) matchCalls() {
	in.calls = make([]*message.Call, len(in.Messages))
	latest := make(map[string]*message.Call)
	for i, m := range in.Messages {
		if m.Head == nil {
			continue
		}
		switch m.Head.Role {
		case message.RoleAssistant:
			for j := range m.Head.Calls {
				latest[m.Head.Calls[j].ID] = &m.Head.Calls[j]
			}
		case message.RoleToolResult:
			in.calls[i] = latest[m.Head.ToolCallID]
		}
	}
}
