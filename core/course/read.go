package course

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
	"github.com/coctostan/pictx/core/usage"
)

// Read follows all branches of a session, in file order. line returns the bytes of an
// entry, valid until the next call. marks are the stored marks of the session, nil without
// any.
func Read(t *message.Tree, line func(*message.Node) ([]byte, error), marks []prune.Mark) (*Session, error) {
	r := &reader{
		tree: t, line: line, marks: make(map[string]*prune.Mark, len(marks)), lines: make(map[string]*token.Line),
		counted: make(map[string]placed), restored: make(map[string]bool),
		out: &Session{ID: t.Header.ID, CWD: t.Header.CWD, Started: t.Header.Time},
	}
	for i := range marks {
		r.marks[marks[i].EntryID] = &marks[i]
	}
	r.edits = slices.ContainsFunc(t.Nodes, func(n message.Node) bool { return n.Type == message.EntryContextEdit })
	var err error
	if r.declared, err = replay.Declared(t, line); err != nil {
		return nil, err
	}
	for c := range t.ModelCalls() {
		if err := r.call(c); err != nil {
			return nil, err
		}
	}
	if err := r.rest(); err != nil {
		return nil, err
	}
	r.scale()
	r.explain()
	return r.out, nil
}

// reader builds the course of a session.
type reader struct {
	out      *Session
	tree     *message.Tree
	line     func(*message.Node) ([]byte, error)
	parser   message.Parser
	marks    map[string]*prune.Mark // by the entry of the result
	declared []bill.Declared
	lines    map[string]*token.Line // regression lines through provider counts, by model

	at        int     // index of the first node not passed yet
	same      int     // leading sums that are valid for this call
	sums      []Sizes // cumulative over the context
	last      *message.Node
	compacted *message.Node // the compaction at the start of the context
	now       int64         // when this request was answered
	// pruned and again are those of the coming request; counted says of every result that
	// was pruned so far where it counts, restored which of them are shown again.
	pruned, again Pruned
	counted       map[string]placed
	restored      map[string]bool
	marksUntil    int64 // the time until which marks of the store are counted
	// edits is set when the session itself carries what was pruned.
	edits bool
}

// placed is where a pruned result counts: the request before which it was first pruned, and
// its tokens.
type placed struct {
	request int
	tokens  token.Count
}

// call adds a request, unless it failed before it was billed, or its answer is another part
// of the previous one.
func (r *reader) call(c message.ModelCall) error {
	if err := r.pass(c.Answer); err != nil {
		return err
	}
	r.same = min(r.same, c.Same)
	h := &c.Answer.Message
	if message.Unbilled(h) {
		return nil
	}
	if n := len(r.out.Requests); n > 0 && message.SameAnswer(&r.last.Message, h) {
		r.out.Total.Grow(&r.out.Requests[n-1].Response, h.Usage.Output)
		return nil
	}
	raw, err := r.line(c.Answer)
	if err != nil {
		return fmt.Errorf("read entry %s: %w", c.Answer.ID, err)
	}
	q := Request{Start: r.start(c)}
	var ok bool
	if q.Response, ok = usage.Read(&r.parser, h, c.Answer.Body.Of(raw)); !ok {
		q.Response = usage.Response{Model: h.Model, Time: h.Timestamp}
	} else {
		r.out.Total.Add(&q.Response)
	}
	if q.Response.Time == 0 {
		q.Response.Time = c.Answer.Time
	}
	r.now = q.Response.Time
	r.prunedBefore(&q)
	r.weigh(c.Context)
	if n := len(r.sums); n > 0 {
		q.Sent = r.sums[n-1]
	}
	model := q.Response.Model
	if r.lines[model] == nil {
		r.lines[model] = &token.Line{}
	}
	if sent := billed(&q); sent > 0 {
		own := bill.DeclaredAt(r.declared, q.Response.Time).Tokens()
		r.lines[model].Add(float64(q.Sent.Sum()), 0, float64(sent-int64(own)))
	}
	r.out.Requests, r.last = append(r.out.Requests, q), c.Answer
	return nil
}

// billed is what the provider counted of a request, 0 when unknown.
func billed(q *Request) int64 {
	u := &q.Response.Usage
	return u.Input + u.CacheRead + u.CacheWrite
}

