package replay

import (
	"context"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
)

// Options say what a run collects besides its figures.
type Options struct {
	// Series collects the requests of the session, Pruned the pruned results.
	Series, Pruned bool
	// Misses says what texts that a call lost are charged with.
	Misses Misses
}

// Misses is an assumption about an agent whose call lost a text.
type Misses uint8

// The assumptions.
const (
	FetchedOnce  Misses = iota // it fetches the part it needs, once
	NeverFetched               // it can do without
	AlwaysReread               // it reads the whole again, each time
)

// mark is a pruned message.
type mark struct {
	message      int32
	request      int // the one before which this was decided
	marker       string
	tokens       token.Count // of what is left, as pi estimates
	blocks       int         // likewise
	shows        string      // the text that is left
	trims        bool        // it is a trimmed response
	folded       bool        // it is part of what was folded
	onlyThinking bool        // only thinking was removed
	raw          []byte      // the message with it, nil until a policy asks for that
	head         message.Head
}

// hides reports whether a mark removes text that a later call may need.
func (k *mark) hides() bool { return k != nil && !k.onlyThinking }

// run is a run in progress.
type run struct {
	Run
	rec     *Recording
	policy  Policy
	prices  []token.Prices // by model
	options Options
	book    *bill.Book

	ctx   []int32 // the context without pruning
	at    []int32 // position in ctx by message, -1 when not in it
	state []*mark // by message, nil when it is not pruned
	marks []*mark // all marks, of any branch
	view  []policy.Message
	keep  int // leading messages of ctx that the last billed request had
	// sent and plain are the cumulative sizes of the context, with pruning and without.
	sent, plain  []size
	model        int // of the previous request, -1 before the first
	sentMessages int // in the last billed request

	declared []bill.Declared
	useful   bool         // something can be brought back
	room     token.Count  // kept by the compaction because pruning left room for it
	last     token.Prompt // of the last request
	present  int          // messages in the context that hide text
	fetched  []refetch
	listed   map[int32]bool // messages in Pruned
	invalid  map[int32]bool // whose thinking the provider drops on both sides
	lost     map[int32]bool // whose thinking the policy made invalid

	requests      int // that had this context
	first, latest token.Count
}

// size is the size of a context up to a message.
type size struct {
	tokens, markers token.Count
	blocks          int
}

// Run replays the recording under a policy and prices. The only error is that of ctx.
func (r *Recording) Run(ctx context.Context, p Policy, w World, o Options) (*Run, error) {
	s := &run{
		Run: Run{Policy: p.Name, World: w.Name}, rec: r, policy: p, options: o, model: -1,
		at: make([]int32, len(r.Messages)), state: make([]*mark, len(r.Messages)),
		sent: make([]size, 1), plain: make([]size, 1), listed: make(map[int32]bool), invalid: make(map[int32]bool), lost: make(map[int32]bool),
	}
	for i := range r.Models {
		s.prices = append(s.prices, w.Of(&r.Models[i]))
	}
	if len(s.prices) > 0 {
		s.book = bill.NewBook(s.prices[0])
	}
	for i := range s.at {
		s.at[i] = -1
	}
	for i := range r.Requests {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.request(i)
	}
	if s.book != nil {
		s.Bill, s.Dollars = s.book.Total, s.book.Dollars.Billed
	}
	return &s.Run, nil
}

// request replays one request. One that an earlier session has, too, moves the caches and the
// policy as it did there, and is not counted again.
func (s *run) request(i int) {
	r := &s.rec.Requests[i]
	before := s.sent[len(s.sent)-1].tokens
	s.keep = min(s.keep, s.move(r))
	if r.Fetch {
		return
	}
	counted, billed := s.Figures, s.book.Total
	switched := s.model >= 0 && s.model != r.Model
	why := s.idle(r, switched)
	s.room = s.roomFor(r, before)
	keep := s.keep
	if r.Start == session.OnBranch {
		keep = min(keep, s.rebranch(i))
	}
	decided := s.decide(i, why, keep)
	first := min(keep, decided)
	s.sum(first)
	s.compact(i)
	s.declare(r, why)
	read := s.charge(r, s.prompt(r, first, switched))
	s.count(i, decided < keep, why, read)
	s.needs(i)
	s.model, s.keep, s.sentMessages = r.Model, len(s.ctx), len(s.ctx)
	if s.rec.Shared != nil && s.rec.Shared[i] {
		s.Figures, s.book.Total = counted, billed
	}
}

