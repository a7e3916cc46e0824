package policy

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
	// Marked is set on a tool result whose content is a marker: see marker.Is. Excerpt is set
	// where it is an excerpt: see marker.IsExcerpt.
	Marked, Excerpt bool
}

// Account is a View with the messages of the coming request.
type Account struct {
	*View

	sizes  []token.Count // of the messages before each, and of all
	blocks int
	cache  *token.Cache
	now    int64
}

// Account returns the account of a view in which the conversation has these messages, of
// estimated sizes.
func (v *View) Account(messages []Message, sizes []token.Count) *Account {
	a := &Account{View: v, sizes: make([]token.Count, len(messages)+1), cache: v.Cache.Clone(), now: v.Now}
	a.cache.Ask(v.Prices)
	fetched := v.Fetched
	for i := range messages {
		h := messages[i].Head
		n, blocks := sizes[i], message.Blocks(h)
		if h != nil && (message.Voided(h) || h.Excluded) { // it is not sent
			n, blocks = 0, 0
		}
		for len(fetched) > 0 && fetched[0].Before <= i+1 {
			n, blocks, fetched = n+fetched[0].Tokens, blocks+fetched[0].Blocks, fetched[1:]
		}
		a.sizes[i+1] = a.sizes[i] + n
		a.blocks += blocks
	}
	if _, used := a.cache.Last(); v.Cold == "" && v.Prices.TTL > 0 {
		a.now = min(a.now, used+v.Prices.TTL.Milliseconds()) // between its life and the margin: taken to be warm
	}
	return a
}

// Peek returns the cost of the coming request if removable tokens are pruned and everything
// before the message at from stays as it is. What the cache is about to forget does not count
// as read: one that is a second too old would have the whole prompt written again.
func (a *Account) Peek(removable token.Count, from int) token.Bill {
	return a.cache.PeekSafely(a.prompt(removable, from))
}

// Plain returns the cost of the coming request without further pruning.
func (a *Account) Plain() token.Bill { return a.cache.Peek(a.prompt(0, len(a.sizes)-1)) }

// size is that of the coming prompt without further pruning.
func (a *Account) size() token.Count { return a.Floor + a.Scaled(a.sizes[len(a.sizes)-1]) }

// growth is by how many tokens a request was larger than the one before, on average.
func (a *Account) growth() float64 {
	if a.Requests < 2 {
		return 0
	}
	return a.Scale * float64(a.Last-a.First) / float64(a.Requests-1)
}

// after is the expected size of the prompt after so many requests.
func (a *Account) after(requests int) token.Count {
	return a.size() + token.Count(float64(requests)*max(0, a.growth()))
}

// prompt returns the coming prompt.
func (a *Account) prompt(removable token.Count, from int) token.Prompt {
	last := len(a.sizes) - 1
	return token.Prompt{
		Time: a.now, Floor: a.Floor, Tokens: a.Scaled(a.sizes[last]) - removable,
		Blocks: a.blocks, Same: a.Scaled(a.sizes[min(from, a.Changed, last)]),
	}
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

// Inserted is text in a conversation that is no message of it: what a replay assumes to have
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
