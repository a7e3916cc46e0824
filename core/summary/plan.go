package summary

import (
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
	// LeaseFor is Lease.For of the run; it should be short if the caller uses Job.Renew.
	LeaseFor time.Duration
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
	set := func(p *int, v int) {
		if *p <= 0 {
			*p = v
		}
	}
	set(&o.Threshold, defaultThreshold)
	set(&o.MaxDepth, defaultDepth)
	set(&o.MaxCalls, defaultCalls)
	if o.LeafTokens <= 0 {
		o.LeafTokens = defaultLeaf
	}
	if o.Span <= 0 {
		o.Span = defaultSpan
	}
	if o.MaxTime <= 0 {
		o.MaxTime = defaultTime
	}
	o.Threshold = max(o.Threshold, 2)
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
	// Again is set when the node replaces an extract.
	Again bool
	// Free is set when the node needs no model.
	Free bool
	// Given is the text of the node if it was found in the agent's session.
	Given string
	// Span is set when a model reads the messages themselves, although nodes cover them.
	Span bool
}

// leafTask is the task to summarize a span of messages.
func (b *Branch) leafTask(start, end int) Task {
	return Task{ID: keyOf("leaf", b.rangeHash(start, end)), Start: start, End: end, Input: b.tokens(start, end)}
}

// nodeTask is the task to condense nodes.
func nodeTask(run []*PlacedNode) Task {
	t := Task{Depth: run[0].Depth + 1, Start: run[0].Start, End: run[len(run)-1].End, Nodes: run}
	parts := []string{"node"}
	for _, p := range run {
		parts = append(parts, p.Key)
		t.Input += p.Tokens
	}
	t.ID = keyOf(parts...)
	return t
}

// Tasks lists what can be done now: leaves for gaps; when there are none, what a model has
// to write about these; then nodes above them. better reports whether a model can write the
// node of a task, which is better than an extract; it is nil when no model can.
func (b *Branch) Tasks(c *Cover, o Options, better func(id string) bool) []Task {
	o = o.withDefaults()
	var tasks []Task
	for _, g := range b.gaps(c, o) {
		for _, cut := range b.chunks(g[0], g[1], o.LeafTokens) {
			t := b.leafTask(cut[0], cut[1])
			t.Free = !o.Leaves
			tasks = append(tasks, t)
		}
	}
	if len(tasks) > 0 {
		return tasks
	}
	if t, ok := b.adopt(c); ok {
		return []Task{t}
	}
	if !o.Leaves {
		return b.spanTasks(c, o, better)
	}
	if better != nil {
		for _, l := range c.Leaves {
			if t := b.leafTask(l.Start, l.End); l.Kind == Extract && better(t.ID) {
				tasks = append(tasks, asAgain(t))
			}
		}
	}
	if len(tasks) > 0 {
		return tasks
	}
	return append(condense(c.Roots, o), redo(c.Roots, better)...)
}

// gaps returns the units that no leaf covers. It splits a gap where the last compaction
// began to keep messages, so that no leaf spans that point: a model writes only about what
// follows it.
func (b *Branch) gaps(c *Cover, o Options) [][2]int {
	var out [][2]int
	for _, g := range c.Gaps {
		if !o.Leaves && g[0] < b.keptFrom && b.keptFrom < g[1] {
			out = append(out, [2]int{g[0], b.keptFrom})
			g[0] = b.keptFrom
		}
		out = append(out, g)
	}
	return out
}

// spanTasks lists the summaries that a model can write of messages that only extracts
// cover; without a model, the oldest extracts are condensed.
func (b *Branch) spanTasks(c *Cover, o Options, better func(id string) bool) []Task {
	if better != nil {
		var tasks []Task
		for _, t := range b.spans(c, o) {
			if better(t.ID) {
				tasks = append(tasks, t)
			}
		}
		if len(tasks) > 0 {
			return tasks
		}
	}
	tasks := condense(c.Roots, o)
	for i := range tasks {
		tasks[i].Free = true
	}
	return tasks
}

