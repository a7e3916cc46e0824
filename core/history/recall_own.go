package history

import (
	"strings"

	"github.com/coctostan/pictx/core/message"
)

// SearchText returns what is searched of an entry whose line is raw: everything a
// person or the model said or saw, except what searching itself returned, the
// calls that asked for it, and the system prompt, which would be found for every
// word it explains. It is "" for an entry that is not searched.
func SearchText(e *message.Entry, raw []byte) string {
	if e.Message.Role == message.RoleSystem || OwnTool(e.Message.ToolName) {
		return ""
	}
	own := false
	for _, c := range e.Message.Calls {
		own = own || OwnTool(c.Name)
	}
	if own {
		e = withoutOwnCalls(e)
	}
	return string(e.AppendText(nil, raw))
}

// withoutOwnCalls is an answer that made no call of our tools. A call holds the
// words it searches for: it would be the first to be found by the same question,
// and the question would never be loosened.
func withoutOwnCalls(e *message.Entry) *message.Entry {
	rest := *e
	c := &rest.Message.Content
	c.Blocks = nil
	for _, b := range e.Message.Content.Blocks {
		if b.Kind != message.BlockToolCall || !OwnTool(e.Message.Calls[b.Call].Name) {
			c.Blocks = append(c.Blocks, b)
		}
	}
	return &rest
}

// OwnTool tells whether a tool is one of ours that returns history: its results
// are kept and not searched, or every search would find the searches before it.
func OwnTool(name string) bool { return strings.HasPrefix(name, ownPrefix) }

// ownPrefix is what the names of our tools begin with.
const ownPrefix = "lcm_"
