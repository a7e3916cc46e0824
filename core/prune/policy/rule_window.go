package policy

import "fmt"

// CodeWindow: pruned, outside the window of the newest calls.
const CodeWindow = "window"

// Window limits the context to the newest tool results, like self-context-manager: the last
// Calls of the current user turn, and those results of the last Turns before it that were
// among the last Calls when their turn ended. A result that left the window never returns.
// Calls of the tools that manage objects do not count. 0 Calls means no window.
type Window struct{ Calls, Turns int }

// SeedWindow is the window of self-context-manager.
func SeedWindow() Window { return Window{Calls: 5, Turns: 3} }

// String describes the results that the window lets stay.
func (w Window) String() string {
	stay := "the last call of this turn"
	if w.Calls > 1 {
		stay = fmt.Sprintf("the last %d calls of this turn", w.Calls)
	}
	switch w.Turns {
	case 0:
		return stay
	case 1:
		return stay + " and of the one before"
	}
	return fmt.Sprintf("%s and of each of the %d before", stay, w.Turns)
}

// Name implements Source.
func (Window) Name() string { return "window" }

// Propose implements Source.
func (w Window) Propose(in *Input) Proposals {
	var out Proposals
	if w.Calls <= 0 {
		return out
	}
	gone := Reason{CodeWindow, "outside the window: " + w.String()}
	turn, later := 0, 0
	results := in.Results()
	for i := len(results) - 1; i >= 0; i-- {
		r := &results[i]
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
