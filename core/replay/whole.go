package replay

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
)

// HistoryTools is what the tools that bring text back may cost at most, in tokens of
// every request that declares them.
const HistoryTools token.Count = 300

// fetchOutput is the output of a request that only asks for a text, in tokens.
const fetchOutput token.Count = 100

// declare begins to declare the history tools once they can be of use: when something
// was pruned or compacted. That changes what every prompt begins with, so it waits for a
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

// roomFor returns how much more than the recording a compaction would have kept: pi keeps
// the newest messages up to a size, and measures them as they are in its context. What of
// them was pruned leaves room for older messages, of which there were before tokens in
// the context. A policy without memory prunes in each request, which pi does not see when
// it measures.
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

// plainPrompt is what plain pi sends, whose first messages, up to keep, are as in the
// call before.
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

// charge bills a request whole: plain is what plain pi sends, p what the policy does,
// whose first messages, up to first, are as in the call before.
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
