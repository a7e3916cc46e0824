package prune

import (
	"context"
	"fmt"
)

// MarkStore remembers the marks of sessions.
type MarkStore interface {
	// Marks returns the marks of a session, in no order.
	Marks(ctx context.Context, session string) ([]Mark, error)
	// AddMarks remembers marks of a session, in one transaction.
	AddMarks(ctx context.Context, session string, marks []Mark) error
}

// Decision is a plan for a branch, and what the agent has to be told because of
// it.
type Decision struct {
	Plan
	// Tell are the marks whose results the agent's session shows unpruned: those
	// just made, and those that it never heard of.
	Tell []Mark
	// New counts the marks just made.
	New int
}

// DecideAt plans over a branch, remembers what it decides, and returns it. Nothing
// is decided that could not be remembered. A nil planner decides nothing new:
// what was decided stays in force.
func DecideAt(ctx context.Context, st MarkStore, b *Branch, p *Planner, sit Situation) (Decision, error) {
	d := Decision{Tell: b.Loose}
	if p == nil {
		return d, nil
	}
	if sit.Text == nil {
		sit.Text = b.Text
	}
	d.Plan = p.PlanAt(sit, b.Messages)
	var made []Mark
	for _, e := range d.Edits {
		if e.EntryID == "" { // no entry yet: it is decided when it has one
			continue
		}
		made = append(made, Mark{
			EntryID: e.EntryID, Leaf: b.Leaf, Marker: e.Marker, Source: e.Source, Reason: e.Reason.Code,
			Tokens: e.Tokens, MarkerTokens: e.MarkerTokens, Time: sit.Now,
		})
	}
	if len(made) == 0 {
		return d, nil
	}
	if err := st.AddMarks(ctx, b.Session, made); err != nil {
		return Decision{}, fmt.Errorf("remember what is pruned: %w", err)
	}
	d.Tell, d.New = append(d.Tell[:len(d.Tell):len(d.Tell)], made...), len(made)
	return d, nil
}
