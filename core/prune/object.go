package prune

import (
	"slices"

	"github.com/coctostan/pictx/core/token"
)

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
