package replay

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/ledger"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
)

// HistoryTools is the maximum size of the tools that bring text back, in tokens of every
// request that declares them.
const HistoryTools token.Count = 300

// fetchOutput is the output of a request that only asks for a text, in tokens.
const fetchOutput token.Count = 100

// declare starts to declare the history tools once they can be useful, because something
// was pruned or compacted. That changes the start of every prompt, so it waits for a
// request of which nothing is cached. A compaction leaves the system prompt and the tools
// in the cache.
func (s *run) declare(c *call, free bool) {
	s.useful = s.useful || s.present > 0 || c.start == AfterCompaction
	if s.policy.Planner == nil || len(s.declared) > 0 || !s.useful || !free {
		return
	}
	s.declared = []bill.Declared{{Since: c.time, Tools: HistoryTools}}
}

// compact bills the summary of a compaction before a call.
func (s *run) compact(c *call, cal *Calibration) {
	if c.compaction == nil {
		return
	}
	plain, own := cal.scaledCompaction(c.compaction.plain), cal.scaledCompaction(c.compaction.own)
	if s.policy.Planner == nil {
		own = plain
	}
	s.whole.Compact(plain, own)
}

// roomFor returns how much more than the recorded one a compaction would have kept. pi
// keeps the newest messages up to a size that it measures in its own context, so pruned
// messages leave room for older ones, of which the context had before tokens. A stateless
// policy prunes each request after pi has measured.
func roomFor(s *run, c *call, before token.Count) token.Count {
	if c.keep > 0 {
		return s.room
	}
	if c.start != AfterCompaction || s.policy.Stateless {
		return 0
	}
	room, dropped := token.Count(0), before+s.room
	for _, m := range c.add[1:] {
		if m > c.add[0] { // newer than the summary
			break
		}
		left := s.rec.messages[m].tokens
		if k := s.state[m]; k != nil {
			room += left - k.tokens
			left = k.tokens
		}
		dropped -= left
	}
	return max(0, min(room, dropped))
}

// plainPrompt returns the prompt of plain pi, whose first messages, up to keep, equal those
// of the previous call.
func (s *run) plainPrompt(c *call, cal *Calibration, keep int, switched bool) token.Prompt {
	s.plain, s.plainBlocks = s.plain[:keep+1], s.plainBlocks[:keep+1]
	for n, m := range s.ctx[keep:] {
		f := &s.rec.messages[m]
		s.plain = append(s.plain, s.plain[keep+n]+f.tokens)
		s.plainBlocks = append(s.plainBlocks, s.plainBlocks[keep+n]+f.blocks)
	}
	n := len(s.ctx)
	return token.Prompt{
		Time: c.time, Floor: cal.Floor, New: switched, Blocks: s.plainBlocks[n],
		Tokens: cal.scaled(s.plain[n]), Same: cal.scaled(s.plain[keep]),
	}
}

// charge adds a request to the whole bill. plain is the prompt of plain pi; p is that of
// the policy, whose first messages, up to first, equal those of the previous call.
func (s *run) charge(plain, p token.Prompt, first int, cal *Calibration) {
	a := bill.Added{Declared: bill.DeclaredAt(s.declared, p.Time), Markers: cal.scaled(s.marked[len(s.ctx)])}
	p.Floor += a.Declared.Tokens()
	for _, e := range s.extras {
		a.Fetched += e.tokens
		p.Tokens += e.tokens
		p.Blocks += 2
		if e.pos <= first {
			p.Same += e.tokens
		}
	}
	s.whole.Request(plain, p, a)
}

// compaction is the cost of the summary of a recorded compaction, as pi estimates tokens:
// requested the way plain pi does, and the way pictx does. The length of pictx's summary is
// not known; it is assumed to be the recorded length, limited to what pictx allows.
type compaction struct {
	plain, own bill.Compaction
}

// compactionOf returns the cost of the compaction whose summary is node. before is the
// context that it ended.
func (l *loader) compactionOf(node *message.Node, before, after []message.Item) *compaction {
	written := token.Estimate(&node.Message)
	c := &compaction{plain: ledger.PlainCompaction(before, after, written)}
	b, err := summary.ReadBranch(l.tree, node.ParentID, node.FirstKept, summary.LimitsFor(summary.Options{}, 0), l.line)
	if err != nil { // what it kept is not on the branch: assume the request of plain pi
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
