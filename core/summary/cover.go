package summary

import (
	"cmp"
	"context"
	"slices"
)

// State says whether a node applies to a branch.
type State string

// The states of nodes.
const (
	// Current nodes apply to the branch.
	Current State = "current"
	// Stale nodes were made from sources that have changed since.
	Stale State = "stale"
	// Replaced nodes were replaced by others.
	Replaced State = "replaced"
	// Elsewhere nodes belong to other branches.
	Elsewhere State = "elsewhere"
)

// PlacedNode is a node on a branch.
type PlacedNode struct {
	*Node
	// Start and End are the half-open range of units that it covers.
	Start, End int
	// Children are the nodes it was made from; a leaf has none.
	Children []*PlacedNode
	planned  bool // still to be made
	hidden   bool // below a model's summary, which the reader sees instead
}

// Cover is which messages of a branch each node covers.
type Cover struct {
	// Leaves are all leaves in order, without overlap.
	Leaves []*PlacedNode
	// Roots are the nodes that are not part of another, in order.
	Roots []*PlacedNode
	// Gaps are the ranges [start, end) of units that no leaf covers.
	Gaps [][2]int
	// States are the states of all nodes, by key.
	States map[string]State
	nodes  []Node
}

// Depth is the depth of the deepest root.
func (c *Cover) Depth() int {
	d := 0
	for _, r := range c.Roots {
		d = max(d, r.Depth)
	}
	return d
}

// Covered is how many messages the leaves cover.
func (c *Cover) Covered() (n int) {
	for _, l := range c.Leaves {
		n += l.End - l.Start
	}
	return n
}

// Cover computes which nodes apply to the branch, whatever their order.
func (b *Branch) Cover(nodes []Node) *Cover {
	c := &Cover{States: make(map[string]State, len(nodes)), nodes: nodes}
	c.Leaves = b.placeLeaves(c.States, nodes)
	c.Roots = c.Leaves
	for depth, more := 1, true; more; depth++ {
		c.Roots, more = place(c.Roots, nodes, depth)
		c.setStates(depth)
	}
	c.setCurrent(c.Roots, false)
	at := 0
	for _, l := range append(c.Leaves[:len(c.Leaves):len(c.Leaves)], &PlacedNode{Start: len(b.Units)}) {
		if l.Start > at {
			c.Gaps = append(c.Gaps, [2]int{at, l.Start})
		}
		at = l.End
	}
	return c
}

// placeLeaves places the leaves whose sources are on the branch and unchanged, and sets the
// states of the others.
func (b *Branch) placeLeaves(states map[string]State, nodes []Node) []*PlacedNode {
	var fit []*PlacedNode
	for i := range nodes {
		n := &nodes[i]
		if n.Depth != 0 {
			continue
		}
		start, ok := b.locate(n.Sources)
		switch end := start + len(n.Sources); {
		case !ok:
			states[n.Key] = Elsewhere
		case n.Hash != "" && b.rangeHash(start, end) != n.Hash:
			states[n.Key] = Stale
		default:
			states[n.Key] = Replaced // until it turns out to be current
			fit = append(fit, &PlacedNode{Node: n, Start: start, End: end})
		}
	}
	return pick(fit)
}

// pick returns those of some nodes that do not overlap, in order: of two, the one that a
// model wrote, the earlier or the longer.
func pick(fit []*PlacedNode) (out []*PlacedNode) {
	slices.SortFunc(fit, func(a, z *PlacedNode) int {
		return cmp.Or(cmp.Compare(z.Kind, a.Kind), cmp.Compare(a.Start, z.Start), cmp.Compare(z.End, a.End), cmp.Compare(a.Key, z.Key))
	})
	for _, p := range fit {
		if !slices.ContainsFunc(out, func(q *PlacedNode) bool { return p.Start < q.End && q.Start < p.End }) {
			out = append(out, p)
		}
	}
	return inOrder(out)
}

// inOrder sorts nodes by where they begin.
func inOrder(nodes []*PlacedNode) []*PlacedNode {
	slices.SortFunc(nodes, func(a, z *PlacedNode) int { return cmp.Compare(a.Start, z.Start) })
	return nodes
}

// locate returns the position of a sequence of entries on the branch.
func (b *Branch) locate(ids []string) (int, bool) {
	if len(ids) == 0 {
		return 0, false
	}
	start, ok := b.index[ids[0]]
	if !ok || start+len(ids) > len(b.Units) {
		return 0, false
	}
	for i, id := range ids {
		if b.Units[start+i].ID != id {
			return 0, false
		}
	}
	return start, true
}

// setCurrent marks nodes and those below them as current.
func (c *Cover) setCurrent(nodes []*PlacedNode, hidden bool) {
	for _, p := range nodes {
		c.States[p.Key], p.hidden = Current, hidden
		c.setCurrent(p.Children, hidden || p.Kind == Model)
	}
}

// place replaces roots by the nodes of a depth that were made from them, and reports
// whether nodes of that depth exist.
func place(roots []*PlacedNode, nodes []Node, depth int) (placed []*PlacedNode, exist bool) {
	at := make(map[string]int, len(roots))
	for i, r := range roots {
		at[r.Key] = i
	}
	var fit []*PlacedNode
	for i := range nodes {
		n := &nodes[i]
		if n.Depth != depth || len(n.Sources) == 0 {
			continue
		}
		exist = true
		if first, ok := at[n.Sources[0]]; ok && madeFrom(n, roots[first:]) {
			run := roots[first : first+len(n.Sources) : first+len(n.Sources)]
			fit = append(fit, &PlacedNode{Node: n, Start: run[0].Start, End: run[len(run)-1].End, Children: run})
		}
	}
	placed = pick(fit)
	for _, r := range roots {
		if !slices.ContainsFunc(placed, func(p *PlacedNode) bool { return p.Start <= r.Start && r.Start < p.End }) {
			placed = append(placed, r)
		}
	}
	return inOrder(placed), exist
}

// madeFrom reports whether a node's sources are the next roots, without a gap.
func madeFrom(n *Node, next []*PlacedNode) bool {
	if len(n.Sources) > len(next) {
		return false
	}
	for i, key := range n.Sources {
		if next[i].Key != key || i > 0 && next[i].Start != next[i-1].End {
			return false
		}
	}
	return true
}

// setStates sets the states of the nodes of a depth that are not current, from the states of
// the nodes below them.
func (c *Cover) setStates(depth int) {
	for i := range c.nodes {
		n := &c.nodes[i]
		if n.Depth != depth {
			continue
		}
		state := Replaced
		for _, s := range n.Sources {
			switch below, known := c.States[s]; {
			case below == Stale:
				state = Stale
			case (below == Elsewhere || !known) && state != Stale:
				state = Elsewhere
			}
		}
		c.States[n.Key] = state
	}
}

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
