package session

import (
	"fmt"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

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

// Summarized returns the usage that the entry of a compaction records for its requests,
// whether it records any, and whether pictx made them. A session file may hold anything:
// what is not a number counts as 0.
func Summarized(entry []byte) (c bill.Compaction, known, ours bool) {
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

// compaction returns the compaction whose summary is node; after is the context that begins
// with it.
func (l *loader) compaction(node *message.Node, after []message.Item) (*Compaction, error) {
	raw, err := l.line(node)
	if err != nil {
		return nil, fmt.Errorf("read entry %s: %w", node.ID, err)
	}
	c := &Compaction{Node: node, Plain: PlainCompaction(l.items, after, token.Estimate(&node.Message))}
	c.Sent, c.Known, c.Ours = Summarized(raw)
	if n := len(l.sums); n > 0 {
		c.Tokens = l.sums[n-1].tokens
	}
	return c, nil
}
