package policy

import (
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/token"
)

const (
	// CodeActive: kept, the agent or a person activated it.
	CodeActive = "active"
	// CodeDeactivated: pruned, the agent or a person deactivated it.
	CodeDeactivated = "deactivated"
	// CodeWindow: pruned, outside the window of the newest calls.
	CodeWindow = "window"
	// minDeactivated is the size in tokens below which a deactivated result stays: a marker
	// would be as long.
	minDeactivated = 2 * markerSize
)

// ManageTools are the tools with which the model manages objects.
func ManageTools() []string { return []string{"activate", "deactivate", "pin", "objects"} }

// Manages reports whether a tool manages objects.
func Manages(tool string) bool { return slices.Contains(ManageTools(), tool) }

// deactivateRule proposes deactivated results. Planner.WithStates adds its source.
var deactivateRule = rule{name: "deactivate", code: CodeDeactivated, marker: ", deactivated"}

// deactivated is the source of deactivateRule, of results of at least min tokens.
func deactivated(min token.Count) Source {
	return Source{deactivateRule.name, func(in *Input, say *Opinions) {
		for i := range in.results {
			r := &in.results[i]
			switch {
			case !r.among(in.Situation.States.Inactive):
			case r.Tokens < min:
				say.Keep(r, Reason{CodeSmall, "deactivated, but a reference would be as long"})
			default:
				say.request(r, Reason{CodeDeactivated, "deactivated"})
			}
		}
	}}
}

// never are the protections that always apply: they keep what the model has not seen,
// failures, results without a call, content other than text and images, and pins.
func never() []Protection {
	return []Protection{keepMarked, keepUnanswered, keepErrors, keepAborted, keepOrphans, keepUnknownContent, keepPinned, keepPinnedPath}
}

// WithStates returns a planner that respects the states of objects. It proposes what was
// deactivated, which only the protections of never keep, and keeps what was activated.
func (p Planner) WithStates() *Planner { return p.withStates(minDeactivated) }

func (p Planner) withStates(min token.Count) *Planner {
	p.Sources = append([]Source{deactivated(min)}, p.Sources...)
	p.Never = never()
	p.Protections = append([]Protection{keepActive}, p.Protections...)
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
	p := Planner{Sources: []Source{{"window", w.propose}}, Protections: never(), When: atLeast(0, ""), Marker: marker, Layout: true}
	return p.withStates(0) // the marker is there anyway
}

// Window limits the context to the newest tool results, like self-context-manager: the last
// Calls of the current user turn, and those results of the last Turns before it that were
// among the last Calls when their turn ended. A result that left the window never returns.
// Calls of the tools that manage objects do not count. 0 Calls means no window.
type Window struct{ Calls, Turns int }

// SeedWindow is the window of self-context-manager.
func SeedWindow() Window { return Window{Calls: 5, Turns: 3} }

// propose is the source of the layout "pools".
func (w Window) propose(in *Input, say *Opinions) {
	if w.Calls <= 0 {
		return
	}
	gone := Reason{CodeWindow, fmt.Sprintf("outside the window: the last %d calls of this turn and of each of the %d before", w.Calls, w.Turns)}
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
			say.Prune(r, gone)
		}
		later++
	}
}
