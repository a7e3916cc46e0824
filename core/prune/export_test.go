package prune

import (
	"context"

	"github.com/coctostan/pictx/core/prune/policy"
)

// DecideAt is the part of Decide that plans over a branch in a situation and remembers
// what is pruned, 77 ms after the epoch.
func DecideAt(ctx context.Context, st MarkStore, b *Branch, p *policy.Planner, sit policy.Situation) (Decision, error) {
	d := Decision{Branch: b}
	if p == nil {
		d.Tell = b.Untold
		return d, nil
	}
	if sit.Text == nil {
		sit.Text = b.textOf
	}
	err := d.plan(ctx, st, p, sit, 77)
	return d, err
}

// Situation is what a branch knows of the situation of the coming request.
func (b *Branch) Situation(m Moment) (policy.Situation, error) { return b.situation(&m) }
