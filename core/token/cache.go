package token

import (
	"math"
	"time"
)

// Prompt is one request to a model, in tokens, as its cache sees it.
type Prompt struct {
	// Time is when it was sent, in Unix milliseconds.
	Time int64
	// Floor is the size of what precedes the conversation: the system prompt and the tools.
	Floor Count
	// Tokens and Blocks are the size of the conversation.
	Tokens Count
	Blocks int
	// Same is how much of the conversation, from its start, is unchanged since the previous
	// call: Tokens of that call if messages were only added.
	Same Count
	// New is set when nothing is shared with the previous request, not even the floor,
	// because another model is asked.
	New bool
}

// Size is the size of the whole prompt.
func (p *Prompt) Size() Count { return p.Floor + p.Tokens }

// Bill is what the input of a call costs.
type Bill struct {
	// Read and Written are tokens read from and written to the cache.
	Read, Written Count
	// Cost is in units of one uncached input token.
	Cost float64
}

// breakpoint is a position up to which a provider caches a prompt.
type breakpoint struct {
	tokens Count // of the conversation before it
	blocks int
	used   int64
}

// Cache models a provider's prompt cache through the calls of a session. All policies are
// priced by this model; it was compared with the recorded usage of real providers.
type Cache struct {
	prices Prices
	floor  Count
	used   int64 // the floor
	points []breakpoint
	last   Count // conversation of the previous call
}

// NewCache returns an empty cache of a provider.
func NewCache(p Prices) *Cache { return &Cache{prices: p} }

// Ask sets the model of the coming requests. What another model left cached is forgotten by
// a prompt with New set.
func (c *Cache) Ask(p Prices) { c.prices = p }

// Last is the size of the last prompt, Used when it was sent or refreshed.
func (c *Cache) Last() (size Count, used int64) { return c.floor + c.last, c.used }

// Call bills a request and remembers its prompt.
func (c *Cache) Call(p Prompt) Bill {
	c.forget(p, c.prices.TTL)
	b := c.bill(p)
	c.floor, c.used, c.last = p.Floor, p.Time, p.Tokens
	if !c.prices.Prefix {
		c.points = append(c.points, breakpoint{p.Tokens, p.Blocks, p.Time})
	}
	return b
}

// bill returns what a prompt costs with what the cache holds.
func (c *Cache) bill(p Prompt) Bill {
	read := c.hit(p)
	b := Bill{Read: read, Written: p.Size() - read}
	b.Cost = c.prices.TimesAt(p.Size()) * (c.prices.Read*float64(b.Read) + c.prices.Write*float64(b.Written))
	return b
}

// Touch records a request that keeps the cache alive without adding to it.
func (c *Cache) Touch(at int64) {
	c.forget(Prompt{Time: at, Floor: c.floor, Same: c.last}, c.prices.TTL)
	if len(c.points) == 0 && c.floor == 0 {
		return
	}
	c.used = at
	for i := range c.points {
		c.points[i].used = at
	}
}

// forget drops what has not been used for longer than ttl, and what a prompt no longer begins
// with.
func (c *Cache) forget(p Prompt, ttl time.Duration) {
	old := func(used int64) bool { return ttl > 0 && time.Duration(p.Time-used)*time.Millisecond > ttl }
	if p.New || old(c.used) {
		c.floor, c.points = 0, c.points[:0]
		return
	}
	if p.Floor != c.floor {
		c.floor, c.points = 0, c.points[:0]
		return
	}
	kept := c.points[:0]
	for _, b := range c.points {
		if !old(b.used) && b.tokens <= p.Same {
			kept = append(kept, b)
		}
	}
	// A breakpoint is of no use once many requests have left it behind.
	const maxPoints = 64
	if n := len(kept) - maxPoints; n > 0 {
		kept = append(kept[:0], kept[n:]...)
	}
	c.points = kept
}

// hit returns how much of a prompt is read from the cache.
func (c *Cache) hit(p Prompt) Count {
	if c.floor == 0 {
		return 0
	}
	if c.prices.Prefix {
		return p.Floor + min(p.Same, c.last)
	}
	var best *breakpoint
	for i := range c.points {
		b := &c.points[i]
		if p.Blocks-b.blocks <= LookBack && (best == nil || b.tokens >= best.tokens) {
			best = b
		}
	}
	if best == nil {
		return p.Floor
	}
	best.used = p.Time
	return p.Floor + best.tokens
}

