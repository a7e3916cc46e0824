// Package calls finds the calls that tool results answer. It must not know why a result is
// pruned.
package calls

import (
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/ledger"
)

// Index finds the call that each result of a conversation answers. The zero Index is ready
// for use.
type Index struct {
	visited int                      // messages looked at
	of      map[int]*message.Call    // by the position of the result
	latest  map[string]*message.Call // by the id of the call
}

// Of returns the call that the tool result at an index of messages answers, nil when there
// is none. It is the nearest preceding call with the result's id: providers that count
// their calls reuse ids, and other messages, even assistant messages, may stand between a
// call and its result.
func (c *Index) Of(messages []ledger.Message, index int) *message.Call {
	if c.of == nil {
		c.of, c.latest = make(map[int]*message.Call), make(map[string]*message.Call)
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
				c.of[c.visited] = call
			}
		}
	}
	return c.of[index]
}
