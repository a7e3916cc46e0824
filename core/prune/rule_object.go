package prune

import (
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/token"
)

// The codes of what is said of objects.
const (
	CodeDeactivated = "deactivated" // pruned: the agent or a person deactivated it
	CodeWindow      = "window"      // pruned: outside the newest calls
	CodeActive      = "active"      // kept: the agent or a person activated it
	CodeRecent      = "recent"      // kept: within the newest calls
)

// minDeactivated is the size in tokens below which a result stays although it was deactivated: a
// reference would be as long.
const minDeactivated = 2 * markerSize

// deactivateRule proposes what was deactivated. Planner.WithStates adds its source.
var deactivateRule = rule{
	name: "deactivate", code: CodeDeactivated, words: words{marker: ", deactivated"},
}

// windowRule proposes what has left the window, where the settings have one.
var windowRule = rule{name: "window", code: CodeWindow, source: windowSource, optional: true}

func windowSource(s AutoSettings) Source {
	if s.Window.Calls <= 0 {
		return nil
	}
	return s.Window
}

// deactivateSource proposes what was deactivated, if it has at least min tokens.
type deactivateSource struct{ min token.Count }

// Name implements Source.
func (deactivateSource) Name() string { return deactivateRule.name }

// Propose implements Source.
func (d deactivateSource) Propose(in *Input) Proposals {
	var out Proposals
	off := in.Situation.States.Inactive
	if len(off) == 0 {
		return out
	}
	for i := range in.results {
		r := &in.results[i]
		switch {
		case r.Message.EntryID == "" || !slices.Contains(off, r.Message.EntryID):
		case r.Tokens < d.min:
			out.Keep = append(out.Keep, Refusal{r.Index, Reason{CodeSmall, "deactivated, but a reference would be as long"}})
		default:
			out.Prune = append(out.Prune, Proposal{Index: r.Index, Reason: Reason{CodeDeactivated, "deactivated"}, Requested: true})
		}
	}
	return out
}

// Window is how many of the newest tool results stay in full, as
// self-context-manager has it: the last Calls of the current user turn, and those
// of the last Turns before it, which had to be among the last Calls of their turn
// when that ended. What has left the window does not come back into it. Calls of
// the tools that manage objects do not count. 0 Calls means no window.
type Window struct{ Calls, Turns int }

// SeedWindow is the window of self-context-manager.
func SeedWindow() Window { return Window{Calls: 5, Turns: 3} }

// ManageTools are the tools with which the model manages objects.
func ManageTools() []string { return []string{"activate", "deactivate", "pin", "objects"} }

// Manages reports whether a tool manages objects.
func Manages(tool string) bool { return slices.Contains(ManageTools(), tool) }

// Name implements Source.
func (Window) Name() string { return "window" }

// Propose implements Source.
func (w Window) Propose(in *Input) Proposals {
	var out Proposals
	if w.Calls <= 0 {
		return out
	}
	gone := Reason{CodeWindow, fmt.Sprintf("outside the last %d calls of its turn and the last %d turns", w.Calls, w.Turns)}
	turn, later := 0, 0
	for i := len(in.results) - 1; i >= 0; i-- {
		r := &in.results[i]
		if r.Turns != turn {
			turn, later = r.Turns, 0
		}
		if Manages(r.Message.Head.ToolName) {
			continue
		}
		if later >= w.Calls || r.Turns > w.Turns {
			out.Prune = append(out.Prune, Proposal{Index: r.Index, Reason: gone})
		}
		later++
	}
	return out
}

// KeepActive keeps what was activated.
func KeepActive(in *Input, r Result) (Reason, bool) {
	why := Reason{CodeActive, "activated"}
	return why, r.Message.EntryID != "" && slices.Contains(in.Situation.States.Active, r.Message.EntryID)
}

// never are the protections that hold whoever asks: what the model has not answered,
// failures, results without their call, what is not text and images, pins.
func never() []Protection {
	return []Protection{KeepMarked, KeepUnanswered, KeepErrors, KeepAborted, KeepOrphans, KeepUnknownContent, KeepPinned}
}

// WithStates returns the planner with the states of objects: what was deactivated is
// proposed, and held back only by the protections that hold whoever asks; what was
// activated stays.
func (p Planner) WithStates() *Planner { return p.withStates(minDeactivated) }

func (p Planner) withStates(min token.Count) *Planner {
	p.Sources = append([]Source{deactivateSource{min}}, p.Sources...)
	p.Never = never()
	p.Protections = append([]Protection{KeepActive}, p.Protections...)
	return &p
}

// NewDeactivated returns the planner of a session in which nothing is pruned by itself:
// what is deactivated goes when the policy "auto" finds that it pays.
func NewDeactivated(s AutoSettings) *Planner {
	p := NewAuto(s)
	p.Sources = nil
	return p.WithStates()
}

// NewPools returns the planner of the layout "pools". Its edits are the results that
// are inactive; it acts on every call, because in that layout nothing is cheaper
// later. Automatic pruning takes no part. marker writes what stands in the place of
// every result, active or not.
func NewPools(w Window, marker Marker) *Planner {
	p := Planner{Sources: []Source{w}, Protections: never(), When: always, Marker: marker}
	return p.withStates(0) // the reference is there anyway
}