// idle makes the requests since the previous one that kept the cache alive, and returns why
// nothing of the coming request is cached, one of the Cold constants of package policy.
func (s *run) idle(r *session.Request, switched bool) string {
	p := &s.prices[r.Model]
	switch {
	case p.Warm:
		s.book.Idle(r.At, r.Running)
	default:
		for _, at := range r.Warmed {
			s.book.Refresh(at)
		}
	}
	s.book.Ask(*p)
	_, used := s.book.Sent().Last()
	switch {
	case !p.Caches():
		return policy.ColdNone
	case s.model < 0:
		return policy.ColdFirst
	case switched:
		return policy.ColdModel
	case p.Cold(time.Duration(r.At-used) * time.Millisecond):
		return policy.ColdIdle
	case r.Start == session.AfterCompaction:
		return policy.ColdCompaction
	}
	return ""
}

// move makes the context that of a request and returns how many leading messages it shares
// with the previous one.
func (s *run) move(r *session.Request) int {
	c := r.Plain
	for _, m := range s.ctx[c.Keep:] {
		s.at[m] = -1
		if s.state[m].hides() {
			s.present--
		}
	}
	s.ctx, s.view = s.ctx[:c.Keep], s.view[:c.Keep]
	s.sent, s.plain = s.sent[:c.Keep+1], s.plain[:c.Keep+1]
	for _, m := range c.Add {
		s.at[m] = int32(len(s.ctx))
		s.ctx = append(s.ctx, m)
		s.view = append(s.view, s.original(m))
		if k := s.state[m]; k != nil {
			s.show(k)
		}
	}
	s.fetched = slices.DeleteFunc(s.fetched, func(e refetch) bool { return e.pos > c.Keep || c.Keep == 0 })
	if r.Start == session.AfterCompaction {
		s.requests = 0
		s.drop(0)
	}
	for n, m := range s.ctx[c.Keep:] {
		z := s.plain[c.Keep+n]
		tokens, blocks := s.size(m)
		s.plain = append(s.plain, size{tokens: z.tokens + tokens, blocks: z.blocks + blocks})
	}
	s.sum(c.Keep)
	return c.Keep
}

// size returns the size of an unpruned message without thinking that the provider drops.
func (s *run) size(m int32) (token.Count, int) {
	f := &s.rec.Messages[m]
	if !s.invalid[m] || f.Tokens == 0 {
		return f.Tokens, f.Blocks
	}
	blocks := 0
	for _, b := range f.Item.Head.Content.Blocks {
		if b.Kind != message.BlockThinking {
			blocks++
		}
	}
	return max(0, f.Tokens-token.OfChars(f.Item.Head.Content.Thinking)), blocks
}

// drop marks the thinking of the context from a position on that a compaction made invalid.
func (s *run) drop(from int) {
	if s.model < 0 || !s.prices[s.model].Binds {
		return
	}
	for _, m := range s.ctx[from:] {
		if s.rec.head(m).Content.Thinking > 0 {
			s.invalid[m] = true
		}
	}
}

// original returns an unpruned message as a planner sees it.
func (s *run) original(m int32) policy.Message {
	return policy.Message{EntryID: s.rec.Messages[m].Item.Node.ID, Head: s.rec.head(m), Marked: s.rec.marked[m]}
}

// show applies a mark to what the planner sees.
func (s *run) show(k *mark) {
	i := s.at[k.message]
	if k.hides() {
		s.present++
	}
	if k.folded {
		s.view[i] = foldedAway(s.view[i].EntryID, k.tokens)
		return
	}
	e := policy.Edit{EntryID: s.view[i].EntryID, Marker: k.marker}
	s.view[i] = e.Apply(s.original(k.message))
}

// rebranch switches to the marks that were made on the branch of a request, and returns the
// first position that changes.
func (s *run) rebranch(i int) int {
	first, before := len(s.ctx), s.state
	s.state = make([]*mark, len(before))
	path, on := s.rec.Earlier(i), 0
	for _, k := range s.marks {
		for on < len(path) && int(path[on]) < k.request {
			on++
		}
		if on < len(path) && int(path[on]) == k.request {
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
			s.show(k)
		}
	}
	return first
}

// decide asks the policy, and returns the first position that it changes.
func (s *run) decide(i int, why string, keep int) int {
	first := len(s.ctx)
	if s.policy.Planner == nil {
		return first
	}
	plan := s.policy.Planner.PlanAt(s.situation(i, why, keep), s.view)
	edits := plan.Edits
	if plan.Fold != nil {
		first = 0
		s.fold(i, plan.Fold)
	}
	for j := range edits {
		first = min(first, edits[j].Index)
		s.apply(i, &edits[j])
	}
	s.loseThinking(i, first)
	return first
}

