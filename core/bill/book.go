package bill

import "github.com/coctostan/pictx/core/token"

// Declared is what pictx puts before the conversation. It changes only when the prompt is
// written anyway: a change invalidates the whole cache.
type Declared struct {
	// Since is when the agent first sent it, in Unix milliseconds.
	Since int64
	// Tools and Section are the sizes of tool definitions and of text in the system prompt.
	Tools, Section token.Count
}

// Tokens returns the total size.
func (d Declared) Tokens() token.Count { return d.Tools + d.Section }

// DeclaredAt returns what is declared at a time, in Unix milliseconds. list is ordered by
// Since.
func DeclaredAt(list []Declared, at int64) Declared {
	var d Declared
	for _, one := range list {
		if one.Since <= at {
			d = one
		}
	}
	return d
}

// Added is the part of a request that is due to pictx.
type Added struct {
	// Declared precedes the conversation.
	Declared Declared
	// Markers, Messages and Fetched are parts of the conversation: markers of pruned
	// content, injected messages, and text that was fetched again.
	Markers, Messages, Fetched token.Count
}

// Compaction is the usage of the requests of one compaction.
type Compaction struct {
	// Requests is their number, 0 when unknown.
	Requests int
	// Input and Output are their tokens. Read and Written are the parts of Input that were
	// read from and written to the cache; the rest is plain input.
	Input, Output, Read, Written token.Count
}

// cost is in units of one uncached input token.
func (c Compaction) cost(p token.Prices) float64 {
	return float64(c.Input-c.Read-c.Written) + p.Read*float64(c.Read) + p.Write*float64(c.Written) + p.OutputPrice()*float64(c.Output)
}

// Book bills the requests of a session, in order, with pictx and with plain pi.
type Book struct {
	// Bill is what was billed so far.
	Bill

	prices      token.Prices
	plain, sent *token.Cache
}

// NewBook returns a book with these prices and empty caches.
func NewBook(p token.Prices) *Book {
	return &Book{prices: p, plain: token.NewCache(p), sent: token.NewCache(p)}
}

// Clone returns an independent copy.
func (b *Book) Clone() *Book {
	c := *b
	c.plain, c.sent = b.plain.Clone(), b.sent.Clone()
	return &c
}

// Sent returns the cache on the side of pictx.
func (b *Book) Sent() *token.Cache { return b.sent }

// Request bills a request of the agent, as plain pi would send it and as it is sent with
// what pictx added. It returns the cost of the latter.
func (b *Book) Request(plain, sent token.Prompt, a Added) token.Bill {
	b.Bill.Requests++
	b.Plain += b.plain.Call(plain).Cost
	bill := b.sent.Call(sent)
	b.itemize(sent, bill, a)
	return bill
}

// itemize charges a request to its parts. Tokens of the floor have the floor's price,
// tokens of the conversation the conversation's average price.
func (b *Book) itemize(p token.Prompt, bill token.Bill, a Added) {
	floor := b.prices.Write
	if bill.Read >= p.Floor {
		floor = b.prices.Read
	}
	talk := 0.0
	if p.Tokens > 0 {
		talk = (bill.Cost - floor*float64(p.Floor)) / float64(p.Tokens)
	}
	rest, tokens := bill.Cost, p.Floor+p.Tokens
	for _, part := range [...]struct {
		Part
		tokens token.Count
		price  float64
	}{
		{Declarations, a.Declared.Tools, floor},
		{Sections, a.Declared.Section, floor},
		{Markers, a.Markers, talk},
		{Messages, a.Messages, talk},
		{Fetches, a.Fetched, talk},
	} {
		cost := part.price * float64(part.tokens)
		b.charge(part.Part, part.tokens, cost)
		rest, tokens = rest-cost, tokens-part.tokens
	}
	b.charge(Requests, tokens, rest)
}

// Fetch bills a request, with its output, that only gets text back. Plain pi would not send
// it. It returns the cost of the input.
func (b *Book) Fetch(p token.Prompt, output token.Count) token.Bill {
	bill := b.sent.Call(p)
	b.charge(Fetches, p.Floor+p.Tokens, bill.Cost+b.prices.OutputPrice()*float64(output))
	return bill
}

// Output bills output that plain pi's model would not write, such as calls that prune.
func (b *Book) Output(tokens token.Count) {
	b.charge(Requests, 0, b.prices.OutputPrice()*float64(tokens))
}

// Compact bills the requests of a compaction, as plain pi and as pictx sends them.
func (b *Book) Compact(plain, sent Compaction) { b.Bill.Compact(b.prices, plain, sent) }

// Touch records a request, at a time in Unix milliseconds, that only keeps both caches
// alive. It is not billed.
func (b *Book) Touch(at int64) {
	b.plain.Touch(at)
	b.sent.Touch(at)
}
