package bill

import "github.com/coctostan/pictx/core/token"

// Declared is what pictx puts before the conversation. It changes at moments at which
// the prompt is written anyway: after a change nothing of it is in the cache.
type Declared struct {
	// Since is when the agent began to send it, in Unix milliseconds.
	Since int64
	// Tools and Section are the sizes of the definitions and of the text in the system
	// prompt.
	Tools, Section token.Count
}

// Tokens is the size of all of it.
func (d Declared) Tokens() token.Count { return d.Tools + d.Section }

// DeclaredAt returns what is declared at a time, in Unix milliseconds, of a list that is
// ordered by Since.
func DeclaredAt(list []Declared, at int64) Declared {
	var d Declared
	for _, one := range list {
		if one.Since <= at {
			d = one
		}
	}
	return d
}

// Added is what a request holds of pictx's.
type Added struct {
	// Declared is the part of the prompt's floor.
	Declared Declared
	// Markers, Messages and Fetched are parts of the conversation: what stands for
	// pruned content, what was injected, and text that was fetched again.
	Markers, Messages, Fetched token.Count
}

// Compaction is what the requests of one compaction send and get.
type Compaction struct {
	// Requests is how many there are, 0 when that is not known.
	Requests int
	// Input and Output are their tokens. Read and Written are the parts of Input that
	// were read from the cache and written to it; the rest costs what plain input does.
	Input, Output, Read, Written token.Count
}

// cost is in plain input tokens.
func (c Compaction) cost(p token.Prices) float64 {
	return float64(c.Input-c.Read-c.Written) + p.Read*float64(c.Read) + p.Write*float64(c.Written) + p.OutputPrice()*float64(c.Output)
}

// Book follows both sides through the requests of a session, in order.
type Book struct {
	// Bill is what was billed so far.
	Bill

	prices      token.Prices
	plain, sent *token.Cache
}

// NewBook returns a book at these prices, with nothing in either cache.
func NewBook(p token.Prices) *Book {
	return &Book{prices: p, plain: token.NewCache(p), sent: token.NewCache(p)}
}

// Clone returns a copy of the book that goes its own way.
func (b *Book) Clone() *Book {
	c := *b
	c.plain, c.sent = b.plain.Clone(), b.sent.Clone()
	return &c
}

// Sent is the cache of the side of pictx.
func (b *Book) Sent() *token.Cache { return b.sent }

// Request bills a request of the agent: as plain pi sends it, and as it is sent with
// what pictx added. It returns what the second costs.
func (b *Book) Request(plain, sent token.Prompt, a Added) token.Bill {
	b.Bill.Requests++
	b.Plain += b.plain.Call(plain).Cost
	bill := b.sent.Call(sent)
	b.itemize(sent, bill, a)
	return bill
}

// itemize charges a request to its parts. What is in the floor costs what the floor
// does; what stands in the conversation costs what that does on average.
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

// Fetch bills a request that only gets text back, and its output. Plain pi does not send
// it. It returns what the input costs.
func (b *Book) Fetch(p token.Prompt, output token.Count) token.Bill {
	bill := b.sent.Call(p)
	b.charge(Fetches, p.Floor+p.Tokens, bill.Cost+b.prices.OutputPrice()*float64(output))
	return bill
}

// Output bills output that plain pi's model does not write, such as the calls that
// prune.
func (b *Book) Output(tokens token.Count) {
	b.charge(Requests, 0, b.prices.OutputPrice()*float64(tokens))
}

// Compact bills the requests of a compaction, as plain pi and as pictx sends them.
func (b *Book) Compact(plain, sent Compaction) { b.Bill.Compact(b.prices, plain, sent) }

// Touch is a request, at a time in Unix milliseconds, that only keeps both caches in
// use. It is not billed.
func (b *Book) Touch(at int64) {
	b.plain.Touch(at)
	b.sent.Touch(at)
}
