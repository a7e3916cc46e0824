package session

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Costs are the prices of the models of a session.
type Costs func(*Model) token.Prices

// total is the size of a context up to one of its messages.
type total struct {
	tokens                     token.Count
	blocks                     int
	markers, injected, fetched token.Count
}

// plus adds a message.
func (t total) plus(m *Message) total {
	t.tokens, t.blocks = t.tokens+m.Tokens, t.blocks+m.Blocks
	switch m.Kind {
	case Marker:
		t.markers += m.Tokens
	case Injected:
		t.injected += m.Tokens
	case Fetched:
		t.fetched += m.Tokens
	}
	return t
}

// sizes follows the sizes of a context from one request to the next.
type sizes struct {
	upTo []total // before each message, and after the last
	same int     // leading messages that the last billed request had
}

// follow moves to the context of the next request.
func (z *sizes) follow(s *Session, c Context) {
	if z.upTo == nil {
		z.upTo = make([]total, 1)
	}
	z.same = min(z.same, c.Keep)
	z.upTo = z.upTo[:c.Keep+1]
	for _, m := range c.Add {
		z.upTo = append(z.upTo, z.upTo[len(z.upTo)-1].plus(&s.Messages[m]))
	}
}

// all is the size of the whole context.
func (z *sizes) all() total {
	if len(z.upTo) == 0 {
		return total{}
	}
	return z.upTo[len(z.upTo)-1]
}

// prompt returns the prompt of a request with this context, after which the next one is
// compared with it.
func (z *sizes) prompt(m *Model, r *Request) token.Prompt {
	all := z.all()
	p := token.Prompt{
		Time: r.At, Floor: m.Floor, Tokens: m.Scaled(all.tokens), Blocks: all.blocks,
		Same: m.Scaled(z.upTo[z.same].tokens),
	}
	z.same = len(z.upTo)
	return p
}

// Bill bills all requests as they were sent, and as plain pi would have sent them. each is
// called after every request with its index and what it saved in dollars; it may be nil.
func (s *Session) Bill(of Costs, each func(request int, saved float64)) *bill.Book {
	return s.Fold(of, each).Book
}

// rest bills what came after the last request.
func (f *Fold) rest() {
	n := len(f.s.Requests)
	f.asides(n)
	if n := len(f.s.Warmed); n > 0 {
		f.refresh(f.s.Warmed, f.s.Warmed[n-1]+1, false)
	}
	if f.s.Pending != nil && n > 0 {
		f.Book.Compact(f.s.Pending.Bill(&f.s.Models[f.s.Requests[n-1].Model]))
	}
}

// Fold bills the requests of a session, one after the other.
type Fold struct {
	// Book is the bill so far, with the caches of both sides.
	Book *bill.Book
	// Requests is the number of those since the last compaction, First and Last are the sizes
	// of the conversation in plain pi at the first and the last of them, as pi estimates.
	Requests    int
	First, Last token.Count

	s           *Session
	prices      []token.Prices // by model
	sent, plain sizes
	model       int
	aside       int  // those that are billed
	warms       bool // the session has recorded a refresh of the cache: this pi makes them
}

// Fold bills all requests; each may be nil, see Bill.
func (s *Session) Fold(of Costs, each func(request int, saved float64)) *Fold {
	f := &Fold{s: s, model: -1}
	for i := range s.Models {
		f.prices = append(f.prices, of(&s.Models[i]))
	}
	first := token.Unknown()
	if len(f.prices) > 0 {
		first = f.prices[0]
	}
	f.Book = bill.NewBook(first)
	for i := range s.Requests {
		before := f.Book.Dollars.Saved()
		f.request(i)
		if each != nil {
			each(i, f.Book.Dollars.Saved()-before)
		}
	}
	f.rest()
	return f
}

// request bills the request at an index, which follows that of the previous call.
func (f *Fold) request(i int) {
	r := &f.s.Requests[i]
	f.asides(i)
	f.refresh(r.Warmed, r.At, r.Running)
	m := &f.s.Models[r.Model]
	switched := f.model >= 0 && f.model != r.Model
	f.model = r.Model
	f.Book.Ask(f.prices[r.Model])
	if r.Compaction != nil {
		f.Book.Compact(r.Compaction.Bill(m))
		f.Requests = 0
	}
	f.sent.follow(f.s, r.Sent)
	f.plain.follow(f.s, r.Plain)
	f.Last = f.plain.all().tokens
	if f.Requests++; f.Requests == 1 {
		f.First = f.Last
	}
	sent := f.sent.prompt(m, r)
	sent.New = switched
	all := f.sent.all()
	a := bill.Added{
		Declared: bill.DeclaredAt(f.s.Declared, r.Answer.Message.Timestamp),
		Markers:  m.Scaled(all.markers), Messages: m.Scaled(all.injected), Fetched: m.Scaled(all.fetched),
	}
	sent.Floor += a.Declared.Tokens
	if r.Fetch {
		f.Book.Fetch(sent, token.Count(r.Usage.Output))
		return
	}
	plain := f.plain.prompt(m, r)
	plain.New = switched
	f.Book.Request(plain, sent, a)
}

// refresh bills the requests at recorded times that kept the cache alive until the next request.
func (f *Fold) refresh(recorded []int64, until int64, running bool) {
	if f.warms = f.warms || len(recorded) > 0; f.warms {
		f.Book.Warmed(recorded, until, running)
	}
}

// asides bills the requests besides the conversation before the request at an index. Both
// sides make them.
func (f *Fold) asides(before int) {
	for ; f.aside < len(f.s.Asides) && f.s.Asides[f.aside].Before <= before; f.aside++ {
		n := f.s.Asides[f.aside].Node
		if n.Message.Paid == nil {
			continue
		}
		part, u := bill.Requests, &n.Message.Usage
		if n.Type == message.EntryBranchSummary {
			part = bill.Summaries
		}
		f.Book.Aside(part, token.Count(u.Input+u.CacheRead+u.CacheWrite), n.Message.Paid.Total)
	}
}
