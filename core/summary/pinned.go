package summary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// mostPinned is how much of the pinned outputs a compaction carries over.
const mostPinned token.Count = 4000

// Pinned returns the section of a compaction with the tool results that the user pinned and that
// it removes: of a file the newest, whatever compactions came before. Results for which there is
// no room are returned as left, by their ids. pins reports whether a result is pinned.
func (b *Branch) Pinned(pins func(entry string, a tool.Access) bool) (section string, left []string, err error) {
	calls := make(map[string]*message.Call)
	for i := range len(b.Units) + len(b.kept) {
		h := &b.at(i).Message
		for j := range h.Calls {
			calls[h.Calls[j].ID] = &h.Calls[j]
		}
	}
	room, seen := mostPinned, make(map[string]bool)
	var out []string // newest first
	for i := len(b.Units) + len(b.kept) - 1; i >= 0; i-- {
		n := b.at(i)
		call := calls[n.Message.ToolCallID]
		if call == nil || n.Message.Role != message.RoleToolResult || n.Message.IsError {
			continue
		}
		a := tool.AccessOf(call.Name, call.Arguments, b.dir)
		if !pins(n.ID, a) || a.Path != "" && seen[a.Path] {
			continue
		}
		seen[a.Path] = true
		if i >= len(b.Units) { // it stays
			continue
		}
		raw, err := b.line(n)
		if err != nil {
			return "", nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		body := fence.Plain(string(n.AppendBody(nil, raw)))
		if token.OfText(body) > room {
			left = append(left, n.ID)
			continue
		}
		room -= token.OfText(body)
		out = append(out, fmt.Sprintf("%s %s (%s):\n%s\n", fence.OneLine(call.Name, 40), fence.OneLine(tool.MainArgument(call.Arguments), 200), fence.OneLine(n.ID, 40), fence.Block(body)))
	}
	if len(out) == 0 {
		return "", left, nil
	}
	slices.Reverse(out)
	return "\n### Pinned by the user, as it was read\n\n" + strings.Join(out, "\n"), left, nil
}
