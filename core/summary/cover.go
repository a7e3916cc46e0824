package summary

import (
	"cmp"
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
	b.placeLeaves(c, nodes)
	c.Roots = c.Leaves
	for depth, more := 1, true; more; depth++ {
		c.Roots, more = place(c.Roots, nodes, depth)
	}
	c.setCurrent(c.Roots, false)
	c.setStates(nodes)
	at := 0
	for _, l := range c.Leaves {
		if l.Start > at {
			c.Gaps = append(c.Gaps, [2]int{at, l.Start})
		}
		at = l.End
	}
	if at < len(b.Units) {
		c.Gaps = append(c.Gaps, [2]int{at, len(b.Units)})
	}
	return c
}

// placeLeaves places the leaves whose sources are on the branch and unchanged. Of two with
// the same start it prefers the model-written one, then the longer; a leaf that overlaps an
// earlier one is replaced.
func (b *Branch) placeLeaves(c *Cover, nodes []Node) {
	var fit []*PlacedNode
	for i := range nodes {
		n := &nodes[i]
		if n.Depth != 0 {
			continue
		}
		start, ok := b.locate(n.Sources)
		switch {
		case !ok:
			c.States[n.Key] = Elsewhere
		case n.Hash != "" && b.rangeHash(start, start+len(n.Sources)) != n.Hash:
			c.States[n.Key] = Stale
		default:
			fit = append(fit, &PlacedNode{Node: n, Start: start, End: start + len(n.Sources)})
		}
	}
	slices.SortFunc(fit, func(a, z *PlacedNode) int {
		return cmp.Or(cmp.Compare(a.Start, z.Start), cmp.Compare(z.Kind, a.Kind), cmp.Compare(z.End, a.End), cmp.Compare(a.Key, z.Key))
	})
	at := 0
	for _, p := range fit {
		if p.Start < at {
			c.States[p.Key] = Replaced
			continue
		}
		c.States[p.Key] = Current
		c.Leaves = append(c.Leaves, p)
		at = p.End
	}
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
	first := make(map[string][]*Node)
	for i := range nodes {
		if n := &nodes[i]; n.Depth == depth && len(n.Sources) > 0 {
			first[n.Sources[0]] = append(first[n.Sources[0]], n)
		}
	}
	for len(roots) > 0 {
		best := bestNode(first, roots)
		if best == nil {
			placed, roots = append(placed, roots[0]), roots[1:]
			continue
		}
		n := len(best.Sources)
		placed = append(placed, &PlacedNode{Node: best, Start: roots[0].Start, End: roots[n-1].End, Children: roots[:n:n]})
		roots = roots[n:]
	}
	return placed, len(first) > 0
}

// bestNode picks the best node whose sources are the next roots, nil without one. It picks
// no extract that overlaps a summary by a model.
func bestNode(first map[string][]*Node, next []*PlacedNode) *Node {
	var best *Node
	for _, n := range first[next[0].Key] {
		if !madeFrom(n, next) {
			continue
		}
		if best == nil || n.Kind > best.Kind || n.Kind == best.Kind && (len(n.Sources) > len(best.Sources) || len(n.Sources) == len(best.Sources) && n.Key < best.Key) {
			best = n
		}
	}
	if best == nil || best.Kind == Model {
		return best
	}
	for i := 1; i < len(best.Sources); i++ {
		if slices.ContainsFunc(first[next[i].Key], func(n *Node) bool { return n.Kind == Model && madeFrom(n, next[i:]) }) {
			return nil
		}
	}
	return best
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

// setStates sets the states of nodes above the leaves that are not current, from the states
// of the nodes below them.
func (c *Cover) setStates(nodes []Node) {
	byDepth := make([]*Node, 0, len(nodes))
	for i := range nodes {
		byDepth = append(byDepth, &nodes[i])
	}
	slices.SortStableFunc(byDepth, func(a, z *Node) int { return cmp.Compare(a.Depth, z.Depth) })
	for _, n := range byDepth {
		if c.States[n.Key] != "" {
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
