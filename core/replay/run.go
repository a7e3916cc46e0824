package replay

import (
	"context"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
)

// Options say what a run collects besides its figures.
type Options struct {
	// At is the index of the prices whose run collects it.
	At int
	// Series collects the calls of the session.
	Series bool
	// Pruned collects the pruned results.
	Pruned bool
	// Prefixes are ascending numbers of calls after which the bill is recorded.
	Prefixes []int
	// Reread assumes that every missing text is fetched in full, every time.
	Reread bool
}

// Run replays the recording under a policy, once for each of prices. o applies to the run
// under the prices at o.At. The only error is that of ctx.
func (r *Recording) Run(ctx context.Context, p Policy, prices []token.Prices, o Options) ([]Run, error) {
	runs := make([]Run, len(prices))
	var made decisions
	for i := range prices {
		with := Options{Prefixes: o.Prefixes, Reread: o.Reread}
		if i == o.At {
			with = o
		}
		s := newRun(r, p, prices[i], with)
		if !p.Priced {
			s.made = &made
		}
		for j := range r.calls {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			s.call(j)
		}
		s.Bill, s.Whole = s.bill.cost, s.whole.Bill
		runs[i] = s.Run
	}
	return runs, nil
}

// decisions are the edits before each call by a policy that ignores prices, so that it is
// asked once for all of them.
type decisions [][]policy.Edit

// plan asks the policy, or returns what it decided under earlier prices.
func (s *run) plan(i int, c *call, cal *Calibration, switched bool) []policy.Edit {
	if s.made != nil && i < len(*s.made) {
		return (*s.made)[i]
	}
	var edits []policy.Edit
	if sit := s.situation(c, cal, switched); sit.Boundary || s.policy.Stateless {
		edits = s.policy.Planner.PlanAt(sit, s.view).Edits
	}
	if s.made != nil {
		*s.made = append(*s.made, edits)
	}
	return edits
}

// begins reports whether a call begins a turn, or follows a compaction.
func (s *run) begins(c *call) bool {
	return c.start == AfterCompaction || slices.ContainsFunc(c.add, func(m int32) bool { return s.rec.head(m).Role == message.RoleUser })
}

// mark is a pruned result.
type mark struct {
	message      int32
	call         int   // the call before which this was decided
	born         int32 // first message that was not known then
	marker       string
	tokens       token.Count // of what is left, as pi estimates
	blocks       int         // likewise
	shows        string      // the text that is left
	trims        bool        // it is a trimmed answer
	onlyThinking bool        // only thinking was removed
	before       *mark       // the previous mark of the message, nil when it was unpruned
}

// run is a run in progress.
type run struct {
	Run
	rec     *Recording
	policy  Policy
	prices  token.Prices
	options Options
	made    *decisions // nil when decisions depend on prices

	bill   book        // pruning alone
	whole  *bill.Book  // the whole bill
	past   policy.Past // before the last compaction
	pastOf int32       // the summary of that compaction
	model  int         // of the previous call
	used   int64       // when the cache was last used
	warmed []int64

	ctx   []int32          // the context, as recorded
	at    []int32          // position in ctx by message, -1 when not in it
	state []*mark          // by message, nil when it is not pruned
	marks []*mark          // all marks, of any branch
	view  []policy.Message // what a stateful policy sees
	born  int32            // one more than the newest message so far
	// Cumulative sums over the context with pruning.
	sums   []token.Count
	blocks []int
	// The same without pruning.
	plain       []token.Count
	plainBlocks []int
	marked      []token.Count // cumulative size of the markers
	declared    []bill.Declared
	useful      bool // something can be brought back

	room    token.Count  // kept by the compaction because pruning left room for it
	sent    token.Prompt // of the last call
	pools   *pools       // nil in other layouts
	pruned  []int32      // what a stateless policy pruned for this call
	present int          // pruned messages in the context
	extras  []refetch
	listed  map[int32]bool // messages in Pruned
	agent   *agent         // nil without a simulated agent
}

// refetch is a text that was fetched again and stands after pos messages.
type refetch struct {
	pos    int
	tokens token.Count
	of     int32 // the message that held it
}

