package policy

import (
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
	plain "github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// replaced returns the tool result m with its content replaced by a marker or an excerpt.
func replaced(m Message, entryID, by string) Message {
	h := *m.Head
	h.Content = message.Content{Kind: message.ContentText, Chars: plain.Units(by)}
	excerpt := marker.IsExcerpt(by)
	return Message{EntryID: entryID, Head: &h, Marked: !excerpt, Excerpt: excerpt}
}

// NewMessage makes a Message of a head and the bytes it was parsed from. It modifies
// neither and does not retain raw.
func NewMessage(entryID string, h *message.Head, raw []byte) Message {
	return Message{EntryID: entryID, Head: h, Marked: marker.Is(h, raw), Excerpt: marker.HasExcerpt(h, raw)}
}

// Result is a tool result as sources and protections see it.
type Result struct {
	// Index is its position in the messages.
	Index int
	// Message is the message itself; its Head is never nil.
	Message Message
	// Tokens is its size as pi estimates it.
	Tokens token.Count
	// Turns is the number of user messages after it.
	Turns int

	order int // index into Input.results
	born  int // user messages before it
}

// Input is what a plan is made from. It is not safe for concurrent use.
type Input struct {
	// Messages are in context order, Sizes their estimated sizes.
	Messages []Message
	Sizes    []token.Count
	// Situation is what is known besides the messages.
	Situation Situation

	at      []int    // the positions of results, for binary search
	past    []Result // before the last compaction summary
	results []Result // after it
	total   token.Count
	users   int // user messages so far

	known   *Account // nil until needed
	calls   callIndex
	hist    *history     // nil until needed
	answers *answerIndex // likewise
}

// NewInput measures messages, which it retains and does not modify.
func NewInput(messages []Message) *Input {
	in := &Input{results: make([]Result, 0, CountResults(messages))}
	in.Messages, in.Sizes = messages, make([]token.Count, len(messages))
	for i := range messages {
		m := &messages[i]
		in.Sizes[i] = token.Estimate(m.Head)
		in.total += in.Sizes[i]
		if m.Head == nil {
			continue
		}
		switch m.Head.Role {
		case message.RoleUser:
			in.users++
		case message.RoleToolResult:
			in.results = append(in.results, Result{Index: i, Message: *m, Tokens: in.Sizes[i], order: len(in.results), born: in.users})
			in.at = append(in.at, i)
		case message.RoleCompactionSummary:
			// Nothing before a compaction summary can be pruned any more.
			in.past, in.results, in.at = append(in.past, in.results...), nil, nil
		}
	}
	in.countTurns()
	return in
}

// CountResults returns the number of tool results among messages.
func CountResults(messages []Message) int {
	n := 0
	for i := range messages {
		if h := messages[i].Head; h != nil && h.Role == message.RoleToolResult {
			n++
		}
	}
	return n
}

// turns returns the number of user messages after a result that had born of them before it.
func (in *Input) turns(born int) int { return in.users - born }

// countTurns sets Result.Turns of all results.
func (in *Input) countTurns() {
	for i := range in.results {
		in.results[i].Turns = in.turns(in.results[i].born)
	}
}

// Results returns the tool results after the last compaction summary, oldest first: those
// that a source may propose. The slice belongs to the input.
func (in *Input) Results() []Result { return in.results }

// Call returns the call that the tool result at index answers, nil when there is none.
func (in *Input) Call(index int) *message.Call { return in.calls.of(in.Messages, index) }