// apply prunes a message.
func (s *run) apply(i int, e *policy.Edit) {
	m := s.ctx[e.Index]
	k := &mark{message: m, request: i, marker: e.Marker, tokens: e.MarkerTokens, shows: e.Marker, trims: e.Trims(), onlyThinking: e.Reason.Code == policy.CodeCleared}
	if k.trims {
		k.shows = textOf(e.Marker)
	}
	if !s.state[m].hides() && k.hides() {
		s.present++
	}
	s.state[m] = k
	s.marks = append(s.marks, k)
	s.view[e.Index] = e.Apply(s.view[e.Index])
	k.blocks = message.Blocks(s.view[e.Index].Head)
	if s.FirstPrune == 0 {
		s.FirstPrune = i + 1
	}
	s.notePruned(i, e)
}

// loseThinking counts the thinking of the running turn that a change at a position makes
// invalid: what stands behind it and was not cleared with it.
func (s *run) loseThinking(i, first int) {
	if !s.rec.Requests[i].Running {
		return
	}
	for at := len(s.ctx) - 1; at >= first; at-- {
		m := s.ctx[at]
		if s.rec.head(m).Role == message.RoleUser {
			return
		}
		if s.lost[m] || s.view[at].Head == nil || s.view[at].Head.Content.Thinking == 0 {
			continue
		}
		s.lost[m] = true
		for _, b := range s.view[at].Head.Content.Blocks {
			if b.Kind == message.BlockThinking {
				s.ThinkingLost++
			}
		}
	}
}

// situation returns what the policy may know. The context window is left out: it was not
// recorded, and a policy cannot be credited with avoiding a recorded compaction.
func (s *run) situation(i int, why string, keep int) policy.Situation {
	r := &s.rec.Requests[i]
	m := &s.rec.Models[r.Model]
	sit := policy.Situation{
		CWD:     s.rec.CWD,
		Text:    func(index int) []byte { return s.rec.Text(s.ctx[index]) },
		Message: s.message, Boundary: !r.Running || r.Start == session.AfterCompaction,
		View: &policy.View{
			Bill: s.book.In(&s.prices[r.Model]), Cache: s.book.Sent(), Prices: s.prices[r.Model], Floor: m.Floor + bill.DeclaredAt(s.declared, r.At).Tokens, Scale: m.Scale,
			Now: r.At, Cold: why, Requests: s.requests, First: s.first, Last: s.latest, Changed: keep,
		},
	}
	if r.Start == session.AfterCompaction { // which invalidates the thinking of what it kept
		sit.Changed = 1
	}
	if s.keep == s.sentMessages && keep == s.keep {
		sit.View.Changed = len(s.ctx) // what the last request had is unchanged
	}
	if s.room > 0 {
		sit.View.Fetched = append(sit.View.Fetched, policy.Inserted{Before: 1, Tokens: s.room})
	}
	for _, e := range s.fetched {
		sit.View.Fetched = append(sit.View.Fetched, policy.Inserted{Before: e.pos, Tokens: e.tokens, Blocks: fetchBlocks})
	}
	return sit
}

// message returns a message of the context as it is now.
func (s *run) message(index int) (*message.Head, []byte) {
	m := s.ctx[index]
	h, raw := s.rec.Raw(m)
	k := s.state[m]
	if h == nil || k == nil {
		return h, raw
	}
	if k.raw == nil {
		var p message.Parser
		e := policy.Edit{Marker: k.marker}
		raw = message.AppendWithContent(nil, raw, h, e.Content())
		now, err := p.ParseMessage(raw)
		if err != nil {
			return nil, nil
		}
		k.head, k.raw = now, raw
	}
	return &k.head, k.raw
}

// textOf returns the text of a response with this content, a JSON value.
func textOf(content string) string {
	raw := []byte(`{"role":"assistant","content":` + content + `}`)
	var p message.Parser
	h, err := p.ParseMessage(raw)
	if err != nil {
		return ""
	}
	e := message.Entry{Type: message.EntryMessage, Message: h, Body: message.Span{End: len(raw)}}
	return string(e.AppendBody(nil, raw))
}

// sum updates the cumulative sizes from a position on.
func (s *run) sum(from int) {
	s.sent = s.sent[:from+1]
	for _, m := range s.ctx[from:] {
		z := s.sent[len(s.sent)-1]
		tokens, blocks := s.size(m)
		if k := s.state[m]; k != nil {
			tokens, blocks = k.tokens, k.blocks
			if !k.trims && !k.folded {
				z.markers += k.tokens
			}
		}
		s.sent = append(s.sent, size{z.tokens + tokens, z.markers, z.blocks + blocks})
	}
}