// hides reports whether a mark removes text that a later call may need.
func (k *mark) hides() bool { return k != nil && !k.onlyThinking }

// countMark counts a mark in the context.
func (s *run) countMark(k *mark) {
	if k.hides() {
		s.present++
	}
}

func newRun(r *Recording, p Policy, prices token.Prices, o Options) *run {
	s := &run{
		Run: Run{Policy: p.Name, Prices: prices.Name, Calls: len(r.calls)},
		rec: r, policy: p, prices: prices, options: o,
		bill: newBook(prices), whole: bill.NewBook(prices),
		pastOf: -1, at: make([]int32, len(r.messages)), state: make([]*mark, len(r.messages)),
		sums: make([]token.Count, 1), blocks: make([]int, 1),
		plain: make([]token.Count, 1), plainBlocks: make([]int, 1),
		marked: make([]token.Count, 1),
	}
	for i := range s.at {
		s.at[i] = -1
	}
	if p.Pools {
		s.pools = newPools()
	}
	if p.Agent.Answers > 0 {
		s.agent = newAgent(p.Agent, r)
	}
	return s
}

// call replays one call.
func (s *run) call(i int) {
	c := &s.rec.calls[i]
	cal := &s.rec.calibrations[c.model]
	switched := i > 0 && c.model != s.model
	idle, cold := s.keepAlive(c)
	idle = idle && i > 0
	s.keepPast(i)
	before := s.sums[len(s.sums)-1]
	keep := s.move(c)
	s.room = roomFor(s, c, before)
	s.deactivate(i, c, cal)
	first := keep // number of leading messages that equal the previous call's
	if c.start == OnBranch {
		first = min(first, s.rebranch(c))
	}
	decided := s.decide(i, c, cal, switched)
	changed := decided < keep
	first = min(first, decided)
	s.sum(first)
	p := s.prompt(c, cal, first, switched)
	if s.pools != nil {
		p = s.pools.prompt(s, p, cal)
		first, changed = -1, p.Same < s.sent.Tokens
	}

	kind := Unchanged
	if changed {
		kind = ChangedCold
		if s.prices.Caches() && !idle && !switched {
			kind = ChangedWarm
		}
	}
	s.compact(c, cal)
	s.declare(c, i > 0 && cold || switched || !s.prices.Caches())
	read := s.pay(p)
	s.charge(s.plainPrompt(c, cal, keep, switched), p, first, cal)
	s.notePrefix(i)
	s.count(i, c, kind, read, idle)
	s.needs(c, cal)
	s.model = c.model
}

// notePrefix records the bill of the calls up to i if it is asked for.
func (s *run) notePrefix(i int) {
	if n := len(s.Prefixes); n < len(s.options.Prefixes) && s.options.Prefixes[n] == i+1 {
		s.Prefixes = append(s.Prefixes, Prefix{i + 1, s.bill.cost, s.whole.Bill})
	}
}

// keepPast keeps the account of a context that a compaction before a call ended.
func (s *run) keepPast(i int) {
	c := &s.rec.calls[i]
	if c.start != AfterCompaction || !s.policy.Priced {
		return
	}
	before := &s.rec.calls[i-1]
	cal := &s.rec.calibrations[before.model]
	s.past = policy.PastOf(s.situation(before, cal, false), s.view)
	if k := c.compaction; k != nil {
		s.past.Bill.Compact(s.prices, cal.scaledCompaction(k.plain), cal.scaledCompaction(k.own))
	}
	s.pastOf = c.add[0]
}

// keepAlive makes the keep-alive requests before a call. It reports whether the cache
// expired in between, and whether pictx would assume so.
func (s *run) keepAlive(c *call) (idle, cold bool) {
	for _, at := range c.touches {
		s.bill.cache.Touch(at)
		s.whole.Touch(at)
	}
	s.warmed = append(s.warmed, c.touches...)
	for _, at := range append(c.touches, c.time) {
		unused := time.Duration(at-s.used) * time.Millisecond
		idle, cold = idle || s.prices.TTL > 0 && unused > s.prices.TTL, cold || s.prices.Cold(unused)
		s.used = max(s.used, at)
	}
	return idle, cold
}

