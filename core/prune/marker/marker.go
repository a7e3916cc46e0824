// Package marker writes the text that replaces pruned tool output, in the form of each
// policy, and recognizes such texts. A marker is one line. Its bytes depend only on the
// output and its call, so that a prompt stays the same from one request to the next.
// The package must not know rules, prices or sessions.
package marker

import (
	"github.com/coctostan/pictx/core/message"
	plain "github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Result is the tool output that a marker replaces.
type Result struct {
	// Entry is its session entry, "" when unknown.
	Entry string
	// Tool is the name of the tool, Class the kind of its call.
	Tool  string
	Class tool.Class
	// Call is the call that it answers, nil when unknown.
	Call *message.Call
	// Tokens is the estimated size of the output, Images the number of its images.
	Tokens token.Count
	Images int
}

// NeedsText reports whether Line can say more about the output when it is given the
// text.
func (r Result) NeedsText() bool {
	return r.Class == tool.Read || r.Class == tool.Shell || !IsID(r.Entry)
}

// MaxUnits bounds the length of a marker in UTF-16 units: a name and an argument, both
// consisting of escapes, and the fixed text around them.
const MaxUnits = 2*plain.MaxQuoted*6 + 100

// Is reports whether the content of a tool result is exactly one marker of this
// package. raw is the bytes that h was parsed from.
func Is(h *message.Head, raw []byte) bool {
	if h == nil || h.Content.Chars > MaxUnits {
		return false
	}
	said := literal(h, raw)
	return isSeedLiteral(said, h.ToolName) || isLineLiteral(said, h.ToolName) || isKotaLiteral(said, h.ToolName)
}

// literal returns the JSON string that is the whole content of a tool result, nil when that is
// more than one text.
func literal(h *message.Head, raw []byte) []byte {
	if h == nil || h.Role != message.RoleToolResult {
		return nil
	}
	switch c := &h.Content; {
	case c.Kind == message.ContentText:
		return c.Span.Of(raw)
	case c.Kind == message.ContentBlocks && len(c.Blocks) == 1 && c.Blocks[0].Kind == message.BlockText:
		return c.Blocks[0].Text.Of(raw)
	}
	return nil
}
