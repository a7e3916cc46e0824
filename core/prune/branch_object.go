package prune

import (
	"fmt"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Unmark undoes pruning in the messages of the branch, as the basis of another layout. Call
// it before Align.
func (b *Branch) Unmark() {
	for i := range b.Messages {
		if !b.Messages[i].Marked {
			continue
		}
		it := b.items[i]
		b.Messages[i] = policy.Message{EntryID: it.Node.ID, Head: &it.Node.Message}
	}
	b.Untold = nil
}

// Original returns the head and bytes of the message of an entry as they were before
// pruning.
func (b *Branch) Original(entry string) (message.Head, []byte, error) {
	for _, n := range b.path {
		if n.ID != entry || n.Type != message.EntryMessage {
			continue
		}
		line, err := b.line(n)
		if err != nil {
			return message.Head{}, nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		raw := append([]byte(nil), n.Body.Of(line)...)
		var p message.Parser
		h, err := p.ParseMessage(raw)
		return h, raw, err
	}
	return message.Head{}, nil, fmt.Errorf("read entry %s: it is not on the branch", entry)
}

// Shown is a tool result of a branch.
type Shown struct {
	// Index is its position in Branch.Messages.
	Index int
	// Entry is its entry, Call the provider's id of its call.
	Entry, Call string
	Tool        string
	// Title names the tool and its main argument, as markers do.
	Title  string
	Failed bool
	// Pruned is set when a marker replaces it.
	Pruned bool
	// Tokens is its estimated size before pruning.
	Tokens token.Count
	// Access is what the call did to a file.
	Access tool.Access
}

// Shown lists the tool results in the context, oldest first. cwd is the directory of
// relative paths.
func (b *Branch) Shown(cwd string) []Shown {
	in := policy.NewInput(b.Messages, policy.Situation{})
	before := make(map[string]token.Count, len(b.pruned))
	for _, p := range b.pruned {
		before[p.EntryID] = p.Tokens
	}
	var out []Shown
	for i := range b.Messages {
		m := &b.Messages[i]
		if m.Head == nil || m.Head.Role != message.RoleToolResult || m.EntryID == "" {
			continue
		}
		s := Shown{
			Index: i, Entry: m.EntryID, Call: m.Head.ToolCallID, Tool: m.Head.ToolName, Failed: m.Head.IsError,
			Pruned: m.Marked, Tokens: token.Estimate(m.Head),
		}
		if was, pruned := before[m.EntryID]; pruned {
			s.Tokens = was
		}
		call := in.Call(i)
		s.Title = marker.Title(s.Tool, call)
		if call != nil {
			s.Access = tool.AccessOf(call.Name, call.Arguments, cwd)
		}
		out = append(out, s)
	}
	return out
}
