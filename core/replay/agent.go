package replay

import (
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
)

// Agent simulates an agent that deactivates tool results when it no longer uses them.
// Recorded sessions hardly ever contain one. This does not measure what a model does, only
// what doing so would cost and save.
//
// An answer with tool calls also deactivates every unpruned tool result of minFinished
// tokens or more to which the last Answers answers did not refer: no call or text named the
// path of the result's call, and no call used text that only the result holds. Each
// deactivation adds a call to that answer, with its output, and a result after it, both of
// which stay in the context. The deactivated result is pruned when the policy's planner
// says so.
type Agent struct {
	// Answers is the number of answers without a reference; 0 disables the agent.
	Answers int
	// Knows makes an ideal agent, which never deactivates what a later call of the session
	// needs: an upper bound, since no real agent knows that.
	Knows bool
	// Tools is the size of the tools that it is given, which are part of every prompt.
	Tools token.Count
}

const (
	// minFinished is the size from which on an agent deactivates a result, as the provider
	// counts.
	minFinished = 500
	// outputPrice is the price of a token of output in uncached input tokens: that of the
	// most expensive provider whose prices are known.
	outputPrice = 8
)

// A deactivation as a session shows it.
const (
	deactivateTool      = "deactivate"
	deactivateArguments = `{"id":"toolcall-0123456789"}`
	deactivateResult    = "toolcall-0123456789 (read commands/replay.go) is inactive (2.4K tok): " +
		"it leaves the context when rewriting the prompt costs less than it saves. activate brings it back."
)

// agent simulates an Agent over a session.
type agent struct {
	rule Agent
	// lastReferred is, by message, the last answer that referred to it or called for it; -1
	// for messages that did not come yet.
	lastReferred []int32
	// lastNeeded is, by message, the last call that needs a text of it, -1 for none.
	lastNeeded []int32
	// deactivations are those of answers, by message. inactive are the results that the
	// answers of the present context deactivated.
	deactivations map[int32]*deactivation
	inactive      map[int32]bool
}

// deactivation is an answer with added calls that deactivate results.
type deactivation struct {
	results []int32
	head    message.Head
	tokens  token.Count
	blocks  int
}

func newAgent(rule Agent, r *Recording) *agent {
	a := &agent{
		rule: rule, deactivations: make(map[int32]*deactivation), inactive: make(map[int32]bool),
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

// deactivationOf returns the deactivations of a message, nil without any.
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

// deactivate lets the answer before a call deactivate results.
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

// collectInactive recomputes what the answers of the context deactivated.
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

// answer returns the message whose calls returned the results that a call adds, -1 when
// there is none or it is not new.
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

// finished returns the results before an answer that the agent deactivates in it.
func (s *run) finished(call, answer int32, cal *Calibration) []int32 {
	a := s.agent
	var out []int32
	for _, m := range s.ctx[:s.at[answer]] {
		h, shown := s.rec.head(m), &s.rec.messages[m]
		switch {
		case h.Role != message.RoleToolResult, h.IsError, shown.marked, policy.Manages(h.ToolName):
		case s.state[m] != nil, a.inactive[m], cal.scaled(shown.tokens) < minFinished:
		case a.lastReferred[m] < 0, int(call-a.lastReferred[m]) < a.rule.Answers:
		case a.rule.Knows && a.lastNeeded[m] > call:
		default:
			out = append(out, m)
		}
	}
	return out
}

// addDeactivations adds deactivations to an answer, and bills their output.
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
	s.view[s.at[answer]] = s.original(answer)
	output := cal.scaled(token.Count(n) * token.OfChars(len(deactivateTool)+len(deactivateArguments)))
	s.bill.cost += outputPrice * float64(output)
	s.whole.Output(output)
}

// inactive adds the simulated deactivations to those that the session recorded.
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

// needsDeactivated reports whether a call needs a text that is only in pruned messages,
// some of which the agent deactivated.
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
