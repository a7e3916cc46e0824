package ledger

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
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
	// Blocks is the number of its content blocks, 0 for as many as are left.
	Blocks int
	// Until is a position in the context: requests whose answers stand before it saw
	// this form.
	Until int
}

// Original is the estimate of the message as it was before anything was pruned; now is
// what it is.
func (m *Message) Original(now token.Count) token.Count {
	if len(m.Was) > 0 {
		return m.Was[0].Tokens
	}
	return now
}

// Terms are what requests are billed by.
type Terms struct {
	// Now is when the coming request is sent, in Unix milliseconds; 0 is right after the
	// last one.
	Now int64
	// Prices hold when KnownPrices is set.
	Prices      token.Prices
	KnownPrices bool
	// Floor is the size of what comes before the conversation, and Scale how many tokens
	// the provider counts for one that pi estimates. 0 is unknown: both are then read off
	// the usage that the messages record.
	Floor token.Count
	Scale float64
	// ModelSwitched and Moved are set when the last request went to another model, or
	// belonged to another branch.
	ModelSwitched, Moved bool
	// OtherUsage is set when the recorded usage says nothing of this cache.
	OtherUsage bool
	// Warmed are the times of requests that only kept the cache in use, in order.
	Warmed []int64
	// Declared is what pictx put before the conversation, ordered by Since.
	Declared []bill.Declared
	// PlainFrom is the first message after a summary that plain pi would have kept: see
	// PlainKept.
	PlainFrom int
	// Before is the bill from before these messages, and Bill the whole one, nil when it
	// follows from the messages.
	Before bill.Bill
	Bill   *bill.Bill
	// Measured is the line through the prompts from before these messages.
	Measured token.Line
}

// Conversation is a conversation, which may grow and have messages replaced by smaller ones.
type Conversation struct {
	// Messages are in context order, oldest first.
	Messages []Message
	// Sizes are their estimates.
	Sizes []token.Count
	// Prompt is set when the user's next message is expected, which is not here yet.
	Prompt bool
	// Terms are those of the coming request.
	Terms Terms
	// Visited counts the messages that were looked at, again each time.
	Visited int

	fitting  *fitting // nil until asked for
	running  *Account // likewise: up to the last message
	snapshot *Account // likewise: at the moment of the plan
}

// Close ends what was worked out for one moment: terms or messages are about to change.
func (in *Conversation) Close() { in.snapshot = nil }

// Replaced takes over that the message at i, which is in place, was old and of that size.
// It reports false when a request was billed that saw it as it is now.
func (in *Conversation) Replaced(i int, was token.Count, old Message) bool {
	in.Close()
	return (in.fitting == nil || in.fitting.replaced(in, i, was, old)) && (in.running == nil || in.running.replaced(in, i, was, old))
}
