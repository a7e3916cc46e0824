package policy

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
	p := Planner{Sources: []Source{w}, Protections: never(), When: always, Marker: marker, Layout: true}
	return p.withStates(0) // the marker is there anyway
}
