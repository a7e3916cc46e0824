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

// plainCompaction returns the request of plain pi for a summary of written tokens, as pi
// estimates them. It consists of the messages before a compaction that are not in the
// context after it, with long tool results cut, and the previous summary.
func plainCompaction(before, after []message.Item, written token.Count) bill.Compaction {
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

// summarized returns the usage that the entry of a compaction records for its requests,
// whether it records any, and whether pictx made them. A session file may hold anything:
// what is not a number counts as 0.
func summarized(entry []byte) (c bill.Compaction, known, ours bool) {
	usage, own := memberOf(entry, "usage"), memberOf(entry, "details", "pictx")
	if requests := memberOf(own, "requests"); requests != nil {
		usage = memberOf(own, "usage")
		if string(requests) == "0" { // all summaries existed, or are extracts
			return c, true, true
		}
	}
	if usage == nil {
		return c, false, own != nil
	}
	var p message.Parser
	tokens := func(name string) token.Count { return token.Count(p.TimeMember(usage, name)) }
	c.Read, c.Written, c.Output = tokens("cacheRead"), tokens("cacheWrite"), tokens("output")
	c.Input = tokens("input") + c.Read + c.Written
	return c, c.Input > 0, own != nil
}

// memberOf returns the value of a member of an object, by names from the outermost, nil when
// there is none.
func memberOf(object []byte, names ...string) []byte {
	var p message.Parser
	for _, name := range names {
		s, err := p.Member(object, name)
		if err != nil {
			return nil
		}
		object = s.Of(object)
	}
	return object
}

// compaction returns the compaction whose summary is node; after is the context that begins
// with it.
func (l *loader) compaction(node *message.Node, after []message.Item) (*Compaction, error) {
	raw, err := l.line(node)
	if err != nil {
		return nil, fmt.Errorf("read entry %s: %w", node.ID, err)
	}
	c := &Compaction{Node: node, Plain: plainCompaction(l.items, after, token.Estimate(&node.Message))}
	c.Sent, c.Known, c.Ours = summarized(raw)
	c.Tokens = l.sent.all().tokens
	return c, nil
}

// fold is an extract by pictx in place of the beginning of a context. Plain pi would have gone on
// with all of it.
type fold struct {
	plain []int32 // the messages that plain pi sends in its place
}

// folded returns the fold with which a context begins, nil for none. Where plain pi stands is taken
// from the request before.
func (l *loader) folded(items []message.Item) (*fold, error) {
	if len(items) < 2 || items[0].Node.Type != message.EntryCompaction {
		return nil, nil
	}
	if f, known := l.folds[items[0].Node]; known {
		return f, nil
	}
	raw, err := l.line(items[0].Node)
	if err != nil {
		return nil, fmt.Errorf("read entry %s: %w", items[0].Node.ID, err)
	}
	l.folds[items[0].Node] = nil
	if string(memberOf(raw, "details", "pictx", "fold")) != "true" {
		return nil, nil
	}
	for i, m := range l.plain {
		if l.Messages[m].Item.Node == items[1].Node {
			l.folds[items[0].Node] = &fold{append([]int32(nil), l.plain[:i]...)}
			break
		}
	}
	return l.folds[items[0].Node], nil
}

// plainKept returns the position of the first message after the summary of a compaction
// that plain pi would have kept, 0 in a context that does not begin with a compaction.
//
// pi keeps the newest messages up to a size that it measures in its own context. If that
// was pruned before the compaction, pi keeps more messages than plain pi would, which must
// not be billed for the difference. Messages that an agent prunes in each request, not in
// its session, had their full size when pi measured.
func plainKept(path []*message.Node, items []message.Item) int {
	if len(items) == 0 || items[0].Node.Type != message.EntryCompaction {
		return 0
	}
	before := make(map[*message.Node]bool)
	for _, n := range path {
		if n == items[0].Node {
			break
		}
		before[n] = true
	}
	var room token.Count
	end := 1
	for ; end < len(items) && before[items[end].Node]; end++ {
		it := &items[end]
		if it.Edit != nil && before[it.Edit] {
			room += token.Estimate(it.Head)
		} else {
			room += token.Estimate(&it.Node.Message)
		}
	}
	cut := end
	for sum := token.Count(0); cut > 1 && sum < room; sum += token.Estimate(&items[cut].Node.Message) {
		cut--
	}
	for cut > 1 && cut < end-1 && items[cut].Head.Role == message.RoleToolResult { // a result stays with its call
		cut++
	}
	return cut
}
