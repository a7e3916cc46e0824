package prune

import (
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
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
		it := b.source.items[i]
		b.Messages[i] = Message{EntryID: it.Node.ID, Head: &it.Node.Message}
	}
	b.Untold = nil
}

// Original returns the head and bytes of the message of an entry as they were before
// pruning.
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

// CodeActive: kept, the agent or a person activated it.
const CodeActive = "active"

// ManageTools are the tools with which the model manages objects.
func ManageTools() []string { return []string{"activate", "deactivate", "pin", "objects"} }

// Manages reports whether a tool manages objects.
func Manages(tool string) bool { return slices.Contains(ManageTools(), tool) }

// KeepActive keeps what was activated.
func KeepActive(in *Input, r Result) (Reason, bool) {
	why := Reason{CodeActive, "activated"}
	return why, r.Message.EntryID != "" && slices.Contains(in.Situation.States.Active, r.Message.EntryID)
}

// never are the protections that always apply: they keep what the model has not seen,
// failures, results without a call, content other than text and images, and pins.
func never() []Protection {
	return []Protection{KeepMarked, KeepUnanswered, KeepErrors, KeepAborted, KeepOrphans, KeepUnknownContent, KeepPinned}
}

// WithStates returns a planner that respects the states of objects. It proposes what was
// deactivated, which only the protections of never keep, and keeps what was activated.
func (p Planner) WithStates() *Planner { return p.withStates(minDeactivated) }

func (p Planner) withStates(min token.Count) *Planner {
	p.Sources = append([]Source{deactivateSource{min}}, p.Sources...)
	p.Never = never()
	p.Protections = append([]Protection{KeepActive}, p.Protections...)
	return &p
}

// NewDeactivated returns the planner of a session without automatic pruning: deactivated
// results are pruned when the policy "auto" finds that it pays.
func NewDeactivated(s AutoSettings) *Planner {
	p := NewAuto(s)
	p.Sources = nil
	return p.WithStates()
}

// NewPools returns the planner of the layout "pools". Its edits are the inactive results.
// It acts on every request, because waiting makes nothing cheaper in that layout, and does
// not prune automatically. marker writes the replacement of every result, active or not.
func NewPools(w Window, marker Marker) *Planner {
	p := Planner{Sources: []Source{w}, Protections: never(), When: always, Marker: marker}
	return p.withStates(0) // the marker is there anyway
}
