package prune

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/token"
)

// Trim says what of an answer of the model goes: its thinking, and arguments of its
// calls. Text and calls stay, so that every result keeps its call.
type Trim struct {
	Thinking bool
	// Calls are the calls whose arguments lose long texts.
	Calls []TrimmedCall
}

// TrimmedCall is a call by its place in Head.Calls.
type TrimmedCall struct {
	Call int
	// Old is set when only the texts go that the call replaced.
	Old bool
	// Saves is about how many tokens that takes from the answer.
	Saves token.Count
}

// empty reports whether nothing goes.
func (t Trim) empty() bool { return !t.Thinking && len(t.Calls) == 0 }

// plus returns what either of two trims takes.
func (t Trim) plus(u Trim) Trim {
	out := Trim{Thinking: t.Thinking || u.Thinking, Calls: slices.Clone(t.Calls)}
	for _, c := range u.Calls {
		switch at := out.find(c.Call); {
		case at < 0:
			out.Calls = append(out.Calls, c)
		case !c.Old:
			out.Calls[at] = c
		}
	}
	return out
}

// find returns the place in t.Calls of a call, -1 when it stays as it is.
func (t Trim) find(call int) int {
	return slices.IndexFunc(t.Calls, func(c TrimmedCall) bool { return c.Call == call })
}

// removable is about how many tokens a trim takes from an answer.
func (t Trim) removable(h *message.Head) token.Count {
	var n token.Count
	if t.Thinking {
		n = token.OfChars(h.Content.Thinking)
	}
	for _, c := range t.Calls {
		n += c.Saves
	}
	return n
}

// savedBy is about how many tokens an answer, whose bytes are raw, gets smaller when the
// arguments of a call are trimmed. Often it is none: a file was written that nothing stood in
// before, every text is short, or they are trimmed already.
func savedBy(h *message.Head, raw []byte, c TrimmedCall, entry string) token.Count {
	for _, b := range h.Content.Blocks {
		if b.Kind == message.BlockToolCall && b.Call == c.Call {
			arguments := b.Text.Of(raw)
			return token.OfChars(len(arguments)) - token.OfChars(len(marker.ShortArguments(arguments, entry, c.Old)))
		}
	}
	return 0
}

// content returns the content of an answer, whose bytes are raw, without what goes: a
// JSON array whose other blocks are as they were, byte for byte. It is false when the
// content is not what such a message has.
func (t Trim) content(h *message.Head, raw []byte, entry string) (string, bool) {
	array := h.Content.Span.Of(raw)
	var p message.Parser
	spans, err := p.Elements(array)
	if err != nil || len(spans) != len(h.Content.Blocks) {
		return "", false
	}
	var b strings.Builder
	b.WriteByte('[')
	for i, s := range spans {
		block := h.Content.Blocks[i]
		if t.Thinking && block.Kind == message.BlockThinking {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		start := h.Content.Span.Start + s.Start
		at := t.find(block.Call)
		if block.Kind != message.BlockToolCall || at < 0 {
			b.Write(s.Of(array))
			continue
		}
		b.Write(raw[start:block.Text.Start])
		b.Write(marker.ShortArguments(block.Text.Of(raw), entry, t.Calls[at].Old))
		b.Write(raw[block.Text.End : h.Content.Span.Start+s.End])
	}
	b.WriteByte(']')
	return b.String(), true
}

// trimmed returns an answer with other content.
func trimmed(m Message, entryID, content string, was token.Count, since int) (Message, bool) {
	var p message.Parser
	got, err := p.ParseMessage(append(append([]byte(`{"role":"assistant","content":`), content...), '}'))
	if err != nil || m.Head == nil || m.Head.Role != message.RoleAssistant {
		return m, false
	}
	h := *m.Head
	h.Content, h.Calls = got.Content, got.Calls
	return Message{EntryID: entryID, Head: &h, Was: append(m.Was[:len(m.Was):len(m.Was)], Form{Tokens: was, Blocks: message.Blocks(m.Head), Until: since})}, true
}

// replaced returns a message with a marker, or other content, in the place of its own.
func replaced(m Message, entryID, by string, was token.Count, since int) Message {
	if m.Head != nil && m.Head.Role == message.RoleAssistant && marker.IsContent(by) {
		if t, ok := trimmed(m, entryID, by, was, since); ok {
			return t
		}
		return m
	}
	return marked(m, entryID, by, was, since)
}
