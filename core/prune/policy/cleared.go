package policy

import (
	"slices"

	"github.com/coctostan/pictx/core/message"
)

// CodeCleared: trimmed, thinking behind something that changes.
const CodeCleared = "cleared"

// clearedRule provides the words about thinking that an edit before it would invalidate.
var clearedRule = rule{
	name: "cleared", code: CodeCleared, report: "thinking behind a change, which had become invalid",
}

// withCleared adds to candidates the thinking of every response behind the first change, be
// it a candidate or what has changed before (Situation.Changed). Models bind thinking to all
// that precedes it. If one block were left, the provider would drop it or refuse the request,
// and every later one with it.
func (in *Input) withCleared(candidates []*Candidate) []*Candidate {
	first := len(in.Messages)
	if in.Situation.Changed > 0 {
		first = in.Situation.Changed
	}
	if len(candidates) > 0 {
		first = min(first, candidates[0].Index)
	}
	return in.withClearedFrom(first, candidates)
}

// withClearedFrom is withCleared for thinking from a position on.
func (in *Input) withClearedFrom(first int, candidates []*Candidate) []*Candidate {
	for i := first; i < len(in.Messages); i++ {
		if !in.binds(i) {
			continue
		}
		at, found := slices.BinarySearchFunc(candidates, i, func(c *Candidate, i int) int { return c.Index - i })
		if found {
			candidates[at].Trim.Thinking = true
			continue
		}
		c := &Candidate{Result: in.resultAt(i), Source: clearedRule.name, Reason: Reason{CodeCleared, "thinking behind a change"}, Trim: Trim{Thinking: true}}
		candidates = slices.Insert(candidates, at, c)
	}
	return candidates
}

// binds reports whether the message at an index has thinking that is bound to what precedes
// it and can be removed.
func (in *Input) binds(index int) bool {
	h := in.Messages[index].Head
	return in.Situation.Message != nil && Clearable(h) && (in.Situation.Bound == nil || in.Situation.Bound(h))
}

// Clearable reports whether a message has thinking that can be removed. Where ids and
// signatures of its other parts refer to that, as with OpenAI's Responses, it has to stay: such
// a provider leaves invalid thinking out itself.
func Clearable(h *message.Head) bool {
	return h != nil && h.Role == message.RoleAssistant && !message.Voided(h) && h.Content.ThinkingBlocks() > 0 && !signed(h)
}

// WithoutThinking returns the content of an assistant message, whose bytes are raw, without its
// thinking. It reports false when the message has no content of blocks.
func WithoutThinking(h *message.Head, raw []byte) (string, bool) {
	return Trim{Thinking: true}.content(h, raw, "")
}

// signed reports whether ids or signatures in the text or calls of a response refer to its
// thinking, so that a provider may reject it without that.
func signed(h *message.Head) bool {
	return slices.ContainsFunc(h.Content.Blocks, func(b message.Block) bool {
		return b.Signed || b.Kind == message.BlockToolCall && slices.Contains([]byte(h.Calls[b.Call].ID), '|')
	})
}
