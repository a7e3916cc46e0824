package summary

import (
	"cmp"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Options say how to summarize. The zero value of a field selects its default.
type Options struct {
	// Leaves has a model write every leaf and every node above, each in its own request.
	// Otherwise leaves are extracts, and a model writes one summary of what was added since
	// the last compaction, in as many requests as needed to fit Span.
	Leaves bool
	// All has a model also summarize what earlier compactions left as extracts.
	All bool
	// Span is how many tokens of messages one request may have; 100,000.
	Span token.Count
	// LeafTokens is how many tokens of messages a leaf covers.
	LeafTokens token.Count
	// Threshold is how many consecutive nodes of one depth are allowed; 6.
	Threshold int
	// MaxDepth is the maximum depth of a node; 5.
	MaxDepth int
	// MaxCalls and MaxTime bound the requests of one run. The rest is extracted, and
	// replaced by a later run.
	MaxCalls int
	MaxTime  time.Duration
	// Models are the models to ask, in order; without any, everything is extracted.
	Models []string
	// Instructions are the user's, for this run.
	Instructions string
	// Split is set when the branch ends inside a turn.
	Split bool
	// Take takes over a lease that another process holds.
	Take bool
	// Now is the clock.
	Now func() time.Time
}

// The defaults of Options.
const (
	defaultThreshold = 6
	defaultDepth     = 5
	defaultCalls     = 60
	defaultTime      = 10 * time.Minute
	defaultSpan      = 100_000
	defaultLeaf      = 16_000
	minLeaf          = 12_000
	maxLeaf          = 20_000
)

// LeafFor returns the size of a leaf for a model with this context window; 0 is unknown.
func LeafFor(window token.Count) token.Count {
	if window <= 0 {
		return defaultLeaf
	}
	return min(max(window/10, minLeaf), maxLeaf, window/2)
}

// SpanFor returns how many tokens of messages a request may have for a model with this
// context window; 0 is unknown. The rest is for instructions, the reply, and underestimated
// texts.
func SpanFor(window token.Count) token.Count {
	if window <= 0 {
		return defaultSpan
	}
	return window * 3 / 4
}

// withDefaults returns the options with defaults filled in.
func (o Options) withDefaults() Options {
	pick := func(v, otherwise int) int {
		if v > 0 {
			return v
		}
		return otherwise
	}
	o.Threshold = max(pick(o.Threshold, defaultThreshold), 2)
	o.MaxDepth, o.MaxCalls = pick(o.MaxDepth, defaultDepth), pick(o.MaxCalls, defaultCalls)
	o.LeafTokens = token.Count(pick(int(o.LeafTokens), defaultLeaf))
	o.Span = token.Count(pick(int(o.Span), defaultSpan))
	o.MaxTime = cmp.Or(o.MaxTime, defaultTime)
	return o
}

// Task is a node to be made.
type Task struct {
	// ID is derived from the sources, so it is the same for every process and model.
	ID    string
	Depth int
	// Start and End are the half-open range of units that it covers.
	Start, End int
	// Nodes are its sources; none for a leaf.
	Nodes []*PlacedNode
	// Input is the size of the sources.
	Input token.Count
	// Model is set when a model writes it. Otherwise it is Given, or an extract.
	Model bool
	// Given is the text of the node if it was found in the agent's session.
	Given string
	// Replaces is the extract of a leaf that a model replaces, nil for other tasks.
	Replaces *PlacedNode
	// Span is set when a model reads the messages themselves, although nodes cover them.
	Span bool
}

// ready reports whether all sources are made.
func (t *Task) ready() bool {
	return !slices.ContainsFunc(t.Nodes, func(p *PlacedNode) bool { return p.planned }) && (t.Replaces == nil || !t.Replaces.planned)
}

// leafTask is the task to summarize a span of messages.
func (b *Branch) leafTask(start, end int) Task {
	return Task{ID: keyOf("leaf", b.rangeHash(start, end)), Start: start, End: end, Input: b.tokens(start, end)}
}

// nodeTask is the task to condense nodes.
func nodeTask(run []*PlacedNode) Task {
	t := Task{Start: run[0].Start, End: run[len(run)-1].End, Nodes: run}
	parts := []string{"node"}
	for _, p := range run {
		parts = append(parts, p.Key)
		t.Input += p.Tokens
		t.Depth = max(t.Depth, p.Depth+1)
	}
	t.ID = keyOf(parts...)
	return t
}

// planner lists what is to be done, from the leaves up. Above what is still to be made it
// goes on with placeholders, so that one pass sees everything.
type planner struct {
	b     *Branch
	c     *Cover
	o     Options
	asks  func(id string) bool // reports whether a model can be asked for a task
	tasks []Task
}

// tasks lists everything that is to be done to cover the branch, each task after those that
// make its sources: leaves for gaps, what a model writes instead of extracts, and nodes
// above. asks reports whether a model can be asked for a task.
func (b *Branch) tasks(c *Cover, o Options, asks func(id string) bool) []Task {
	p := planner{b: b, c: c, o: o.withDefaults(), asks: asks}
	if o.Leaves {
		p.o.Span = 0 // a leaf has a request of its own
	}
	roots := p.rewrite(p.leaves())
	for depth, more := 1, true; more; depth++ {
		roots, more = place(roots, c.nodes, depth)
		p.rewriteNodes(roots, depth)
	}
	p.condense(p.adopt(roots))
	return p.tasks
}

// add adds a task, and returns the placeholder for its node. A model writes the node if it
// should and can be asked.
func (p *planner) add(t Task, model bool) *PlacedNode {
	t.Model = model && p.asks(t.ID)
	kind := Extract
	if t.Model || t.Given != "" {
		kind = Model
	}
	p.tasks = append(p.tasks, t)
	return &PlacedNode{Node: &Node{Key: t.ID, Depth: t.Depth, Kind: kind, Tokens: t.target(false)}, Start: t.Start, End: t.End, Children: t.Nodes, planned: true}
}

// leaves returns the leaves of the branch in order, with new ones in the gaps. Without
// Options.Leaves they are extracts.
func (p *planner) leaves() []*PlacedNode {
	out := slices.Clone(p.c.Leaves)
	for _, g := range p.gaps() {
		for _, cut := range p.b.chunks(g[0], g[1], p.o.LeafTokens) {
			out = append(out, p.add(p.b.leafTask(cut[0], cut[1]), p.o.Leaves))
		}
	}
	return inOrder(out)
}

// gaps returns the units that no leaf covers. It splits a gap where the last compaction
// began to keep messages, so that no leaf spans that point: a model writes only about what
// follows it.
func (p *planner) gaps() [][2]int {
	var out [][2]int
	for _, g := range p.c.Gaps {
		if kept := p.b.keptFrom; !p.o.Leaves && g[0] < kept && kept < g[1] {
			out = append(out, [2]int{g[0], kept})
			g[0] = kept
		}
		out = append(out, g)
	}
	return out
}

// rewrite has a model write what the reader has only extracts of, as much as fits into one
// request.
func (p *planner) rewrite(leaves []*PlacedNode) []*PlacedNode {
	from := p.from(leaves)
	var out, run []*PlacedNode
	var size token.Count
	flush := func() {
		if len(run) > 0 {
			if t := p.spanTask(run); p.asks(t.ID) {
				run = []*PlacedNode{p.add(t, true)}
			}
		}
		out, run, size = append(out, run...), nil, 0
	}
	for _, l := range leaves {
		n := p.b.tokens(l.Start, l.End)
		if size+n > p.o.Span {
			flush()
		}
		if l.Kind != Extract || l.Start < from || l.hidden {
			flush()
			out = append(out, l)
			continue
		}
		run, size = append(run, l), size+n
	}
	flush()
	return out
}

// from is the first unit that a model may be asked about: none that another program's
// summary covers.
func (p *planner) from(leaves []*PlacedNode) int {
	switch n := p.given(leaves); {
	case p.o.Leaves:
		return 0
	case !p.o.All:
		return p.b.keptFrom
	case n > 0:
		return leaves[n-1].End
	}
	return 0
}

// given is how many of some nodes the summary that another program left in the session
// covers, 0 if it was assembled from existing nodes.
func (p *planner) given(nodes []*PlacedNode) int {
	g := p.b.given
	if g == nil || g.text == "" || p.c.has(g) {
		return 0
	}
	n, at := 0, 0
	for n < len(nodes) && nodes[n].Start == at && nodes[n].End <= g.end {
		at = nodes[n].End
		n++
	}
	return n
}

// spanTask is the task to summarize the messages below a run of leaves. A single leaf is
// replaced instead, so that no node has only one source.
func (p *planner) spanTask(run []*PlacedNode) Task {
	t := p.b.leafTask(run[0].Start, run[len(run)-1].End)
	if len(run) == 1 {
		t.Replaces = run[0]
	} else {
		input := t.Input
		t = nodeTask(run)
		t.Input = input
	}
	t.Span = !p.o.Leaves
	return t
}

// rewriteNodes has a model write the extracts among nodes that were placed at a depth, with
// Options.Leaves.
func (p *planner) rewriteNodes(roots []*PlacedNode, depth int) {
	for i, r := range roots {
		if p.o.Leaves && r.Depth == depth && r.Kind == Extract && !r.planned && p.asks(r.Hash) {
			roots[i] = p.add(nodeTask(r.Children), true)
		}
	}
}

// adopt adds a node for the summary that another program left in the session, above what
// covers the same messages.
func (p *planner) adopt(roots []*PlacedNode) []*PlacedNode {
	n := p.given(roots)
	if n == 0 {
		return roots
	}
	t, g := nodeTask(roots[:n:n]), p.b.given
	t.Given, t.ID = g.text, g.hash()
	t.Input = max(t.Input, token.OfText(g.text)+1)
	return append([]*PlacedNode{p.add(t, false)}, roots[n:]...)
}

// condense adds nodes above the oldest nodes of each run of roots of one depth that is too
// long, until the rest is short enough.
func (p *planner) condense(roots []*PlacedNode) {
	for depth := 0; depth < p.o.MaxDepth; depth++ {
		var above []*PlacedNode
		for len(roots) > 0 {
			n := 0
			for n < len(roots) && roots[n].Depth == depth && (n == 0 || roots[n].Start == roots[n-1].End) {
				n++
			}
			for ; n > p.o.Threshold; n -= p.o.Threshold {
				above = append(above, p.add(nodeTask(roots[:p.o.Threshold:p.o.Threshold]), p.o.Leaves))
				roots = roots[p.o.Threshold:]
			}
			n = max(n, 1)
			above, roots = append(above, roots[:n]...), roots[n:]
		}
		roots = above
	}
}

// Plan is what a run would do.
type Plan struct {
	// Leaves is the number of leaves to be made for messages that none covers, Nodes that of
	// summaries above leaves.
	Leaves, Nodes int
	// Calls is the number of requests if every reply is good, Input and Output their size.
	Calls         int
	Input, Output token.Count
	// Messages is the number of messages of the branch, Covered how many a leaf covers
	// already.
	Messages, Covered int
}

// PlanOf determines what a run would do, without asking a model.
func (b *Branch) PlanOf(nodes []Node, o Options) Plan {
	c := b.Cover(nodes)
	p := Plan{Messages: len(b.Units), Covered: c.Covered()}
	for _, t := range b.tasks(c, o, func(string) bool { return len(o.Models) > 0 }) {
		if t.Model {
			p.Calls++
			p.Input += t.Input
			p.Output += t.target(false)
		}
		switch {
		case t.Replaces != nil || t.Given != "":
		case t.Depth > 0:
			p.Nodes++
		default:
			p.Leaves++
		}
	}
	return p
}

// smallRest is the fraction of a chunk below which a rest is merged into the chunk before.
const smallRest = 4

// chunks splits a range of units into parts of roughly limit tokens. A call and its results
// stay together, and a small rest is merged into the part before it.
func (b *Branch) chunks(start, end int, limit token.Count) [][2]int {
	results := make(map[string]int) // where the results of a call end
	for i := start; i < end; i++ {
		if h := &b.Units[i].Message; h.Role == message.RoleToolResult {
			results[h.ToolCallID] = i + 1
		}
	}
	var out [][2]int
	var sum, before token.Count // before is the size of what precedes safe, the last possible cut
	begin, safe, open := start, start, start
	for i := start; i < end; i++ {
		if i >= open {
			safe, before = i, sum
		}
		for _, c := range b.Units[i].Message.Calls {
			open = max(open, results[c.ID])
		}
		sum += b.Units[i].Tokens
		if sum > limit && safe > begin {
			out = append(out, [2]int{begin, safe})
			begin, sum = safe, sum-before
		}
	}
	if len(out) > 0 && sum < limit/smallRest {
		begin = out[len(out)-1][0]
		out = out[:len(out)-1]
	}
	return append(out, [2]int{begin, end})
}
