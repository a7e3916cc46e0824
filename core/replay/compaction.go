package replay

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
)

// compaction is what writing the summary of a recorded compaction costs, as pi's
// estimate counts tokens: the way plain pi asks for it, and the way pictx does. What a
// model would have written for pictx is not known: it is taken to be as long as what was
// recorded, or as long as pictx lets it be if that is less.
type compaction struct {
	plain, own bill.Compaction
}

// compactionOf returns what the compaction that put node first cost. before is the
// context that it ended.
func (l *loader) compactionOf(node *message.Node, before, after []message.Item) *compaction {
	written := token.Estimate(&node.Message)
	c := &compaction{plain: prune.PlainCompaction(before, after, written)}
	b, err := summary.ReadBranch(l.tree, node.ParentID, node.FirstKept, summary.LimitsFor(summary.Options{}, 0), l.line)
	if err != nil { // what it kept is not on the branch: it is asked for as plain pi does
		c.own = c.plain
		return c
	}
	p := b.PlanOf(nil, summary.Options{}, true)
	c.own = bill.Compaction{Requests: p.Calls, Input: p.Input + summary.Instructions*token.Count(p.Calls), Output: min(p.Output, written)}
	return c
}

// scaledCompaction converts estimates.
func (c *Calibration) scaledCompaction(k bill.Compaction) bill.Compaction {
	k.Input, k.Output = c.scaled(k.Input), c.scaled(k.Output)
	return k
}
