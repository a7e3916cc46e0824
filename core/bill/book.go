package bill

import (
	"time"

	"github.com/coctostan/pictx/core/token"
)

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
func (c Compaction) cost(p *token.Prices) float64 {
	return p.TimesAt(c.Input) * (float64(c.Input-c.Read-c.Written) + p.Read*float64(c.Read) + p.Write*float64(c.Written) + p.OutputPrice()*float64(c.Output))
}

// Book bills the requests of a session, in order, with pictx and with plain pi.
type Book struct {
	// Total is what was billed so far.
	Total

	prices      token.Prices // of the model that is asked
	plain, sent *token.Cache
}

// NewBook returns a book with empty caches, of requests to a model with these prices.
func NewBook(p token.Prices) *Book {
	return &Book{prices: p, plain: token.NewCache(p), sent: token.NewCache(p)}
}

// Ask sets the prices of the model that answers from now on.
func (b *Book) Ask(p token.Prices) {
	b.prices = p
	b.plain.Ask(p)
	b.sent.Ask(p)
}

// Sent returns the cache on the side of pictx.
func (b *Book) Sent() *token.Cache { return b.sent }

// Shrunk returns how many times larger the last prompt of plain pi was, at least 1.
func (b *Book) Shrunk() float64 {
	plain, _ := b.plain.Last()
	sent, _ := b.sent.Last()
	if sent <= 0 {
		return 1
	}
	return max(1, float64(plain)/float64(sent))
}

// unit returns the bill that requests to the model are in, and what a cost in units of one
// uncached input token comes to there.
func (b *Book) unit() (*Bill, float64) {
	if b.prices.Priced {
		return &b.Dollars, b.prices.Dollars(1)
	}
	return &b.Tokens, 1
}

// charge adds a cost, in units of one uncached input token, on the side of pictx.
func (b *Book) charge(p Part, tokens token.Count, cost float64) {
	bill, unit := b.unit()
	bill.charge(p, tokens, unit*cost)
}

// chargePlain adds a cost on the side of plain pi.
func (b *Book) chargePlain(cost float64) {
	bill, unit := b.unit()
	bill.Plain += unit * cost
}

// Request bills a request of the agent, as plain pi would send it and as it is sent with
// what pictx added. It returns the cost of the latter.
func (b *Book) Request(plain, sent token.Prompt, a Added) token.Bill {
	into, _ := b.unit()
	into.Requests++
	b.chargePlain(b.plain.Call(plain).Cost)
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
	floor *= b.prices.TimesAt(p.Size())
	talk := 0.0
	if p.Tokens > 0 {
		talk = (bill.Cost - floor*float64(p.Floor)) / float64(p.Tokens)
	}
	rest, tokens := bill.Cost, p.Size()
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
	b.charge(Fetches, p.Size(), bill.Cost+b.prices.OutputPrice()*float64(output))
	return bill
}

// Compact bills the requests of a compaction, as plain pi and as pictx sends them.
func (b *Book) Compact(plain, sent Compaction) {
	into, unit := b.unit()
	cost := plain.cost(&b.prices)
	b.chargePlain(cost)
	into.PlainSummaries += unit * cost
	b.charge(Summaries, sent.Input, sent.cost(&b.prices))
}

// Aside bills requests besides the conversation that both sides make, such as for the summary
// of a branch, in dollars.
func (b *Book) Aside(p Part, tokens token.Count, dollars float64) {
	b.Dollars.Plain += dollars
	if p == Summaries {
		b.Dollars.PlainSummaries += dollars
	}
	b.Dollars.charge(p, tokens, dollars)
}

// Refresh records a request, at a time in Unix milliseconds, that kept the cache alive. Each
// side pays for its own prompt.
func (b *Book) Refresh(at int64) {
	b.refresh(b.plain, at)
	b.refresh(b.sent, at)
}

// refresh records a refresh of one side.
func (b *Book) refresh(c *token.Cache, at int64) {
	if size, _ := c.Last(); size > 0 {
		b.refreshed(c, size, 1)
	}
	c.Touch(at)
}

// Warmed records the requests since the last one, at times in Unix milliseconds, that kept the
// cache alive. Plain pi made those of its rule until the next request is sent: its prompt may be
// one that pi refreshes when the shorter one of pictx is not. Without a rule for the model it
// made the same.
func (b *Book) Warmed(at []int64, until int64, running bool) {
	if b.prices.Warm {
		b.idle(b.plain, until, running)
	}
	for _, t := range at {
		b.refresh(b.sent, t)
		if !b.prices.Warm {
			b.refresh(b.plain, t)
		}
	}
}

// Idle makes the refreshes by pi's rule until the next request is sent, at a time in Unix
// milliseconds. running is set while the agent works.
func (b *Book) Idle(until int64, running bool) {
	b.idle(b.plain, until, running)
	b.idle(b.sent, until, running)
}

// idle makes the refreshes of one side. pictx has pi refresh what plain pi would have refreshed,
// although its prompt is shorter.
func (b *Book) idle(c *token.Cache, until int64, running bool) {
	size, used := c.Last()
	plain, _ := b.plain.Last()
	n, every := b.prices.Refreshes(max(size, plain), time.Duration(until-used)*time.Millisecond, running)
	if n == 0 || used == 0 {
		return
	}
	b.refreshed(c, size, n)
	for i := range n {
		c.Touch(used + int64(i+1)*every.Milliseconds())
	}
}

// refreshed charges the refreshes of one side.
func (b *Book) refreshed(c *token.Cache, size token.Count, n int) {
	cost := float64(n) * b.prices.RefreshCost(size)
	if c == b.plain {
		b.chargePlain(cost)
	} else {
		b.charge(Refreshes, token.Count(n)*size, cost)
	}
}
