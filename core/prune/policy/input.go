package policy

import (
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/calls"
	"github.com/coctostan/pictx/core/prune/ledger"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/token"
)

// Message is one message of a context.
type Message = ledger.Message

// Form is how requests saw a message before it was pruned.
type Form = ledger.Form

// marked returns the tool result m with its content replaced by a marker.
func marked(m Message, entryID, marker string, was token.Count, since int) Message {
	h := *m.Head
	h.Content = message.Content{Kind: message.ContentText, Chars: token.Units(marker)}
	return Message{EntryID: entryID, Head: &h, Marked: true, Was: append(m.Was[:len(m.Was):len(m.Was)], Form{Tokens: was, Until: since})}
}

// NewMessage makes a Message of a head and the bytes it was parsed from. It modifies
// neither and does not retain raw.
func NewMessage(entryID string, h *message.Head, raw []byte) Message {
	return Message{EntryID: entryID, Head: h, Marked: marker.Is(h, raw)}
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

// Input is what a plan is made from. It may grow by messages and have messages replaced
// between plans; what is known of the others is kept, so that the cost of a plan depends on
// what is new. It is not safe for concurrent use.
type Input struct {
	ledger.Conversation
	viewed   *ledger.Account // of Situation.View
	viewedOf *ledger.View
	// Situation is what is known besides the messages.
	Situation Situation

	at      []int    // the positions of results, for binary search
	past    []Result // before the last compaction summary
	results []Result // after it
	total   token.Count
	users   int // user messages so far

	calls     calls.Index
	hist      *history     // nil until needed
	answers   *answerIndex // likewise
	undecided []int        // indexes into results that sources still have to judge

	// Buffers that successive plans reuse.
	opinions   []opinion
	candidates []*Candidate
}

// NewInput measures messages, which it retains and does not modify.
func NewInput(messages []Message) *Input {
	in := &Input{results: make([]Result, 0, CountResults(messages))}
	in.Messages, in.Sizes = messages[:0:len(messages)], make([]token.Count, 0, len(messages))
	in.Append(messages)
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

// Append appends messages.
func (in *Input) Append(messages []Message) {
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
			// Nothing before a compaction summary can be pruned any more.
			in.past, in.results, in.at = append(in.past, in.results...), nil, nil
			in.hist, in.answers = nil, nil
		}
	}
	in.Visited += len(messages)
	in.Close()
}

// Follow updates the input to messages, which must continue its own except for the
// positions in changed. It reports false when what is known cannot be kept; the caller then
// needs a new input.
func (in *Input) Follow(messages []Message, changed []int) bool {
	known := len(in.Messages)
	if len(messages) < known {
		return false
	}
	for _, i := range changed {
		if i < known && !in.Replace(i, messages[i]) {
			return false
		}
	}
	in.Append(messages[known:])
	return true
}

// Replace replaces the message at i by its pruned form. It reports false when what is known
// of the context cannot be kept.
func (in *Input) Replace(i int, m Message) bool {
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

// ResultCount returns the number of tool results, including those before the last compaction
// summary.
func (in *Input) ResultCount() int { return len(in.past) + len(in.results) }

// turns returns the number of user messages after a result that had born of them before it.
func (in *Input) turns(born int) int {
	n := in.users - born
	if in.Prompt {
		n++
	}
	return n
}

// countTurns updates Result.Turns of all results.
func (in *Input) countTurns() {
	for i := range in.results {
		in.results[i].Turns = in.turns(in.results[i].born)
	}
}

// Results returns the tool results after the last compaction summary, oldest first: those
// that a source may propose. The slice belongs to the input.
func (in *Input) Results() []Result {
	in.countTurns()
	return in.results
}

// repoint replaces pointers to the calls of an assistant message by pointers to those of
// its trimmed form, whose arguments are shorter.
func (in *Input) repoint(at int, old, now *message.Head) {
	moved := make(map[*message.Call]*message.Call, len(old.Calls))
	for j := range old.Calls {
		moved[&old.Calls[j]] = &now.Calls[j]
	}
	first, _ := slices.BinarySearch(in.at, at)
	left := len(moved)
	for o := first; o < len(in.results) && left > 0; o++ {
		in.Visited++
		in.calls.Repoint(in.results[o].Index, moved)
		if in.hist == nil || o >= len(in.hist.facts) {
			continue
		}
		if c, ok := moved[in.hist.facts[o].call]; ok {
			in.hist.facts[o].call = c
			left--
		}
	}
}

// Call returns the call that the tool result at index answers, nil when there is none.
func (in *Input) Call(index int) *message.Call { return in.calls.Of(in.Messages, index) }
