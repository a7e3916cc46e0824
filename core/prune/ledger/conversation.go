package ledger

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Message is one message of a context.
type Message struct {
	// EntryID is the session entry it comes from, "" when unknown.
	EntryID string
	// Head is what is known of the message. It is nil for an element that is not a message,
	// which keeps its position and is otherwise ignored.
	Head *message.Head
	// Marked is set on a tool result whose content is a marker: see marker.Is.
	Marked bool
	// Was lists the previous forms of a message that was pruned or restored, oldest first, so
	// that the first is the original: none when they are not known.
	Was []Form
}

// Form is how requests saw a message before it was pruned, or restored.
type Form struct {
	// Tokens is its estimated size.
	Tokens token.Count
	// Blocks is the number of its content blocks, 0 for as many as the message has now.
	Blocks int
	// Until is a position in the context: requests whose answers stand before it saw this
	// form.
	Until int
}

// Original returns the estimated size of the message before it was pruned; now is its
// present size.
func (m *Message) Original(now token.Count) token.Count {
	if len(m.Was) > 0 {
		return m.Was[0].Tokens
	}
	return now
}

// marker returns the size of the marker that is the form of the message at an index of Was,
// or after them; 0 for a form that is none.
func (m *Message) marker(form int, size token.Count) token.Count {
	last := form == len(m.Was)
	if last && m.Marked || !last && form > 0 && m.Head.Role == message.RoleToolResult && size < m.Was[0].Tokens {
		return size
	}
	return 0
}

// Terms are what requests are billed by.
type Terms struct {
	// Now is when the coming request is sent, in Unix milliseconds; 0 means right after the
	// last one.
	Now int64
	// Prices are valid when KnownPrices is set.
	Prices      token.Prices
	KnownPrices bool
	// Floor is the size of what precedes the conversation. Scale is how many tokens the
	// provider counts for each token that pi estimates. When 0, both are derived from the
	// usage that the messages record.
	Floor token.Count
	Scale float64
	// ModelSwitched is set when the last request went to another model, Moved when it
	// belonged to another branch.
	ModelSwitched, Moved bool
	// OtherUsage is set when the recorded usage says nothing about this cache.
	OtherUsage bool
	// Warmed are the times of requests that only kept the cache alive, ascending.
	Warmed []int64
	// Declared is what pictx put before the conversation, ordered by Since.
	Declared []bill.Declared
	// PlainFrom is the result of PlainKept.
	PlainFrom int
	// Before is the bill of the requests before these messages. Bill is the whole bill, nil
	// to derive it from the messages.
	Before bill.Bill
	Bill   *bill.Bill
	// Measured is the line through the prompts of the requests before these messages.
	Measured token.Line
}

// Conversation is a list of messages that may grow and in which messages may be replaced by
// smaller ones.
type Conversation struct {
	// Messages are in context order, oldest first.
	Messages []Message
	// Sizes are the estimated sizes of Messages.
	Sizes []token.Count
	// Prompt is set when a user message comes next that is not known yet.
	Prompt bool
	// Terms are those of the coming request.
	Terms Terms
	// Visited counts how often a message was processed, repetitions included.
	Visited int

	fitting  *fitting // nil until needed
	running  *Account // likewise; up to the last message
	snapshot *Account // likewise; at the moment of the plan
}

// Close discards what holds at one moment only. Call it before terms or messages change.
func (in *Conversation) Close() { in.snapshot = nil }

// Closed reports whether nothing has been asked since Close.
func (in *Conversation) Closed() bool { return in.snapshot == nil }

// Replaced tells the conversation that the message at i replaced old, of size was. It
// reports false when a request that saw the new form is billed already.
func (in *Conversation) Replaced(i int, was token.Count, old Message) bool {
	in.Close()
	return (in.fitting == nil || in.fitting.replaced(in, i, was, old)) && (in.running == nil || in.running.replaced(in, i, was, old))
}
