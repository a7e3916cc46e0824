package summary

import "context"

// Condition counts the faults in the summaries of a session's branch, and what could be
// better.
type Condition struct {
	// Gaps counts the messages between leaves that no leaf covers. Those after the last
	// leaf do not count: they are still in the agent's context.
	Gaps int
	// Overlaps counts the leaves that other leaves cover in part. A leaf that was
	// replaced as a whole does not count.
	Overlaps int
	// Stale counts the leaves whose sources changed, and that were not replaced yet.
	Stale int
	// Extracts are the keys of the current nodes that no model wrote.
	Extracts []string
}

// Examine works out the condition of the summaries of a session's branch.
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

// Condition works out the condition of nodes on the branch.
func (b *Branch) Condition(nodes []Node) Condition {
	cover := b.Cover(nodes)
	c := Condition{Overlaps: b.uncovered(cover, nodes, Replaced), Stale: b.uncovered(cover, nodes, Stale), Extracts: extractKeys(cover.Roots)}
	for _, g := range cover.Gaps {
		if g[1] < len(b.Units) {
			c.Gaps += g[1] - g[0]
		}
	}
	return c
}

// uncovered counts the leaves of a state whose messages no other leaves cover in full.
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

// extractKeys lists the extracts among nodes and those below them, but for those that
// a model's summary stands above: the reader has that.
func extractKeys(nodes []*PlacedNode) []string {
	var out []string
	for _, p := range nodes {
		if p.Kind == Extract {
			out = append(append(out, p.Key), extractKeys(p.Children)...)
		}
	}
	return out
}
