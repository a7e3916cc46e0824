package policy

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
)

// Inserted is text in a conversation that is not one of its messages: what a replay assumes to have
// been fetched.
type Inserted struct {
	// Before is the number of messages that precede it, at least 1, Tokens its size as pi
	// estimates.
	Before int
	Tokens token.Count
	Blocks int
}

// View is what whoever follows the requests of a session knows when the next one is about to
// be sent.
type View struct {
	// Bill has the requests so far, in units of one uncached input token, Cache is the
	// provider's after the last of them. Prices are those of the model that is asked.
	Bill   bill.Bill
	Cache  *token.Cache
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
	// had, the number of messages when none does.
	Changed int
	// Fetched are further texts in the conversation, by their place.
	Fetched []Inserted
}

// Scaled converts an estimated size to what the provider counts.
func (v *View) Scaled(n token.Count) token.Count {
	return token.Count(math.Round(v.Scale * float64(n)))
}

// The values of View.Cold: the provider has no cache, nothing was sent yet, the request
// goes to another model, the session moved to a branch whose cache is lost, the
// conversation was compacted, or it was idle for too long.
const (
	ColdNone       = "none"
	ColdFirst      = "first"
	ColdModel      = "model"
	ColdBranch     = "branch"
	ColdCompaction = "compaction"
	ColdIdle       = "idle"
)

// WhyCold explains a value of View.Cold to a person.
func WhyCold(cold string) string {
	switch cold {
	case ColdNone:
		return "the provider has no cache to lose"
	case ColdModel:
		return "the cache is another model's"
	case ColdBranch:
		return "the cache of this branch is lost"
	case ColdCompaction:
		return "the cache is from before the compaction"
	case ColdFirst:
		return "nothing is cached yet"
	case "":
		return ""
	}
	return "the cache is cold"
}

// Coming is a request that is about to be sent.
type Coming struct {
	// Leaf is the entry that it follows, Now when it is sent, in Unix milliseconds; 0 means
	// right after the last one.
	Leaf string
	Now  int64
	// Provider and Model are asked; "" is that of the last request. Switched is set when that
	// is known to be another one.
	Provider, Model string
	Switched        bool
	Prices          token.Prices
}

// View returns what is known of the request in a session, in which it has these messages.
func (c Coming) View(s *session.Session, messages []Message) (*View, error) {
	next, err := s.Next(c.Leaf)
	if err != nil {
		return nil, err
	}
	all := c.fold(s)
	at, on := all, s
	if next.Start == session.OnBranch { // which finds what its own last request has left in the cache
		if on, err = s.Branch(c.Leaf); err != nil {
			return nil, err
		}
		if next, err = on.Next(c.Leaf); err != nil {
			return nil, err
		}
		at, next.Start = c.fold(on), session.OnBranch
	}
	m := on.Model(c.Provider, c.Model)
	v := &View{
		Bill: all.Book.Tokens, Cache: at.Book.Sent(), Prices: c.Prices, Scale: m.Scale,
		Floor:    m.Floor + bill.DeclaredAt(on.Declared, c.Now).Tokens,
		Requests: at.Requests, First: at.First, Last: at.Last, Changed: len(messages),
	}
	if i := slices.IndexFunc(messages, func(m Message) bool { return m.EntryID != "" && m.EntryID == next.Changed }); i >= 0 {
		v.Changed = i
	}
	if on.Pending != nil {
		v.Requests, v.First, v.Last = 0, 0, 0
	}
	_, used := v.Cache.Last()
	v.Now = max(c.Now, used)
	v.Cold = c.coldness(on, next.Start, used)
	return v, nil
}

// fold bills a session at the prices of the request, in units of one uncached input token.
func (c Coming) fold(s *session.Session) *session.Fold {
	p := c.Prices
	p.Priced = false
	return s.Fold(func(*session.Model) token.Prices { return p }, nil)
}

// coldness returns the value of View.Cold. used is when the cache was used last.
func (c Coming) coldness(s *session.Session, start session.Start, used int64) string {
	switch {
	case !c.Prices.Caches():
		return ColdNone
	case s.Pending != nil:
		return ColdCompaction
	case len(s.Requests) == 0 && start == session.OnBranch:
		return ColdBranch
	case len(s.Requests) == 0:
		return ColdFirst
	case c.Switched || Switched(&s.Requests[len(s.Requests)-1].Answer.Message, c.Provider, c.Model):
		return ColdModel
	case c.Now == 0 || used == 0 || !c.Prices.Cold(time.Duration(c.Now-used)*time.Millisecond):
		return ""
	case start == session.OnBranch:
		return ColdBranch
	}
	return ColdIdle
}

// listed is the view of a context of which the messages alone are known.
func listed(messages []Message, p token.Prices) *View {
	s, err := listedSession(messages)
	if err == nil {
		var v *View
		if v, err = (Coming{Leaf: s.Tree().Leaf(), Prices: p}).View(s, messages); err == nil {
			return v
		}
	}
	return &View{Prices: p, Scale: 1, Floor: token.AssumedFloor, Cache: token.NewCache(p), Cold: ColdFirst}
}

// listedSession is the session of a context of which the messages alone are known. What a compaction
// kept was there before it.
func listedSession(messages []Message) (*session.Session, error) {
	var t message.Tree
	add := func(n message.Node) {
		n.ID, n.ParentID = strconv.Itoa(len(t.Nodes)), t.Leaf()
		t.Add(n)
	}
	say := func(h *message.Head) {
		if h != nil {
			add(message.Node{Entry: message.Entry{Type: message.EntryMessage, Message: *h, Body: message.Span{End: len(noLine)}}})
		}
	}
	from := 0
	for i := range messages {
		if h := messages[i].Head; h != nil && h.Role == message.RoleCompactionSummary {
			from = i + 1
		}
	}
	if from > 0 {
		summary := messages[from-1].Head
		kept := t.Leaf()
		for from < len(messages) && messages[from].Head != nil && messages[from].Head.Timestamp <= summary.Timestamp {
			say(messages[from].Head)
			from, kept = from+1, t.Nodes[0].ID
		}
		add(message.Node{Entry: message.Entry{Type: message.EntryCompaction, Message: *summary, FirstKept: kept}})
	}
	for i := range messages[from:] {
		say(messages[from+i].Head)
	}
	return session.Load(&t, func(*message.Node) ([]byte, error) { return []byte(noLine), nil })
}

// noLine stands for the bytes of entries that are not known.
const noLine = "{}"

// Switched reports whether a request goes to another model than the answer h came from; a
// model "" is the same model, and without an answer there is none to switch from.
func Switched(h *message.Head, provider, model string) bool {
	return h != nil && model != "" && (h.Model != model || provider != "" && h.Provider != provider)
}
