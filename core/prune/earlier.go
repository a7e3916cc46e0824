package prune

import (
	"fmt"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/ledger"
	"github.com/coctostan/pictx/core/token"
)

// Past is what the requests of a session did whose messages have left its context.
type Past struct {
	// Bill is what they were billed.
	Bill bill.Bill
	// Collapsed is how many of them collapsed: see Situation.Collapsed.
	Collapsed int
	// Measured is the regression line through their recorded prompt sizes.
	Measured token.Line

	prices token.Prices
	scale  float64
}

// PastOf returns the past that a context will have once it is compacted: what its own
// requests did, and what the situation knows of those before.
func PastOf(sit Situation, messages []Message) Past {
	in := NewInput(messages)
	in.Situation = sit
	in.Situation.Now, in.Situation.ModelSwitched, in.Situation.Moved = 0, false, false
	a := in.account()
	return Past{a.Bill, sit.Collapsed + a.Collapses, in.Measured(), a.Prices, a.Scale}
}

// withPast adds to the situation what happened on the branch before its last compaction. An
// account that started over would count earlier savings as lost, and a provider whose cache
// missed before will miss again. The bill of a request that a compaction kept counts once;
// its collapse counts on both sides, which errs on the side of caution.
func (b *Branch) withPast(sit Situation) (Situation, error) {
	if b.follower != nil {
		return b.follower.withPast(sit)
	}
	return b.pastOf(sit)
}

// before returns the situation with this past.
func (p *Past) before(sit Situation) Situation {
	sit.Before, sit.Collapsed, sit.Measured = p.Bill, p.Collapsed, p.Measured
	return sit
}

// pastOf is withPast without the follower's cache.
func (b *Branch) pastOf(sit Situation) (Situation, error) {
	with := sit
	for _, node := range b.source.asides() {
		if node.Type != message.EntryCompaction {
			continue
		}
		before, err := NewBranch(b.Session, b.source.tree, node.ParentID, b.source.line, b.stored)
		if err != nil {
			return sit, fmt.Errorf("read what was compacted: %w", err)
		}
		with.PlainFrom = before.source.plainFrom
		past := PastOf(with, before.Messages)
		if err := past.compact(b, before, node); err != nil {
			return sit, err
		}
		with = past.before(with)
	}
	with.PlainFrom = sit.PlainFrom
	return with, nil
}

const (
	// shownResult is how many characters of a tool result plain pi puts into the request
	// for a summary.
	shownResult = 2000
	// askSummary is roughly the size of the instructions in that request.
	askSummary token.Count = 520
)

// PlainCompaction returns the request of plain pi for a summary of written tokens, as pi
// estimates them. It consists of the messages before a compaction that are not in the
// context after it, with long tool results cut, and the previous summary.
func PlainCompaction(before, after []message.Item, written token.Count) bill.Compaction {
	kept := make(map[*message.Node]bool, len(after))
	for _, it := range after {
		kept[it.Node] = true
	}
	c := bill.Compaction{Requests: 1, Input: askSummary, Output: written}
	for _, it := range before {
		h := it.Head
		if it.Edit != nil { // plain pi would send the unedited message
			h = &it.Node.Message
		}
		switch {
		case kept[it.Node], message.Voided(h), h.Excluded:
		case h.Role == message.RoleToolResult:
			c.Input += token.OfChars(min(h.Content.Chars, shownResult))
		default:
			c.Input += token.Estimate(h)
		}
	}
	return c
}

// compact adds the requests of a compaction to the bill before it. The session says what
// was sent. A compaction by the agent itself costs the same with and without pictx.
func (p *Past) compact(b, before *Branch, node *message.Node) error {
	path := b.source.tree.Path(node.ID)
	after := message.WithoutSystem(message.ContextOf(path))
	plain := PlainCompaction(before.source.items, after[ledger.PlainKept(path, after):], token.Estimate(&node.Message))
	plain.Input, plain.Output = token.Count(p.scale*float64(plain.Input)), token.Count(p.scale*float64(plain.Output))
	raw, err := b.source.line(node)
	if err != nil {
		return fmt.Errorf("read entry %s: %w", node.ID, err)
	}
	sent, known, ours := sentFor(raw)
	if !known {
		sent = plain
	}
	if !ours {
		plain = sent
	}
	p.Bill.Compact(p.prices, plain, sent)
	return nil
}

// sentFor returns the usage that the entry of a compaction records for its requests,
// whether it records any, and whether pictx made them. A session file may hold anything:
// what is not a number counts as 0.
func sentFor(entry []byte) (c bill.Compaction, known, ours bool) {
	var p message.Parser
	member := func(object []byte, name string) []byte {
		s, err := p.Member(object, name)
		if object == nil || err != nil {
			return nil
		}
		return s.Of(object)
	}
	usage := member(entry, "usage")
	own := member(member(entry, "details"), "pictx")
	if requests := member(own, "requests"); requests != nil {
		usage = member(own, "usage")
		if string(requests) == "0" { // all summaries existed, or are extracts
			return c, true, true
		}
	}
	if usage == nil {
		return c, false, own != nil
	}
	tokens := func(name string) token.Count { return token.Count(p.TimeMember(usage, name)) }
	c.Read, c.Written, c.Output = tokens("cacheRead"), tokens("cacheWrite"), tokens("output")
	c.Input = tokens("input") + c.Read + c.Written
	return c, c.Input > 0, own != nil
}