// move makes the context that of a call and returns how many leading messages it shares
// with the previous one.
func (s *run) move(c *call) int {
	for _, m := range s.ctx[c.keep:] {
		s.at[m] = -1
		if s.state[m].hides() {
			s.present--
		}
	}
	s.ctx, s.view = s.ctx[:c.keep], s.view[:c.keep]
	for _, m := range c.add {
		s.at[m] = int32(len(s.ctx))
		s.ctx = append(s.ctx, m)
		s.view = append(s.view, s.original(m))
		s.born = max(s.born, m+1)
	}
	for _, m := range c.add {
		if k := s.state[m]; k != nil {
			s.countMark(k)
			s.show(k)
		}
	}
	kept := s.extras[:0]
	for _, e := range s.extras {
		if e.pos <= c.keep && c.keep > 0 {
			kept = append(kept, e)
		}
	}
	s.extras = kept
	return c.keep
}

// original returns an unpruned message as a planner sees it.
func (s *run) original(m int32) policy.Message {
	h := s.rec.head(m)
	if a := s.agent.deactivationOf(m); a != nil {
		h = &a.head
	}
	return policy.Message{EntryID: s.rec.entry(m), Head: h, Marked: s.rec.messages[m].marked}
}

// show applies a mark to what the planner of a stateful policy sees. Calls that were
// answered before the mark was made saw the unpruned result: their answers precede every
// message that was not known then. The summary of a compaction, which comes first, is not
// such a message.
func (s *run) show(k *mark) {
	if s.policy.Stateless {
		return
	}
	since := min(1, len(s.ctx))
	for since < len(s.ctx) && s.ctx[since] < k.born {
		since++
	}
	i := s.at[k.message]
	view, was := s.original(k.message), s.rec.messages[k.message].tokens
	if k.before != nil { // an intermediate form: which requests saw it is not tracked
		view = s.edit(k.before, was).Apply(view, since)
		view.Was = nil
		was = k.before.tokens
	}
	s.view[i] = s.edit(k, was).Apply(view, since)
	s.view[i].Was[0].Tokens = s.rec.messages[k.message].tokens
}

// edit returns the edit that made a mark; was is the message's size before.
func (s *run) edit(k *mark, was token.Count) policy.Edit {
	return policy.Edit{EntryID: s.rec.entry(k.message), Tokens: was, MarkerTokens: k.tokens, Marker: k.marker}
}

// rebranch switches to the marks that were made on the branch of a call, and returns the
// first position that changes.
func (s *run) rebranch(c *call) int {
	first := len(s.ctx)
	if s.policy.Stateless {
		return first
	}
	before := s.state
	s.state = make([]*mark, len(before))
	on := 0
	for _, k := range s.marks {
		for on < len(c.path) && int(c.path[on]) < k.call {
			on++
		}
		if on < len(c.path) && int(c.path[on]) == k.call {
			s.state[k.message] = k
		}
	}
	s.present = 0
	for i, m := range s.ctx {
		if s.state[m] != before[m] {
			first = min(first, i)
			s.view[i] = s.original(m)
		}
		if k := s.state[m]; k != nil {
			s.countMark(k)
			s.show(k)
		}
	}
	return first
}

// decide asks the policy, and returns the first position that it changes.
func (s *run) decide(i int, c *call, cal *Calibration, switched bool) int {
	if s.policy.Planner == nil {
		return len(s.ctx)
	}
	edits := s.plan(i, c, cal, switched)
	if s.policy.Stateless {
		return s.replace(i, edits)
	}
	first := len(s.ctx)
	for j := range edits {
		e := &edits[j]
		first = min(first, e.Index)
		k := s.mark(i, e)
		s.marks = append(s.marks, k)
		s.view[e.Index] = e.Apply(s.view[e.Index], len(s.ctx))
		k.blocks = message.Blocks(s.view[e.Index].Head)
	}
	return first
}