// start returns how a call relates to the previous one.
func (r *reader) start(c message.ModelCall) replay.Start {
	before := r.compacted
	r.compacted = nil
	if len(c.Context) > 0 && c.Context[0].Node.Type == message.EntryCompaction {
		r.compacted = c.Context[0].Node
	}
	switch {
	case r.last == nil:
		return replay.StartsSession
	case !r.tree.Follows(c.Answer, r.last):
		return replay.OnBranch
	case r.compacted != nil && r.compacted != before:
		return replay.AfterCompaction
	}
	return replay.Continues
}

// pass advances to an answer, nil for the end of the session, and counts on the way what was
// pruned and what was restored.
func (r *reader) pass(answer *message.Node) error {
	for ; r.at < len(r.tree.Nodes) && &r.tree.Nodes[r.at] != answer; r.at++ {
		n := &r.tree.Nodes[r.at]
		switch {
		case n.Type == message.EntryContextEdit:
			r.edited(n)
		case n.Type == message.EntryCustom && n.Message.CustomType == prune.PinsEntry:
			if err := r.pinned(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// edited counts a result that an edit shortens, or restores.
func (r *reader) edited(n *message.Node) {
	target := r.tree.Lookup(n.Target)
	if target == nil {
		return
	}
	left := token.Count(0)
	if !n.Omits {
		left = token.Estimate(message.Item{Node: target}.Edited(n).Head)
	}
	if size := token.Estimate(&target.Message); n.Omits || left < size {
		r.count(n.Target, size-left)
	} else {
		r.restore(n.Target)
	}
}

// pinned counts the results that a pin restored. Agents that keep no edits say it only here.
func (r *reader) pinned(n *message.Node) error {
	r.marked(n.Time)
	raw, err := r.line(n)
	if err != nil {
		return fmt.Errorf("read entry %s: %w", n.ID, err)
	}
	for _, id := range r.parser.DataList(raw, "restored") {
		entry := message.Unquote(id)
		r.restore(entry)
		if m := r.marks[entry]; m != nil && m.Time <= n.Time {
			delete(r.marks, entry)
			r.same = 0 // its position is unknown
		}
	}
	return nil
}

// count counts a pruned result.
func (r *reader) count(entry string, tokens token.Count) {
	r.pruned.add(Pruned{1, tokens})
	if _, before := r.counted[entry]; before {
		r.again.add(Pruned{1, tokens})
	} else {
		r.counted[entry] = placed{len(r.out.Requests), tokens}
	}
	delete(r.restored, entry)
}

// restore counts a result that is shown again, if it was pruned.
func (r *reader) restore(entry string) {
	if _, pruned := r.counted[entry]; pruned {
		r.restored[entry] = true
	}
}

// prunedBefore sets what was pruned before a request.
func (r *reader) prunedBefore(q *Request) {
	r.marked(r.now)
	q.Pruned, q.Again = r.pruned, r.again
	r.pruned, r.again = Pruned{}, Pruned{}
}

// marked counts what the store marked until a time, in Unix milliseconds. In sessions of
// older agents only these marks tell what was pruned.
func (r *reader) marked(until int64) {
	if r.edits {
		return
	}
	for _, m := range r.marks {
		if r.marksUntil < m.Time && m.Time <= until {
			r.count(m.EntryID, m.Tokens-m.MarkerTokens)
			r.same = 0 // its position is unknown
		}
	}
	r.marksUntil = max(r.marksUntil, until)
}

// rest sets what was pruned since the last request, and takes off what was restored.
func (r *reader) rest() error {
	if err := r.pass(nil); err != nil {
		return err
	}
	r.marked(math.MaxInt64)
	r.out.Unsent = r.pruned
	r.out.Unsent.subtract(r.again)
	for entry := range r.restored {
		c := r.counted[entry]
		if c.request < len(r.out.Requests) {
			r.out.Requests[c.request].Restored.add(Pruned{1, c.tokens})
		} else {
			r.out.Unsent.subtract(Pruned{1, c.tokens})
		}
	}
	return nil
}

// weigh adds up the parts of a context from the first difference to the previous one on.
func (r *reader) weigh(items []message.Item) {
	same := min(r.same, len(r.sums), len(items))
	r.sums = r.sums[:same]
	var sum Sizes
	if same > 0 {
		sum = r.sums[same-1]
	}
	for i := same; i < len(items); i++ {
		sum.add(r.sizes(&items[i]))
		r.sums = append(r.sums, sum)
	}
	r.same = len(items)
}

// sizes returns the parts of one message.
func (r *reader) sizes(it *message.Item) (s Sizes) {
	h := it.Head
	if h.Excluded || message.Voided(h) {
		return s
	}
	switch h.Role {
	case message.RoleToolResult:
		size := token.Estimate(h)
		if m := r.marks[it.Node.ID]; m != nil && it.Edit == nil && !r.edits && m.Time <= r.now {
			size = m.MarkerTokens
		}
		s[partOf(it.Node.Message.ToolName)] = size
	case message.RoleBashExecution:
		s[Commands] = token.Estimate(h)
	case message.RoleBranchSummary, message.RoleCompactionSummary:
		s[Summaries] = token.Estimate(h)
	case message.RoleAssistant:
		for _, b := range h.Content.Blocks {
			if b.Kind == message.BlockToolCall && b.Call < len(h.Calls) {
				name := h.Calls[b.Call].Name
				s[partOf(name)] += token.OfChars(len(name) + b.Text.End - b.Text.Start)
			}
		}
		s[Talk] = token.OfChars(h.Content.Chars + h.Content.Thinking)
	default:
		s[Talk] = token.Estimate(h)
	}
	return s
}

// partOf returns the part of calls and results of a tool.
func partOf(name string) Part {
	switch tool.ClassOf(name) {
	case tool.Read:
		return Reads
	case tool.Shell:
		return Commands
	}
	return Tools
}

// scale scales estimates to what providers counted.
func (r *reader) scale() {
	for i := range r.out.Requests {
		q := &r.out.Requests[i]
		floor, scale := r.lines[q.Response.Model].Fit()
		own := bill.DeclaredAt(r.declared, q.Response.Time).Tokens()
		floor = cmp.Or(floor, token.AssumedFloor) + own
		sent := token.Count(billed(q))
		if sent == 0 {
			sent = floor + token.Count(math.Round(scale*float64(q.Sent.Sum())))
		}
		if q.Sent.Sum() == 0 || floor > sent {
			floor = sent
		}
		q.Sent.fit(sent - floor)
		own = min(own, floor)
		q.Sent[Own], q.Sent[System] = own, floor-own
	}
}

// fit scales all sizes to a given sum. The largest part absorbs rounding.
func (s *Sizes) fit(sum token.Count) {
	factor := float64(sum) / float64(max(1, s.Sum()))
	largest := 0
	for p := range s {
		if s[p] = token.Count(math.Round(float64(s[p]) * factor)); s[p] > s[largest] {
			largest = p
		}
	}
	s[largest] += sum - s.Sum()
}

// explain finds where the cache held less than the previous request had left in it, and
// why. What another branch left there is unknown.
func (r *reader) explain() {
	const least = 1024 // tokens: the smallest prompt that providers cache
	caches := make(map[string]bool)
	for i := range r.out.Requests {
		u := &r.out.Requests[i].Response
		caches[u.Model] = caches[u.Model] || u.CacheRead+u.CacheWrite > 0
	}
	for i := 1; i < len(r.out.Requests); i++ {
		before, q := &r.out.Requests[i-1], &r.out.Requests[i]
		both := min(billed(before), billed(q))
		lost := both - q.Response.CacheRead
		if !caches[q.Response.Model] || q.Start == replay.OnBranch || lost < least || lost < both/10 {
			continue
		}
		q.Cause, q.Lost = causeOf(before, q), token.Count(lost)
	}
}

// causeOf returns the first cause for which there is evidence.
func causeOf(before, q *Request) Cause {
	switch {
	case before.Response.Model != q.Response.Model:
		return Switched
	case q.Start == replay.AfterCompaction:
		return Compacted
	case q.Response.Time-before.Response.Time > CacheTime:
		return Paused
	case q.Pruned.Results > 0:
		return Rewritten
	}
	return Unexplained
}
