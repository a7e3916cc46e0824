package replay

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
)

// compaction is what writing the summary of a recorded compaction costs, as pi's
// estimate counts tokens: the way plain pi asks for it, and the way pictx does.
type compaction struct {
	plain, own bill.Compaction
}

const (
	// shownResult is how much of a tool result plain pi puts into the request for a
	// summary, in characters.
	shownResult = 2000
	// askSummary and askOwn are about the size of the instructions of one such request.
	askSummary, askOwn token.Count = 520, 360
)

// compactionOf returns what the compaction that put node first cost. before is the
// context that it ended.
func (l *loader) compactionOf(node *message.Node, before, after []message.Item) (*compaction, error) {
	written := token.Estimate(&node.Message)
	c := &compaction{plain: plainCompaction(before, after, written)}
	b, err := summary.ReadBranch(l.tree, node.ParentID, node.FirstKept, summary.LimitsFor(summary.Options{}, 0), l.line)
	if err != nil { // what it kept is not on the branch: it is asked for as plain pi does
		c.own = c.plain
		return c, nil
	}
	p := b.PlanOf(nil, summary.Options{}, true)
	c.own = bill.Compaction{Requests: p.Calls, Input: p.Input + askOwn*token.Count(p.Calls), Output: p.Output}
	return c, nil
}

// plainCompaction is the request of plain pi: the conversation that goes, with long tool
// results cut, and the summary before it.
func plainCompaction(before, after []message.Item, written token.Count) bill.Compaction {
	kept := make(map[*message.Node]bool, len(after))
	for _, it := range after {
		kept[it.Node] = true
	}
	c := bill.Compaction{Requests: 1, Input: askSummary, Output: written}
	for _, it := range before {
		switch h := it.Head; {
		case kept[it.Node], unsent(h), h.Excluded:
		case h.Role == message.RoleToolResult:
			c.Input += token.OfChars(min(h.Content.Chars, shownResult))
		default:
			c.Input += token.Estimate(h)
		}
	}
	return c
}

// scaledCompaction converts estimates.
func (c *Calibration) scaledCompaction(k bill.Compaction) bill.Compaction {
	k.Input, k.Output = c.scaled(k.Input), c.scaled(k.Output)
	return k
}
