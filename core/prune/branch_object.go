package prune

import (
	"fmt"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Unmark takes what was pruned back, in these messages alone: what another layout is
// made of. It has to be called before Align.
func (b *Branch) Unmark() {
	for i := range b.Messages {
		if !b.Messages[i].Marked {
			continue
		}
		it := b.source.items[i]
		b.Messages[i] = Message{EntryID: it.Node.ID, Head: &it.Node.Message}
	}
	b.Loose = nil
}

// Original returns the bytes of the message of an entry as it was before anything was
// pruned, and the head that belongs to them.
func (b *Branch) Original(entry string) (message.Head, []byte, error) {
	for _, n := range b.source.path {
		if n.ID != entry || n.Type != message.EntryMessage {
			continue
		}
		line, err := b.source.line(n)
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
	// Entry is its entry, Call the id that the provider gave its call.
	Entry, Call string
	Tool        string
	// Title names the tool and what it was asked for, as markers do.
	Title  string
	Failed bool
	// Pruned is set when a marker stands in its place.
	Pruned bool
	// Tokens is the estimate of the result, as it was before.
	Tokens token.Count
	// Access is what the call did to a file.
	Access tool.Access
}

// Shown lists the tool results that are in the context, oldest first. Relative paths
// start from cwd.
func (b *Branch) Shown(cwd string) []Shown {
	in := NewInput(b.Messages)
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
		if m.Marked {
			s.Tokens = m.Original(s.Tokens)
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
