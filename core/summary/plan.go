package summary

import (
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Options say how to summarise. A field that is 0 has its default.
type Options struct {
	// LeafTokens is how many tokens of messages a leaf is made from.
	LeafTokens token.Count
	// Threshold is how many nodes of one depth may follow each other; 6.
	Threshold int
	// MaxDepth is the depth of the deepest nodes; 5.
	MaxDepth int
	// MaxCalls and MaxTime bound the requests of one run. What is left is extracted, and
	// a later run replaces it.
	MaxCalls int
	MaxTime  time.Duration
	// Models are the models to ask, in order; without any, everything is extracted.
	Models []string
	// Instructions are the user's, for this run.
	Instructions string
	// Previous is another program's summary of the messages before the branch.
	Previous string
	// Split is set when the branch ends inside a turn.
	Split bool
	// LeaseFor is Lease.For of the run: short for one that calls Job.Renew.
	LeaseFor time.Duration
	// Take takes a lease that another process holds.
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
	defaultLeaf      = 16_000
	minLeaf          = 12_000
	maxLeaf          = 20_000
)

// LeafFor is how many tokens a leaf is made from, for a model with a context window of
// so many tokens; 0 when the window is unknown.
func LeafFor(window token.Count) token.Count {
	if window <= 0 {
		return defaultLeaf
	}
	return min(max(window/10, minLeaf), maxLeaf, window/2)
}

// withDefaults returns the options with defaults for fields that are 0.
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
	if o.MaxTime <= 0 {
		o.MaxTime = defaultTime
	}
	o.Threshold = max(o.Threshold, 2)
	return o
}

// Task is a node to be made.
type Task struct {
	// ID is derived from the sources: the same for every process and model.
	ID    string
	Depth int
	// Start and End are the units that it covers.
	Start, End int
	// Nodes are its sources; none for a leaf.
	Nodes []*PlacedNode
	// Input is the size of the sources.
	Input token.Count
	// Again is set when the node replaces an extract.
	Again bool
}

// leafTask is the task to summarise a span of messages.
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

// Tasks lists what can be done now: leaves for gaps and, with a model, leaves that
// replace extracts; when there are none, nodes above them. better reports whether a
// model can write the node of a task, which is better than an extract; nil when none
// can.
func (b *Branch) Tasks(c *Cover, o Options, better func(id string) bool) []Task {
	o = o.withDefaults()
	var tasks []Task
	for _, g := range c.Gaps {
		for _, cut := range b.chunks(g[0], g[1], o.LeafTokens) {
			tasks = append(tasks, b.leafTask(cut[0], cut[1]))
		}
	}
	if len(tasks) == 0 && better != nil {
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

// asAgain is a task whose node replaces an extract.
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

// condense makes tasks of the oldest nodes of each run of roots of one depth that is
// too long, as many tasks as it takes until the rest is not.
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

// chunks cuts a span of units into parts of at most about limit tokens. A call and its
// results stay together, and a small rest joins the part before it.
func (b *Branch) chunks(start, end int, limit token.Count) [][2]int {
	var out [][2]int
	var sum token.Count
	begin, safe := start, start // safe is the last place to cut
	var before token.Count      // the size of what is before it
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

// smallRest is the fraction of a chunk below which a rest is not a chunk of its own.
const smallRest = 4

// openCalls counts, for each unit, the calls before it whose results come at or
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
