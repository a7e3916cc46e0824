package prune

import (
	"fmt"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/ledger"
	"github.com/coctostan/pictx/core/token"
)

// Past is what the calls of a session did whose messages are not in its context
// any more.
type Past struct {
	// Bill is what they were billed.
	Bill bill.Bill
	// Collapsed counts those of them that Situation.Collapsed is about.
	Collapsed int
	// Measured is the line through what was recorded of their prompts.
	Measured token.Line

	prices token.Prices
	scale  float64
}

// PastOf is what the past of a context will be once it is compacted: what its own
// calls did, and what the situation knows of those before.
func PastOf(sit Situation, messages []Message) Past {
	in := NewInput(messages)
	in.Situation = sit
	in.Situation.Now, in.Situation.ModelSwitched, in.Situation.Moved = 0, false, false
	a := in.account()
	return Past{a.Bill, sit.Collapsed + a.Collapses, in.Measured(), a.Prices, a.Scale}
}

// withPast returns the situation with what happened on the branch before its last
// compaction: an account that started over would count what was saved as lost, and a
// provider whose cache did not keep what the prices promise will not keep it
// afterwards. The bill of a call that a compaction kept counts once, a collapse on
// both sides, which errs on the careful one.
func (b *Branch) withPast(sit Situation) (Situation, error) {
	if b.follower != nil {
		return b.follower.withPast(sit)
	}
	return b.pastOf(sit)
}

// before returns a situation with what it knows of the past.
func (p *Past) before(sit Situation) Situation {
	sit.Before, sit.Collapsed, sit.Measured = p.Bill, p.Collapsed, p.Measured
	return sit
}

// pastOf is withPast, worked out from the entries.
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
	// shownResult is how much of a tool result plain pi puts into the request for a
	// summary, in characters.
	shownResult = 2000
	// askSummary is about the size of its instructions.
	askSummary token.Count = 520
)

// PlainCompaction is the request of plain pi for a summary of so many tokens, as pi's
// estimate counts them: the conversation before a compaction that is not in the one after
// it, with long tool results cut, and the summary before it.
func PlainCompaction(before, after []message.Item, written token.Count) bill.Compaction {
	kept := make(map[*message.Node]bool, len(after))
	for _, it := range after {
		kept[it.Node] = true
	}
	c := bill.Compaction{Requests: 1, Input: askSummary, Output: written}
	for _, it := range before {
		h := it.Head
		if it.Edit != nil { // pictx or somebody else made it shorter
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

// compact adds the requests of a compaction to what was billed before it. What was sent is
// what the session says; a compaction of the agent's own costs the same on both sides.
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

// sentFor returns what the entry of a compaction says of its requests, whether it says
// that, and whether they were pictx's. Anything may stand in a session file: what is no
// number counts nothing.
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
		if string(requests) == "0" { // every summary was there, or is an extract
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