// spans groups the extracts among the roots into runs that fit into one request.
func (b *Branch) spans(c *Cover, o Options) []Task {
	var tasks []Task
	from := b.keptFrom
	if o.All {
		from = 0
	}
	for i := 0; i < len(c.Roots); i++ {
		if !spanned(c.Roots[i], from) {
			continue
		}
		end, size := i+1, c.Roots[i].size(b)
		for end < len(c.Roots) && spanned(c.Roots[end], from) && c.Roots[end].Start == c.Roots[end-1].End {
			if size += c.Roots[end].size(b); size > o.Span {
				break
			}
			end++
		}
		tasks = append(tasks, b.spanTask(c.Roots[i:end]))
		i = end - 1
	}
	return tasks
}

// spanned reports whether a model has to summarize what a root covers.
func spanned(p *PlacedNode, from int) bool { return p.Kind == Extract && p.Start >= from }

// size is the size of the messages that a node covers.
func (p *PlacedNode) size(b *Branch) token.Count { return b.tokens(p.Start, p.End) }

// spanTask is the task to summarize the messages below a run of nodes. A single leaf is
// replaced instead, so that no node has only one source.
func (b *Branch) spanTask(run []*PlacedNode) Task {
	if len(run) == 1 && run[0].Depth == 0 {
		t := b.leafTask(run[0].Start, run[0].End)
		t.Span, t.Again = true, true
		return t
	}
	t := nodeTask(run)
	t.Span, t.Input = true, b.tokens(t.Start, t.End)
	for _, r := range run {
		t.Depth = max(t.Depth, r.Depth+1)
	}
	return t
}

// asAgain marks a task whose node replaces an extract.
func asAgain(t Task) Task {
	t.Again = true
	return t
}

// redo lists the extracts above the leaves that a model can replace.
func redo(roots []*PlacedNode, better func(id string) bool) []Task {
	var tasks []Task
	for _, r := range roots {
		below := redo(r.Children, better)
		tasks = append(tasks, below...)
		if len(below) > 0 || better == nil || r.Depth == 0 || r.Kind != Extract {
			continue
		}
		if t := nodeTask(r.Children); better(t.ID) {
			tasks = append(tasks, asAgain(t))
		}
	}
	return tasks
}

// condense makes tasks for the oldest nodes of each run of roots of one depth that is too
// long, until the rest is short enough.
func condense(roots []*PlacedNode, o Options) []Task {
	var tasks []Task
	for i := 0; i < len(roots); {
		end := i + 1
		for end < len(roots) && roots[end].Depth == roots[i].Depth && roots[end].Start == roots[end-1].End {
			end++
		}
		for end-i > o.Threshold && roots[i].Depth < o.MaxDepth {
			tasks = append(tasks, nodeTask(roots[i:i+o.Threshold]))
			i += o.Threshold
		}
		i = end
	}
	return tasks
}

// chunks splits a range of units into parts of roughly limit tokens. A call and its results
// stay together, and a small rest is merged into the part before it.
func (b *Branch) chunks(start, end int, limit token.Count) [][2]int {
	var out [][2]int
	var sum token.Count
	begin, safe := start, start // safe is the last possible cut
	var before token.Count      // the size of what precedes safe
	open := b.openCalls(start, end)
	for i := start; i < end; i++ {
		if open[i-start] == 0 {
			safe, before = i, sum
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

// smallRest is the fraction of a chunk below which a rest is merged into the chunk before.
const smallRest = 4

// openCalls returns, for each unit, the number of earlier calls whose results come at or
// after it.
func (b *Branch) openCalls(start, end int) []int {
	results := make(map[string]int)
	for i := start; i < end; i++ {
		if h := &b.Units[i].Message; h.Role == message.RoleToolResult {
			results[h.ToolCallID] = i
		}
	}
	open := make([]int, end-start)
	for i := start; i < end; i++ {
		for _, c := range b.Units[i].Message.Calls {
			for k := i + 1; k <= results[c.ID]; k++ {
				open[k-start]++
			}
		}
	}
	return open
}
