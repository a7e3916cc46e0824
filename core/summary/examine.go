package summary

import "context"

// Condition is what is wrong with the summaries of a session's branch, and what could
// be better.
type Condition struct {
	// Gaps counts the messages between leaves that no leaf stands for. After the last
	// leaf there are always some: they are still in the agent's context.
	Gaps int
	// Overlaps counts the leaves whose messages another leaf stands for in part. A
	// leaf in whose place another stands is none.
	Overlaps int
	// Stale counts the leaves that were made from something that was changed since,
	// and that have no others in their place yet.
	Stale int
	// Extracts are the keys of the nodes that stand and that no model wrote.
	Extracts []string
}

// Examine looks over the summaries of a session's branch.
func Examine(ctx context.Context, st Reader, session string) (Condition, error) {
	t, line, err := Tree(ctx, st, session)
	if err != nil {
		return Condition{}, err
	}
	b, err := ReadBranch(t, t.Leaf(), "", 0, line)
	if err != nil {
		return Condition{}, err
	}
	nodes, err := st.Summaries(ctx, session)
	if err != nil {
		return Condition{}, err
	}
	return b.Condition(nodes), nil
}

// Condition looks over how nodes lie on the branch.
func (b *Branch) Condition(nodes []Node) Condition {
	cover := b.Cover(nodes)
	c := Condition{Overlaps: b.open(cover, nodes, Replaced), Stale: b.open(cover, nodes, Stale), Extracts: extractKeys(cover.Roots)}
	for _, g := range cover.Gaps {
		if g[1] < len(b.Units) {
			c.Gaps += g[1] - g[0]
		}
	}
	return c
}

// open counts the leaves of a state for whose messages no others stand, or not for all
// of them.
func (b *Branch) open(c *Cover, nodes []Node, state State) int {
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

func extractKeys(nodes []*PlacedNode) []string {
	var out []string
	for _, p := range nodes {
		if p.Kind == Extract {
			out = append(out, p.Key)
		}
		out = append(out, extractKeys(p.Children)...)
	}
	return out
}
