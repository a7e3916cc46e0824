package policy

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/token"
)

// Trim says what to remove from an assistant message: its thinking, and long texts that its
// calls replaced in files. Text and calls stay, so that every result keeps its call.
type Trim struct {
	Thinking bool
	// Calls are the calls that lose what they replaced.
	Calls []TrimmedCall
}

// TrimmedCall is a call by its index in Head.Calls.
type TrimmedCall struct {
	Call int
	// Saves is roughly how many tokens that saves.
	Saves token.Count
}

// empty reports whether nothing is removed.
func (t Trim) empty() bool { return !t.Thinking && len(t.Calls) == 0 }

// find returns the index in t.Calls of a call, -1 when that call is not trimmed.
func (t Trim) find(call int) int {
	return slices.IndexFunc(t.Calls, func(c TrimmedCall) bool { return c.Call == call })
}

// removable returns roughly how many tokens a trim removes from a message.
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

// savedBy returns roughly how many tokens trimming the arguments of a call removes from a
// message, whose bytes are raw. It is often 0: the call wrote a new file and replaced
// nothing, every text is short, or the call is trimmed already.
func savedBy(h *message.Head, raw []byte, c TrimmedCall, entry string) token.Count {
	for _, b := range h.Content.Blocks {
		if b.Kind == message.BlockToolCall && b.Call == c.Call {
			arguments := b.Text.Of(raw)
			return token.OfChars(len(arguments)) - token.OfChars(len(marker.WithoutReplaced(arguments, entry)))
		}
	}
	return 0
}

// content returns the trimmed content of an assistant message, whose bytes are raw: a JSON
// array in which the remaining blocks are unchanged, byte for byte. It reports false when
// the content is not valid for such a message.
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
		b.Write(marker.WithoutReplaced(block.Text.Of(raw), entry))
		b.Write(raw[block.Text.End : h.Content.Span.Start+s.End])
	}
	b.WriteByte(']')
	return b.String(), true
}