// Peek returns what a request would be billed, without remembering it.
func (c *Cache) Peek(p Prompt) Bill { return c.peek(p, c.prices.TTL) }

// PeekSafely is Peek without what is about to expire. To take a breakpoint for dead that is
// alive costs a few hundred tokens of savings, to rely on one that is dead a whole prompt.
func (c *Cache) PeekSafely(p Prompt) Bill {
	if c.prices.TTL == 0 {
		return c.Peek(p)
	}
	return c.peek(p, c.prices.TTL-c.prices.Margin())
}

func (c *Cache) peek(p Prompt, ttl time.Duration) Bill {
	d := c
	if c.prices.Prefix { // nothing is shared with a copy
		d = new(Cache)
		*d = *c
	} else {
		d = c.Clone()
	}
	d.forget(p, ttl)
	return d.bill(p)
}

// Clone returns an independent copy.
func (c *Cache) Clone() *Cache {
	d := *c
	d.points = append(make([]breakpoint, 0, len(c.points)+1), c.points...)
	return &d
}

// Line estimates a provider's count of a prompt from pi's estimate of its messages: a
// least-squares regression line through the recorded prompts. It never begins below zero,
// because nothing precedes a conversation with a negative size.
//
// Every content block costs a provider some tokens whatever is in it: names, ids, quotes. In
// a conversation that is pruned the blocks stay and their content goes, so a line through the
// content alone would be too steep, and say that more was saved than was. The number of
// blocks is therefore a second variable of the regression.
type Line struct {
	n, x, y, xx, xy float64
	b, bb, xb, by   float64
	minX, maxX      float64
}

// AssumedFloor is the floor for a model without a recorded prompt: a system prompt with
// pi's own tools and a few instructions.
const AssumedFloor Count = 3000

// Add adds a prompt: pi's estimate of its messages, the number of their content blocks, and
// what the provider counted.
func (l *Line) Add(estimate, blocks, counted float64) {
	if l.n == 0 {
		l.minX, l.maxX = estimate, estimate
	}
	l.minX, l.maxX = min(l.minX, estimate), max(l.maxX, estimate)
	l.n, l.x, l.y, l.xx, l.xy = l.n+1, l.x+estimate, l.y+counted, l.xx+estimate*estimate, l.xy+estimate*counted
	l.b, l.bb, l.xb, l.by = l.b+blocks, l.bb+blocks*blocks, l.xb+estimate*blocks, l.by+blocks*counted
}

// slope returns the scale without the part of blocks. While blocks and content grow at one
// pace nothing tells them apart: the less does, the more is the content's, which ridge sees
// to.
func (l *Line) slope() float64 {
	const (
		ridge = 0.02
		most  = 80 // tokens of a block: providers were seen to count 20 to 55
	)
	xx, xy, bb := l.n*l.xx-l.x*l.x, l.n*l.xy-l.x*l.y, l.n*l.bb-l.b*l.b
	xb, by := l.n*l.xb-l.x*l.b, l.n*l.by-l.b*l.y
	perBlock := 0.0
	if d := xx*bb*(1+ridge) - xb*xb; bb > 0 && d > 0 {
		perBlock = max(0, min((xx*by-xb*xy)/d, most))
	}
	return (xy - perBlock*xb) / xx
}

// Fit returns the line: the floor is the size of what precedes the conversation, the scale
// the provider's tokens per estimated token. Prompts of similar size say nothing about the
// scale, which is then 1. Without prompts the floor is 0, unknown.
func (l *Line) Fit() (floor Count, scale float64) {
	const (
		spread    = 2000 // tokens
		low, high = 0.7, 2.5
	)
	if l.n == 0 {
		return 0, 1
	}
	scale = 1
	if l.maxX-l.minX >= spread {
		scale = max(low, min(l.slope(), high))
		if l.y < scale*l.x {
			scale = max(low, min(l.xy/l.xx, high))
		}
	}
	// The cache takes a floor of 0 for one without a prompt: see Cache.hit.
	return max(1, Count(math.Round((l.y-scale*l.x)/l.n))), scale
}
