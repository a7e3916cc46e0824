// Package marker writes the text that stands in the place of a pruned tool output, as
// each policy has it, and recognises such texts. A marker is one line; its bytes depend on
// the output and its call alone, so that a prompt stays the same from one request to the
// next. The package must not know rules, prices or sessions.
package marker

import (
	"github.com/coctostan/pictx/core/message"
	plain "github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Result is the tool output that a marker stands for.
type Result struct {
	// Entry is its entry in the session, "" when that is not known.
	Entry string
	// Tool is the name of the tool, Class what the call did.
	Tool  string
	Class tool.Class
	// Call is the call that it belongs to, nil when that is not known.
	Call *message.Call
	// Tokens is the estimate of the output, Images counts its images.
	Tokens token.Count
	Images int
}

// NeedsText reports whether Line says more of the output when it has the text.
func (r Result) NeedsText() bool {
	return r.Class == tool.Read || r.Class == tool.Shell || !IsID(r.Entry)
}

// MaxUnits bounds the markers that Is looks at, in UTF-16 units: name, argument, both
// all escapes, and what is around them.
const MaxUnits = 2*plain.MaxQuoted*6 + 100

// Is reports whether the content of a tool result is a marker of this
// package and nothing else. raw is the bytes that h was parsed from.
func Is(h *message.Head, raw []byte) bool {
	if h == nil || h.Role != message.RoleToolResult || h.Content.Chars > MaxUnits {
		return false
	}
	switch c := &h.Content; {
	case c.Kind == message.ContentText:
		return isMarkerLiteral(c.Span.Of(raw), h.ToolName)
	case c.Kind == message.ContentBlocks && len(c.Blocks) == 1 && c.Blocks[0].Kind == message.BlockText:
		return isMarkerLiteral(c.Blocks[0].Text.Of(raw), h.ToolName)
	}
	return false
}

// isMarkerLiteral reports whether a JSON string is a marker of a result of the tool,
// of any policy.
func isMarkerLiteral(literal []byte, tool string) bool {
	return isSeedLiteral(literal, tool) || isLineLiteral(literal, tool) || isKotaLiteral(literal, tool)
}
