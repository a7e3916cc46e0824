package policy

import (
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// account is a View with the messages of the coming request.
type account struct {
	*View

	sizes  []token.Count // of the messages before each, and of all
	blocks int
	cache  *token.Cache
	now    int64
}

// account returns the account of the conversation in the situation of the input.
func (in *Input) account() *account {
	if in.known != nil {
		return in.known
	}
	v := in.Situation.View
	if v == nil {
		v = listed(in.Messages, token.Unknown())
	}
	a := &account{View: v, sizes: make([]token.Count, len(in.Messages)+1), cache: v.Cache.Clone(), now: v.Now}
	in.known = a
	a.cache.Ask(v.Prices)
	fetched := v.Fetched
	for i := range in.Messages {
		h := in.Messages[i].Head
		n, blocks := in.Sizes[i], message.Blocks(h)
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

// peek returns the cost of the coming request if removable tokens are pruned and everything
// before the message at from stays as it is. What the cache is about to forget does not count
// as read: one that is a second too old would have the whole prompt written again.
func (a *account) peek(removable token.Count, from int) token.Bill {
	return a.cache.PeekSafely(a.prompt(removable, from))
}

// plain returns the cost of the coming request without further pruning.
func (a *account) plain() token.Bill { return a.cache.Peek(a.prompt(0, len(a.sizes)-1)) }

// size is that of the coming prompt without further pruning.
func (a *account) size() token.Count { return a.Floor + a.Scaled(a.sizes[len(a.sizes)-1]) }

// growth is by how many tokens a request was larger than the one before, on average.
func (a *account) growth() float64 {
	if a.Requests < 2 {
		return 0
	}
	return a.Scale * float64(a.Last-a.First) / float64(a.Requests-1)
}

// after is the expected size of the prompt after so many requests.
func (a *account) after(requests int) token.Count {
	return a.size() + token.Count(float64(requests)*max(0, a.growth()))
}

// prompt returns the coming prompt.
func (a *account) prompt(removable token.Count, from int) token.Prompt {
	last := len(a.sizes) - 1
	return token.Prompt{
		Time: a.now, Floor: a.Floor, Tokens: a.Scaled(a.sizes[last]) - removable,
		Blocks: a.blocks, Same: a.Scaled(a.sizes[min(from, a.Changed, last)]),
	}
}
