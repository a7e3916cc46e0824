package policy

import (
	"github.com/coctostan/pictx/core/message"
)

// callIndex finds the call that each result of a conversation answers. The zero callIndex is ready
// for use.
type callIndex struct {
	visited int                      // messages looked at
	calls   map[int]*message.Call    // by the position of the result
	latest  map[string]*message.Call // by the id of the call
}

// of returns the call that the tool result at an index of messages answers, nil when there
// is none. It is the nearest preceding call with the result's id: providers that count
// their calls reuse ids, and other messages, even assistant messages, may stand between a
// call and its result.
func (c *callIndex) of(messages []Message, index int) *message.Call {
	if c.calls == nil {
		c.calls, c.latest = make(map[int]*message.Call), make(map[string]*message.Call)
	}
	for ; c.visited < len(messages); c.visited++ {
		h := messages[c.visited].Head
		if h == nil {
			continue
		}
		switch h.Role {
		case message.RoleAssistant:
			for j := range h.Calls {
				c.latest[h.Calls[j].ID] = &h.Calls[j]
			}
		case message.RoleToolResult:
			if call := c.latest[h.ToolCallID]; call != nil {
				c.calls[c.visited] = call
			}
		}
	}
	return c.calls[index]
}
