package prune

import (
	"context"
	"strings"
)

// Pin keeps something in a session's context, whoever wants to prune it.
type Pin struct {
	// Target is the id of an entry, or a glob of paths when IsPath is set.
	Target string `json:"target"`
	IsPath bool   `json:"is_path"`
	// Reason is what the user said of it, "" for nothing.
	Reason string `json:"reason,omitempty"`
	// Time is when it was pinned, in Unix milliseconds.
	Time int64 `json:"time"`
}

// PinStore remembers the pins of sessions: the one place where pins are kept.
type PinStore interface {
	// Pins returns the pins of a session.
	Pins(ctx context.Context, session string) ([]Pin, error)
	// AddPin remembers a pin.
	AddPin(ctx context.Context, session string, p Pin) error
	// RemovePin forgets a pin, and tells whether there was one.
	RemovePin(ctx context.Context, session, target string) (bool, error)
}

// PinsOf sorts pins for a Situation.
func PinsOf(list []Pin) Pins {
	var p Pins
	for _, pin := range list {
		if pin.IsPath {
			p.Paths = append(p.Paths, pin.Target)
		} else {
			p.Entries = append(p.Entries, pin.Target)
		}
	}
	return p
}

// LooksLikePath tells whether what somebody wants to pin is a path or a glob of
// paths, and not the id of an entry.
func LooksLikePath(target string) bool {
	return strings.ContainsAny(target, "/*?.[\\~")
}

// LastResult returns the newest tool result of a branch, "" without one: what
// "pin the last" means.
func (b *Branch) LastResult() string {
	for i := len(b.Messages) - 1; i >= 0; i-- {
		if m := b.Messages[i]; m.Head != nil && m.Head.ToolCallID != "" && m.EntryID != "" {
			return m.EntryID
		}
	}
	return ""
}
