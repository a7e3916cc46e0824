package summary

import "context"

// Examine counts the uncovered messages between the leaves of a session's branch. Those after
// the last leaf do not count: they are still in the agent's context.
func Examine(ctx context.Context, st Reader, session string) (int, error) {
	t, line, err := Tree(ctx, st, session)
	if err != nil {
		return 0, err
	}
	b, err := ReadBranch(t, t.Leaf(), "", Limits{}, line)
	if err != nil {
		return 0, err
	}
	nodes, err := st.Summaries(ctx, session)
	if err != nil {
		return 0, err
	}
	return b.Holes(nodes), nil
}

// Holes counts the uncovered messages between the leaves among some nodes.
func (b *Branch) Holes(nodes []Node) (n int) {
	for _, g := range b.Cover(nodes).Gaps {
		if g[1] < len(b.Units) {
			n += g[1] - g[0]
		}
	}
	return n
}