// mark prunes a result.
func (s *run) mark(call int, e *policy.Edit) *mark {
	m := s.ctx[e.Index]
	k := &mark{message: m, call: call, born: s.born, marker: e.Marker, tokens: e.MarkerTokens, shows: e.Marker, blocks: 1, trims: e.Trims(), onlyThinking: e.Reason.Code == policy.CodeThinking || e.Reason.Code == policy.CodeCleared}
	if e.Trims() {
		k.shows, k.before = textOf(e.Marker), s.state[m]
	}
	if !s.state[m].hides() {
		s.countMark(k)
	}
	s.state[m] = k
	if s.FirstPrune == 0 {
		s.FirstPrune = call + 1
	}
	s.notePruned(call, e)
	return k
}

// replace makes edits the complete set of what is pruned, and returns the first position
// that changes.
func (s *run) replace(call int, edits []policy.Edit) int {
	first := len(s.ctx)
	before := make(map[int32]*mark, len(s.pruned))
	for _, m := range s.pruned {
		before[m], s.state[m] = s.state[m], nil
	}
	s.pruned, s.present = s.pruned[:0], 0
	for j := range edits {
		e := &edits[j]
		m := s.ctx[e.Index]
		s.pruned = append(s.pruned, m)
		if k := before[m]; k != nil && k.marker == e.Marker {
			s.state[m] = k
			s.countMark(k)
		} else {
			s.mark(call, e)
			first = min(first, e.Index)
		}
		delete(before, m)
	}
	for m := range before {
		if at := int(s.at[m]); at >= 0 {
			first = min(first, at)
		}
	}
	return first
}

// situation returns what the policy may know. As in pi, it derives the bill from the
// messages and from what a compaction left behind. The context window is left out: it was
// not recorded, and a policy cannot be credited with avoiding a recorded compaction.
func (s *run) situation(c *call, cal *Calibration, switched bool) policy.Situation {
	sit := policy.Situation{
		Now: c.time, Prices: s.prices, KnownPrices: true,
		Floor: s.floor(cal), Scale: cal.Scale, ModelSwitched: switched, Moved: c.start == OnBranch,
		Declared: s.declared, Warmed: s.warmed, CWD: s.rec.CWD, Boundary: s.begins(c) || s.policy.Stateless,
		Text:    func(index int) []byte { return s.rec.text(s.ctx[index]) },
		Message: s.message,
	}
	if s.policy.Stateless {
		sit.Unbound, sit.Bound = true, func(*message.Head) bool { return false }
	}
	if c.start == AfterCompaction { // which invalidates the thinking of what it kept
		sit.Changed = 1
	}
	if c.states != nil {
		sit.States = *c.states
	}
	sit.States.Inactive = s.inactive(sit.States.Inactive)
	if len(s.ctx) > 0 && s.ctx[0] == s.pastOf {
		sit.Before = s.past.Bill
	}
	return sit
}

// text returns the text of a message, nil when it cannot be read.
func (r *Recording) text(m int32) []byte {
	it := r.messages[m].item
	if it.Edit != nil {
		var p message.Parser
		h, raw, err := it.Message(&p, r.line)
		if err != nil {
			return nil
		}
		e := message.Entry{Type: message.EntryMessage, Message: h, Body: message.Span{End: len(raw)}}
		return e.AppendBody(nil, raw)
	}
	raw, err := r.line(it.Node)
	if err != nil {
		return nil
	}
	return it.Node.AppendBody(nil, raw)
}

// sum updates the cumulative sums from a position on.
func (s *run) sum(from int) {
	s.sums, s.blocks, s.marked = s.sums[:from+1], s.blocks[:from+1], s.marked[:from+1]
	for _, m := range s.ctx[from:] {
		shown := &s.rec.messages[m]
		size, blocks, marker := shown.tokens, shown.blocks, token.Count(0)
		if k := s.state[m]; k != nil {
			size = k.tokens
			if !k.trims {
				marker = k.tokens
			}
			blocks = k.blocks
		} else if a := s.agent.deactivationOf(m); a != nil {
			size, blocks = a.tokens, a.blocks
		}
		n := len(s.sums) - 1
		s.sums, s.blocks = append(s.sums, s.sums[n]+size), append(s.blocks, s.blocks[n]+blocks)
		s.marked = append(s.marked, s.marked[n]+marker)
	}
}
