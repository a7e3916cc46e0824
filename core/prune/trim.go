package prune

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Trim says what of an answer of the model goes: its thinking, and arguments of its
// calls. Text and calls stay, so that every result keeps its call.
type Trim struct {
	Thinking bool
	// Calls are the places in Head.Calls of those whose long arguments go, Old those of
	// calls of which only the text goes that they replaced.
	Calls, Old []int
}

// empty reports whether nothing goes.
func (t Trim) empty() bool { return !t.Thinking && len(t.Calls)+len(t.Old) == 0 }

// plus returns what either of two trims takes.
func (t Trim) plus(u Trim) Trim {
	t.Thinking = t.Thinking || u.Thinking
	t.Calls = append(t.Calls[:len(t.Calls):len(t.Calls)], u.Calls...)
	t.Old = append(t.Old[:len(t.Old):len(t.Old)], u.Old...)
	return t
}

const (
	// longArgument is the length in bytes of JSON from which on a text among the
	// arguments of a call is replaced.
	longArgument = 200
	// shortArgument is about the size of what stands in its place.
	shortArgument token.Count = 20
)

// removable is about how many tokens a trim takes from an answer.
func (t Trim) removable(h *message.Head) token.Count {
	var n token.Count
	if t.Thinking {
		n += token.OfChars(h.Content.Thinking)
	}
	for _, b := range h.Content.Blocks {
		if b.Kind != message.BlockToolCall {
			continue
		}
		switch size := token.OfChars(b.Text.End - b.Text.Start); {
		case slices.Contains(t.Calls, b.Call):
			n += max(0, size-2*shortArgument)
		case slices.Contains(t.Old, b.Call): // what replaces a text is about as long
			n += max(0, size/2-shortArgument)
		}
	}
	return n
}

// takes reports whether arguments of a call go.
func (t Trim) takes(call int) bool {
	return slices.Contains(t.Calls, call) || slices.Contains(t.Old, call)
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
		if block.Kind != message.BlockToolCall || !t.takes(block.Call) {
			b.Write(s.Of(array))
			continue
		}
		b.Write(raw[start:block.Text.Start])
		b.Write(shortArguments(block.Text.Of(raw), entry, !slices.Contains(t.Calls, block.Call)))
		b.Write(raw[block.Text.End : h.Content.Span.Start+s.End])
	}
	b.WriteByte(']')
	return b.String(), true
}

// shortArguments returns the arguments of a call with their long texts replaced, or only
// the old texts that it replaced itself: the same members in the same order.
func shortArguments(raw []byte, entry string, old bool) []byte {
	return message.ReplaceStrings(raw, func(member string, literal []byte) (string, bool) {
		if len(literal) < longArgument || old && !tool.IsOldText(member) {
			return "", false
		}
		return argumentMarker(token.OfChars(len(literal)), entry), true
	})
}

// argumentMarker stands in the place of a long argument.
func argumentMarker(n token.Count, entry string) string {
	text := fmt.Sprintf("[pruned: %s that this call wrote", marker.About(n))
	if marker.IsID(entry) {
		text += marker.Pointer + entry
	}
	return text + "]"
}

// isContent reports whether what replaces a message is the content itself, as JSON, and
// not the text of a marker.
func isContent(marker string) bool { return marker == "[]" || strings.HasPrefix(marker, "[{") }

// contentOf is the JSON value that puts a marker in the place of a message's content.
func contentOf(marker string) []byte {
	if isContent(marker) {
		return []byte(marker)
	}
	return message.TextContent(marker)
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
func replaced(m Message, entryID, marker string, was token.Count, since int) Message {
	if m.Head != nil && m.Head.Role == message.RoleAssistant && isContent(marker) {
		if t, ok := trimmed(m, entryID, marker, was, since); ok {
			return t
		}
		return m
	}
	return marked(m, entryID, marker, was, since)
}
