package prune

import "context"

// DecideAt is the part of Decide that plans over a branch in a situation and remembers
// what is pruned.
func DecideAt(ctx context.Context, st MarkStore, b *Branch, p *Planner, sit Situation) (Decision, error) {
	d := Decision{Branch: b}
	if p == nil {
		d.Tell = b.Loose
		return d, nil
	}
	if sit.Text == nil {
		sit.Text = b.Text
	}
	err := d.make(ctx, st.AddMarks, p, sit)
	return d, err
}

// Situation is what a branch knows of the situation of the coming request.
func (b *Branch) Situation(now int64, provider, model string) (Situation, error) {
	return b.situation(now, provider, model)
}

// WithPast adds what happened before the last compaction.
func (b *Branch) WithPast(sit Situation) (Situation, error) { return b.withPast(sit) }
