package summary

import "context"

// Condition counts the faults of the summaries of a session's branch, and what could be
// improved.
type Condition struct {
	// Gaps is the number of uncovered messages between leaves. Those after the last leaf do
	// not count: they are still in the agent's context.
	Gaps int
	// Overlaps is the number of leaves that other leaves partly cover. A leaf that was
	// replaced as a whole does not count.
	Overlaps int
	// Stale is the number of leaves whose sources changed and that were not replaced yet.
	Stale int
}

// Examine determines the condition of the summaries of a session's branch.
func Examine(ctx context.Context, st Reader, session string) (Condition, error) {
	t, line, err := Tree(ctx, st, session)
	if err != nil {
		return Condition{}, err
	}
	b, err := ReadBranch(t, t.Leaf(), "", Limits{}, line)
	if err != nil {
		return Condition{}, err
	}
	nodes, err := st.Summaries(ctx, session)
	if err != nil {
		return Condition{}, err
	}
	return b.Condition(nodes), nil
}

// Condition determines the condition of nodes on the branch.
func (b *Branch) Condition(nodes []Node) Condition {
	cover := b.Cover(nodes)
	c := Condition{Overlaps: b.uncovered(cover, nodes, Replaced), Stale: b.uncovered(cover, nodes, Stale)}
	for _, g := range cover.Gaps {
		if g[1] < len(b.Units) {
			c.Gaps += g[1] - g[0]
		}
	}
	return c
}

// uncovered counts the leaves of a state whose messages other leaves do not fully cover.
func (b *Branch) uncovered(c *Cover, nodes []Node, state State) int {
	n := 0
	for i := range nodes {
		if nodes[i].Depth != 0 || c.States[nodes[i].Key] != state {
			continue
		}
		start, ok := b.locate(nodes[i].Sources)
		if !ok {
			continue
		}
		end, covered := start+len(nodes[i].Sources), 0
		for _, l := range c.Leaves {
			covered += max(0, min(end, l.End)-max(start, l.Start))
		}
		if covered < end-start {
			n++
		}
	}
	return n
}

// extracts lists the extracts among nodes and those below them, except below a model's
// summary, which the reader sees instead.
func extracts(nodes []*PlacedNode) []*PlacedNode {
	var out []*PlacedNode
	for _, p := range nodes {
		if p.Kind == Extract {
			out = append(append(out, p), extracts(p.Children)...)
		}
	}
	return out
}
