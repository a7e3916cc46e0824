package token

import (
	"unicode/utf8"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// Count is a number of tokens, as pi estimates them.
type Count int

const (
	// charsPerToken is pi's rule of thumb.
	charsPerToken = 4
	// imageChars is what pi counts for an image, whatever its size.
	imageChars = 4800
)

// String formats the count with en-US digit grouping, as in 12,500, regardless of the
// locale: it is part of markers, whose bytes must be the same everywhere.
func (c Count) String() string { return text.Thousands(c) }

// OfChars estimates a text of that many UTF-16 units: a quarter, rounded up.
func OfChars(chars int) Count {
	return Count((chars + charsPerToken - 1) / charsPerToken)
}

// OfText estimates a text.
func OfText(s string) Count { return OfChars(text.Units(s)) }

// Estimate is pi's estimateTokens for a message. It is exact for messages of text and
// images: user, custom, tool result. Parts of which a head has only the location (a call's
// arguments, a summary, the output of a "!" command) count with their length in JSON, so
// escapes make those slightly larger than pi's. An unknown role counts 0, as in pi, and so
// does a nil head.
func Estimate(h *message.Head) Count {
	if h == nil {
		return 0
	}
	switch h.Role {
	case message.RoleUser, message.RoleToolResult, message.RoleCustom, message.RoleSystem:
		return OfChars(h.Content.Chars + imageChars*h.Content.Images)
	case message.RoleAssistant:
		return OfChars(h.Content.Chars + h.Content.Thinking + callChars(h))
	case message.RoleBashExecution:
		return OfChars(literalChars(h.Command) + literalChars(h.Body))
	case message.RoleBranchSummary, message.RoleCompactionSummary:
		return OfChars(literalChars(h.Body))
	}
	return 0
}

// callChars is the length of the names and arguments of an assistant message's tool calls.
func callChars(h *message.Head) int {
	n := 0
	for _, b := range h.Content.Blocks {
		if b.Kind == message.BlockToolCall && b.Call < len(h.Calls) {
			n += utf8.RuneCountInString(h.Calls[b.Call].Name) + b.Text.End - b.Text.Start
		}
	}
	return n
}

// literalChars is the length of a JSON string literal without its quotes.
func literalChars(s message.Span) int { return max(0, s.End-s.Start-2) }
