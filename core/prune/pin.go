package prune

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/session"
)

// Pin keeps something in a session's context, whoever wants to prune it. Pins are entries
// of the session, so that every branch, fork and machine has its own. A pin that was made
// outside the agent is in the store until the session carries it.
type Pin struct {
	// Target is the id of an entry or, with IsPath, a glob of paths.
	Target string `json:"target"`
	IsPath bool   `json:"is_path"`
	// Reason is the user's explanation, which may be "".
	Reason string `json:"reason,omitempty"`
	// Time is when it was pinned, in Unix milliseconds.
	Time int64 `json:"time"`
	// Removed is set in a record that unpins Target.
	Removed bool `json:"removed,omitempty"`
}

// PinsEntry is the type of the custom entry that carries pins in a session.
const PinsEntry = session.PinsEntry

// PinsData is the data of a PinsEntry. A later entry of the branch overrides earlier ones.
type PinsData struct {
	Pins []Pin `json:"pins"`
	// Restored are pruned results that are shown again from this entry on.
	Restored []string `json:"restored,omitempty"`
}

// PinReader knows what was pinned and unpinned outside the agent.
type PinReader interface {
	// Pins returns the pins of a session, oldest first, with those that unpin.
	Pins(ctx context.Context, session string) ([]Pin, error)
}

// PinsOf sorts pins by kind for a Situation.
func PinsOf(list []Pin) policy.Pins {
	var p policy.Pins
	for _, pin := range list {
		switch {
		case pin.IsPath && !pin.Removed:
			p.Paths = append(p.Paths, pin.Target)
		case pin.IsPath: // an unpinned path needs no record: no rule keeps paths by default
		case pin.Removed:
			p.Released = append(p.Released, pin.Target)
		default:
			p.Entries = append(p.Entries, pin.Target)
		}
	}
	return p
}

// InForce returns the pins without those that were removed.
func InForce(latest []Pin) []Pin {
	return slices.DeleteFunc(slices.Clone(latest), func(p Pin) bool { return p.Removed })
}

// PathTarget returns the pin target that matches exactly this file, with glob characters
// escaped.
func PathTarget(file string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`).Replace(file)
}

// LooksLikePath reports whether the target of a pin is a path or glob rather than the id of
// an entry.
func LooksLikePath(target string) bool {
	return strings.ContainsAny(target, "/*?.[\\~")
}

// LastResult returns the entry of the newest tool result of a branch, "" without one: what
// "pin the last" refers to.
func (b *Branch) LastResult() string {
	return b.lastResult(func(*message.Head) bool { return true })
}

// LastSummary returns the entry of the newest result of a tool that answers with a summary,
// "" without one. Running such a tool again may give another summary.
func (b *Branch) LastSummary() string {
	return b.lastResult(func(h *message.Head) bool { return slices.Contains(summaries(), h.ToolName) && !h.IsError })
}

// summaries are the tools whose results are summaries.
func summaries() []string { return []string{"kota_impact", "kota_task_context"} }

func (b *Branch) lastResult(is func(*message.Head) bool) string {
	for i := len(b.Messages) - 1; i >= 0; i-- {
		if m := b.Messages[i]; m.Head != nil && m.Head.ToolCallID != "" && m.EntryID != "" && is(m.Head) {
			return m.EntryID
		}
	}
	return ""
}

// LatestPins returns the latest record of every target on the branch, oldest first, with those that
// were removed. stored are the pins of the store. Those that are on no branch of the session apply
// here too and are returned in carry, for the session to carry from now on.
func (b *Branch) LatestPins(stored []Pin) (latest, carry []Pin, err error) {
	log, err := b.pinsOf(b.asides())
	if err != nil {
		return nil, nil, err
	}
	if len(stored) > 0 {
		all, err := b.pinsOf(b.customs())
		if err != nil {
			return nil, nil, err
		}
		carry = missingFrom(all, stored)
	}
	return latestPerTarget(append(log, carry...)), carry, nil
}

// customs are the custom entries of all branches of the session, asides those on this one, with
// all others that are neither messages nor edits of messages.
func (b *Branch) customs() []*message.Node {
	if b.tree == nil {
		return nil
	}
	return b.tree.Customs()
}

func (b *Branch) asides() []*message.Node {
	if b.tree == nil {
		return nil
	}
	return b.tree.Asides(b.Leaf)
}

// pinsOf returns the pins that entries carry.
func (b *Branch) pinsOf(entries []*message.Node) ([]Pin, error) {
	var out []Pin
	for _, n := range entries {
		if n.Type != message.EntryCustom || n.Message.CustomType != PinsEntry {
			continue
		}
		raw, err := b.line(n)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		out = append(out, parsePins(raw)...)
	}
	return out, nil
}

// sameTarget reports whether two pins have the same target.
func sameTarget(a, b Pin) bool { return a.Target == b.Target && a.IsPath == b.IsPath }

// missingFrom returns the elements of stored without an equally recent record in known.
func missingFrom(known, stored []Pin) []Pin {
	var out []Pin
	for _, s := range stored {
		if !slices.ContainsFunc(known, func(k Pin) bool { return sameTarget(k, s) && k.Time >= s.Time }) {
			out = append(out, s)
		}
	}
	return out
}

// latestPerTarget returns the latest record of each target. A target that is pinned again
// after it was unpinned moves to the end.
func latestPerTarget(log []Pin) []Pin {
	var out []Pin
	for _, p := range log {
		i := slices.IndexFunc(out, func(o Pin) bool { return sameTarget(o, p) })
		switch {
		case i < 0:
			out = append(out, p)
		case out[i].Removed == p.Removed:
			out[i] = p
		default:
			out = append(slices.Delete(out, i, i+1), p)
		}
	}
	return out
}

// parsePins reads a PinsEntry. It ignores what this package would not write: a session file
// may hold anything.
func parsePins(entry []byte) []Pin {
	var e struct {
		Data PinsData `json:"data"`
	}
	_ = json.Unmarshal(entry, &e) // members of another type stay empty
	for i := range e.Data.Pins {
		e.Data.Pins[i].Time = max(0, e.Data.Pins[i].Time)
	}
	return slices.DeleteFunc(e.Data.Pins, func(p Pin) bool { return p.Target == "" })
}
