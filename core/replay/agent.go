package replay

import (
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/token"
)

// Agent is a rule that stands for an agent which deactivates what it is done with.
// Recorded sessions hardly ever have one: this does not measure what a model does,
// only what doing so would cost and save.
//
// An answer that calls tools deactivates, besides, every tool result of minDone tokens
// or more that it sees in full and that nothing referred to in the last Answers
// answers: no call and no text named the path that the result's call was about, and
// no call used what only it holds. Each of these is one more call in that answer,
// with its output, and one more result after it, which stay in the context; what is
// deactivated leaves it when the policy's planner says so.
type Agent struct {
	// Answers is the number of answers; 0 means no agent.
	Answers int
	// Knows is set for one that never deactivates what a later call of the session
	// needs: no agent knows that, it is the best there could be.
	Knows bool
	// Tools is the size of the tools that it is given, which each prompt begins with.
	Tools token.Count
}

const (
	// minFinished is the size from which on an agent deactivates a result, as the provider
	// counts.
	minFinished = 500
	// outputPrice is what a token of output costs, in plain input tokens: that of the
	// most expensive provider whose prices are known.
	outputPrice = 8
)

// What a deactivation looks like in a session.
const (
	deactivateTool      = "deactivate"
	deactivateArguments = `{"id":"toolcall-0123456789"}`
	deactivateResult    = "toolcall-0123456789 (read commands/replay.go) is inactive (2.4K tok): " +
		"it leaves the context when rewriting the prompt costs less than it saves. activate brings it back."
)

// agent follows a session as an Agent would.
type agent struct {
	rule Agent
	rec  *Recording
	// lastReferred is the answer, by call, that last referred to each message, or that
	// called for it; -1 for those that did not come yet.
	lastReferred []int32
	// lastNeeded is the last call that needs a text of each message, -1 for none.
	lastNeeded []int32
	// deactivations are what answers deactivate, by message, and gone what those of the
	// context do.
	deactivations map[int32]*deactivation
	inactive      map[int32]bool
}

// deactivation is an answer with the calls that deactivate in it.
type deactivation struct {
	results []int32
	head    message.Head
	tokens  token.Count
	blocks  int
}

func newAgent(rule Agent, r *Recording) *agent {
	a := &agent{
		rule: rule, rec: r, deactivations: make(map[int32]*deactivation), inactive: make(map[int32]bool),
		lastReferred: make([]int32, len(r.messages)), lastNeeded: make([]int32, len(r.messages)),
	}
	for m := range a.lastReferred {
		a.lastReferred[m], a.lastNeeded[m] = -1, -1
	}
	for i := range r.calls {
		for j := range r.calls[i].tools {
			for _, m := range r.calls[i].tools[j].refers(nil) {
				a.lastNeeded[m] = int32(i)
			}
		}
	}
	return a
}

// deactivationOf returns what a message deactivates, nil for nothing.
func (a *agent) deactivationOf(m int32) *deactivation {
	if a == nil {
		return nil
	}
	return a.deactivations[m]
}

// floor is the size of the system prompt and the tools.
func (s *run) floor(cal *Calibration) token.Count {
	return cal.Floor + s.policy.Agent.Tools
}

// deactivate lets the answer before a call deactivate what it is done with.
func (s *run) deactivate(i int, c *call, cal *Calibration) {
	if s.agent == nil {
		return
	}
	if c.start != Continues {
		s.collectInactive()
	}
	before := int32(i - 1)
	if i > 0 {
		for _, m := range s.rec.calls[before].refers {
			s.agent.lastReferred[m] = before
		}
	}
	if answer := s.answer(c); answer >= 0 {
		if done := s.finished(before, answer, cal); len(done) > 0 {
			s.addDeactivations(answer, done, cal)
		}
	}
	for _, m := range c.add {
		if s.agent.lastReferred[m] < 0 {
			s.agent.lastReferred[m] = before
		}
	}
}

// collectInactive works out again what the answers of the context deactivated.
func (s *run) collectInactive() {
	clear(s.agent.inactive)
	for _, m := range s.ctx {
		if a := s.agent.deactivationOf(m); a != nil {
			for _, r := range a.results {
				s.agent.inactive[r] = true
			}
		}
	}
}

// answer returns the message of the answer that called the tools whose results a call
// adds, -1 when no answer did or it is not new.
func (s *run) answer(c *call) int32 {
	if c.start != Continues {
		return -1
	}
	for _, m := range slices.Backward(c.add) {
		if h := s.rec.head(m); h.Role == message.RoleAssistant && len(h.Calls) > 0 && s.agent.deactivationOf(m) == nil && !unsent(h) {
			return m
		}
	}
	return -1
}

// finished returns the results before an answer that it is done with.
func (s *run) finished(call, answer int32, cal *Calibration) []int32 {
	a := s.agent
	var out []int32
	for _, m := range s.ctx[:s.at[answer]] {
		h, shown := s.rec.head(m), &s.rec.messages[m]
		switch {
		case h.Role != message.RoleToolResult, h.IsError, shown.marked, prune.Manages(h.ToolName):
		case s.state[m] != nil, a.inactive[m], cal.scaled(shown.tokens) < minFinished:
		case a.lastReferred[m] < 0, int(call-a.lastReferred[m]) < a.rule.Answers:
		case a.rule.Knows && a.lastNeeded[m] > call:
		default:
			out = append(out, m)
		}
	}
	return out
}

// addDeactivations puts deactivations into an answer, and bills their output.
func (s *run) addDeactivations(answer int32, results []int32, cal *Calibration) {
	shown := &s.rec.messages[answer]
	n := len(results)
	d := &deactivation{results: results, head: *s.rec.head(answer), blocks: shown.blocks + 2*n}
	d.head.Content.Chars += n * (len(deactivateTool) + len(deactivateArguments) + len(deactivateResult))
	d.head.Content.Blocks = slices.Clone(d.head.Content.Blocks)
	for range 2 * n {
		d.head.Content.Blocks = append(d.head.Content.Blocks, message.Block{Kind: message.BlockText})
	}
	d.tokens = token.Estimate(&d.head)
	s.agent.deactivations[answer] = d
	for _, m := range results {
		s.agent.inactive[m] = true
	}
	s.Deactivated += n
	s.view[s.at[answer]], s.plans.input = s.original(answer), nil
	output := cal.scaled(token.Count(n) * token.OfChars(len(deactivateTool)+len(deactivateArguments)))
	s.bill.cost += outputPrice * float64(output)
	s.whole.Output(output)
}

// inactive adds what the answers of the context deactivated to what the session says
// itself.
func (s *run) inactive(known []string) []string {
	if s.agent == nil {
		return known
	}
	out := slices.Clone(known)
	for _, m := range s.ctx {
		if s.agent.inactive[m] {
			out = append(out, s.rec.entry(m))
		}
	}
	return out
}

// needsDeactivated reports whether a call needs a text that stands only in what is pruned, of
// which the agent deactivated some.
func (s *run) needsDeactivated(t *toolCall) bool {
	for _, needs := range [...][]need{t.old, t.paths} {
		for i := range needs {
			n := &needs[i]
			if s.hidden(n) && slices.ContainsFunc(n.holders, func(m int32) bool { return s.agent.inactive[m] }) {
				return true
			}
		}
	}
	return false
}
