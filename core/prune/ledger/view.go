package ledger

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
)

// View is what whoever follows the requests of a session knows when the next one is about to
// be sent.
type View struct {
	// Book has the bill so far and the caches. Prices are those of the model that is asked.
	Book   *bill.Book
	Prices token.Prices
	// Floor precedes the conversation of the coming request, Scale converts estimates.
	Floor token.Count
	Scale float64
	// Now is when the request is sent, in Unix milliseconds. Cold is one of the Cold constants.
	Now  int64
	Cold string
	// Requests is the number of those that had this context, First and Last are the sizes of
	// its conversation at the first and the last of them, as pi estimates.
	Requests    int
	First, Last token.Count
	// Changed is the position of the first message that differs from what the last request
	// had, the number of messages when none does; Sent is the size of the conversation there.
	Changed int
	Sent    token.Count
	// Prompt is set when a user message comes next that is not known yet.
	Prompt bool
	// Fetched are further texts in the conversation.
	Fetched []Inserted
}

// Account returns the account of a view in which the conversation has these messages, of
// estimated sizes.
func (v *View) Account(messages []Message, sizes []token.Count) *Account {
	a := &Account{
		Prices: v.Prices, Floor: v.Floor, Scale: v.Scale, Cold: v.Cold, Bill: v.Book.In(&v.Prices),
		First: v.First, Last: v.Last, Calls: v.Requests, Changed: min(v.Changed, len(messages)), Sent: v.Sent,
		now: v.Now, cache: v.Book.Sent().Clone(), messages: len(messages),
	}
	a.cache.Ask(v.Prices)
	if v.Prompt {
		a.expected = 1
	}
	for i := range messages {
		size, blocks := int(sizes[i]), message.Blocks(messages[i].Head)
		if h := messages[i].Head; h != nil && (message.Voided(h) || h.Excluded) { // it is not sent
			size, blocks = 0, 0
		}
		a.sizes.add(size)
		a.blocks.add(blocks)
	}
	for _, f := range v.Fetched {
		if f.Before > 0 && f.Before <= len(messages) {
			a.sizes.change(f.Before-1, int(f.Tokens))
			a.blocks.change(f.Before-1, f.Blocks)
		}
	}
	if _, used := a.cache.Last(); v.Cold == "" && v.Prices.TTL > 0 {
		a.now = min(a.now, used+v.Prices.TTL.Milliseconds()) // between its life and the margin: taken to be warm
	}
	return a
}

// Inserted is text in a conversation that is no message of it: what a replay assumes to have
// been fetched.
type Inserted struct {
	// Before is the number of messages that precede it, Tokens its size as pi estimates.
	Before int
	Tokens token.Count
	Blocks int
}

// PlainKept is session.PlainKept.
func PlainKept(path []*message.Node, items []message.Item) int { return session.PlainKept(path, items) }

// PlainCompaction is session.PlainCompaction.
func PlainCompaction(before, after []message.Item, written token.Count) bill.Compaction {
	return session.PlainCompaction(before, after, written)
}

// Summarized is session.Summarized.
func Summarized(entry []byte) (c bill.Compaction, known, ours bool) { return session.Summarized(entry) }
