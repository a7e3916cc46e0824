package summary

import (
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Options say how to summarise. Where a field is 0 its default counts.
type Options struct {
	// LeafTokens is how much a leaf is made from.
	LeafTokens token.Count
	// Threshold is how many nodes of one depth may follow each other; 6.
	Threshold int
	// MaxDepth is that of the deepest nodes; 5.
	MaxDepth int
	// MaxCalls and MaxTime bound what is asked of models in one run. What is left
	// is extracted, for a later run to replace.
	MaxCalls int
	MaxTime  time.Duration
	// Models are the names to ask, in order; none means that everything is extracted.
	Models []string
	// Instructions are the user's, for this run.
	Instructions string
	// Previous is a summary by somebody else of what comes before.
	Previous string
	// Split is set when the branch ends inside a turn.
	Split bool
	// LeaseFor is Lease.For of the run: short for one that calls Job.Renew.
	LeaseFor time.Duration
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
	leastLeaf        = 12_000
	mostLeaf         = 20_000
)

// LeafFor is how much a leaf is made from, for a model with a context window of
// so many tokens; 0 is an unknown one.
func LeafFor(window token.Count) token.Count {
	if window <= 0 {
		return defaultLeaf
	}
	return min(max(window/10, leastLeaf), mostLeaf, window/2)
}

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
	// ID is the same whoever makes the node, and however.
	ID    string
	Depth int
	// Start and End are the units that it stands for.
	Start, End int
	// Nodes are what it is made from; none for a leaf.
	Nodes []*PlacedNode
	// Input is the size of that.
	Input token.Count
	// Again is set when an extract is there already.
	Again bool
}

// leafTask is the task of covering a span of messages.
func (b *Branch) leafTask(start, end int) Task {
	return Task{ID: keyOf("leaf", b.rangeHash(start, end)), Start: start, End: end, Input: b.tokens(start, end)}
}

// nodeTask is the task of condensing nodes.
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

// Tasks lists what can be done now: leaves for what no leaf stands for, and, with
// a model, for what was only extracted; when there are none, nodes above them.
// better reports whether somebody writes a task's node who does better than an
// extract; nil is nobody.
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
				tasks = append(tasks, again(t))
			}
		}
	}
	if len(tasks) > 0 {
		return tasks
	}
	return append(condense(c.Roots, o), redo(c.Roots, better)...)
}

func again(t Task) Task {
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
			tasks = append(tasks, again(t))
		}
	}
	return tasks
}

// condense lists the runs of roots of one depth that are too long, the oldest
// nodes of each. What is left of a run may still be too long: then there is more
// than one.
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

// chunks cuts a span of units into parts of at most about most tokens. A call and
// its results stay together, and a small rest stays with what comes before it.
func (b *Branch) chunks(start, end int, most token.Count) [][2]int {
	var out [][2]int
	var sum token.Count
	begin, safe := start, start // the last place to cut, and how much is before it
	var before token.Count
	open := b.openCalls(start, end)
	for i := start; i < end; i++ {
		if open[i-start] == 0 {
			safe, before = i, sum
		}
		sum += b.Units[i].Tokens
		if sum > most && safe > begin {
			out = append(out, [2]int{begin, safe})
			begin, sum = safe, sum-before
		}
	}
	if len(out) > 0 && sum < most/smallRest {
		begin = out[len(out)-1][0]
		out = out[:len(out)-1]
	}
	return append(out, [2]int{begin, end})
}

// smallRest is the part of a chunk that makes none of its own.
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
