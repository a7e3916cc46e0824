package prune

import (
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// account is what the requests of a context were billed so far, and how much of it the
// provider's cache holds.
type account struct {
	prices token.Prices
	floor  token.Count
	scale  float64
	now    int64
	// cold is why the cache holds nothing of the coming prompt, "" while it does.
	cold string
	// cache is the provider's after the last call.
	cache *token.Cache
	// first and last are the sizes of the conversation at the first and the last
	// of the calls, estimated.
	first, last token.Count
	calls       int
	ledger      Ledger
	// changed is the position of the first message that is not as the last call saw
	// it, the number of messages when they were only added to.
	changed int
	// sent is the size of the conversation of the last call, and marked what was
	// taken away since, both as the provider counts.
	sent, marked token.Count
	// collapses counts the calls that did not find in the cache what they should.
	collapses int
	// before is the size of the conversation before each message as it is now,
	// estimated, and blocks the number of its blocks.
	before []token.Count
	blocks []int
}

// unknownPrices stand in for prices that are not known: Anthropic's for five
// minutes while the cache is warm, which it counts as for an hour.
func unknownPrices() token.Prices {
	return token.Prices{Name: "unknown", Read: 0.1, Write: 1.25, TTL: time.Hour}
}

// scaled is a size as the provider counts it.
func (a *account) scaled(n token.Count) token.Count { return token.Count(a.scale * float64(n)) }

// account returns the books of the input, which are kept once for every plan.
func (in *Input) account() *account {
	if in.books == nil {
		in.books = newAccount(in)
	}
	return in.books
}

func newAccount(in *Input) *account {
	s := &in.Situation
	a := &account{prices: s.Prices, floor: s.Floor, scale: s.Scale}
	if !s.KnownPrices {
		a.prices = unknownPrices()
	}
	if a.scale <= 0 {
		a.floor, a.scale = calibrate(in)
		if s.Floor > 0 {
			a.floor = s.Floor
		}
	}
	a.floor = max(1, a.floor)
	a.measure(in)
	end := a.replay(in)
	a.cold = a.coldness(in, end)
	a.touch(&end, a.now)
	if s.Ledger != nil {
		a.ledger = *s.Ledger
	}
	return a
}

// measure adds up the messages as they are now.
func (a *account) measure(in *Input) {
	n := len(in.Messages)
	a.before, a.blocks = make([]token.Count, n+1), make([]int, n+1)
	for i := range in.Messages {
		a.before[i+1] = a.before[i] + in.sizes[i]
		a.blocks[i+1] = a.blocks[i] + Blocks(in.Messages[i].Head)
	}
}

// Reasons for a cache to hold nothing.
const (
	coldNone       = "none"
	coldFirst      = "first"
	coldModel      = "model"
	coldBranch     = "branch"
	coldCompaction = "compaction"
	coldIdle       = "idle"
)

// coldness returns why the cache holds nothing of the coming prompt, "" while it does.
func (a *account) coldness(in *Input, end replayState) string {
	s := &in.Situation
	switch {
	case !a.prices.Caches():
		return coldNone
	case end.summary == message.RoleCompactionSummary:
		return coldCompaction
	case end.summary != "" || s.Moved:
		return coldBranch
	case a.calls == 0:
		return coldFirst
	case s.ModelSwitched:
		return coldModel
	}
	used := end.used
	if n := len(s.Warmed); n > 0 && a.stillWarm(end.used, s.Warmed) {
		used = max(used, s.Warmed[n-1])
	}
	a.now = max(s.Now, used)
	if s.Now > 0 && used > 0 && a.prices.Cold(time.Duration(s.Now-used)*time.Millisecond) {
		return coldIdle
	}
	// Between the time to live and its safety margin either may be true: the careful
	// assumption is that everything is still there.
	if ttl := a.prices.TTL.Milliseconds(); ttl > 0 {
		a.now = min(a.now, used+ttl)
	}
	return ""
}

// stillWarm reports whether the requests that keep a cache in use came in time, the
// first after the call at used.
func (a *account) stillWarm(used int64, warmed []int64) bool {
	for _, t := range warmed {
		if t <= used {
			continue
		}
		if a.prices.Cold(time.Duration(t-used) * time.Millisecond) {
			return false
		}
		used = t
	}
	return true
}

// replayState is how far replay has come.
type replayState struct {
	plain, real *token.Cache
	// used is the time of the last call.
	used int64
	// summary is the role of a summary that no call has seen yet.
	summary message.Role
	born    int64 // the time of the compaction
	answer  *message.Head
	// model is that of the last call.
	provider, model string
	warmed          []int64

	plainSum, sum   token.Count // of the messages so far, estimated
	plainLast, last token.Count // at the last call, as the provider counts
	pending         []int       // results that will be marked later on
	pruned          bool        // whether there are any marks
	rewritten       bool        // whether any of them came between two calls
}

// replay goes through the calls of the context and bills them twice: as they
// were, and as they would have been with nothing pruned.
func (a *account) replay(in *Input) replayState {
	t := replayState{real: token.NewCache(a.prices), warmed: in.Situation.Warmed}
	for i := range in.Messages {
		t.pruned = t.pruned || in.Messages[i].Marked && in.Messages[i].Was > 0
	}
	if t.pruned {
		t.plain = token.NewCache(a.prices)
	}
	a.ledger = in.Situation.Before
	for i := range in.Messages {
		m := &in.Messages[i]
		if m.Head == nil {
			continue
		}
		switch m.Head.Role {
		case message.RoleCompactionSummary, message.RoleBranchSummary:
			t.summary = m.Head.Role
			if m.Head.Role == message.RoleCompactionSummary {
				t.born = m.Head.Timestamp
			}
			t.answer = nil
		case message.RoleUser:
			t.answer = nil
		case message.RoleAssistant:
			if t.isCall(m.Head) {
				a.call(in, &t, i)
			}
			t.answer = m.Head
		}
		t.add(in, i)
	}
	a.cache, a.changed, a.sent = t.real, len(in.Messages), t.last
	for _, i := range t.pending {
		a.changed = min(a.changed, i)
		a.marked += a.scaled(in.Messages[i].Was - in.sizes[i])
	}
	return t
}

// isCall reports whether an assistant message is the answer to a call that these
// messages were sent with: not a part of the answer before, not one of which only its
// failure is known, and not one from before the compaction.
func (t *replayState) isCall(h *message.Head) bool {
	if SameAnswer(t.answer, h) || t.born > 0 && h.Timestamp > 0 && h.Timestamp <= t.born {
		return false
	}
	u := h.Usage
	return !voided(h) || u.Input+u.CacheRead+u.CacheWrite > 0
}

// add counts a message as the coming calls see it.
func (t *replayState) add(in *Input, i int) {
	m, n := &in.Messages[i], in.sizes[i]
	t.plainSum += n
	t.sum += n
	if m.Marked && m.Was > 0 {
		t.plainSum += m.Was - n
		if m.Since > i {
			t.sum += m.Was - n
			t.pending = append(t.pending, i)
		}
	}
}

// call bills the call whose answer is the message at i.
func (a *account) call(in *Input, t *replayState, i int) {
	h := in.Messages[i].Head
	at := max(h.Timestamp, t.used)
	a.touch(t, at)
	same := t.last
	if first := t.mark(in, i); first >= 0 {
		t.rewritten = true
		same = min(same, a.scaled(a.sizeAt(in, first, t.pending)))
	}
	p := token.Prompt{
		Time: at, Floor: a.floor, Tokens: a.scaled(t.sum), Blocks: a.blocks[i], Same: same,
		New: t.model != "" && (t.model != h.Model || t.provider != h.Provider),
	}
	bill := t.real.Call(p)
	a.ledger.Billed += bill.Cost
	if u := h.Usage; t.rewritten && !in.Situation.OtherUsage && same == t.last && h.HasUsage && u.Input+u.CacheRead+u.CacheWrite > 0 &&
		bill.Read > p.Tokens/2 && token.Count(u.CacheRead) < bill.Read/2 {
		a.collapses++
	}
	if t.plain != nil {
		q := p
		q.Tokens, q.Same = a.scaled(t.plainSum), t.plainLast
		t.plainLast = q.Tokens
		bill = t.plain.Call(q)
	}
	a.ledger.Plain += bill.Cost
	if a.calls == 0 {
		a.first = t.plainSum
	}
	a.calls++
	a.ledger.Calls++
	a.last = t.plainSum
	t.last, t.used, t.summary, t.provider, t.model = p.Tokens, at, "", h.Provider, h.Model
}

// touch applies the requests until then that kept the caches in use.
func (a *account) touch(t *replayState, until int64) {
	for len(t.warmed) > 0 && t.warmed[0] <= until {
		t.real.Touch(t.warmed[0])
		if t.plain != nil {
			t.plain.Touch(t.warmed[0])
		}
		t.warmed = t.warmed[1:]
	}
}

// mark counts the results as pruned that were before the call whose answer is at
// i. It returns the first of these, or -1.
func (t *replayState) mark(in *Input, i int) int {
	first, rest := -1, t.pending[:0]
	for _, j := range t.pending {
		m := &in.Messages[j]
		if m.Since > i {
			rest = append(rest, j)
			continue
		}
		t.sum -= m.Was - in.sizes[j]
		if first < 0 {
			first = j
		}
	}
	t.pending = rest
	return first
}

// sizeAt is the size of the messages before index as a call saw them to which the
// pending ones were not yet marked.
func (a *account) sizeAt(in *Input, index int, pending []int) token.Count {
	n := a.before[index]
	for _, j := range pending {
		if j >= index {
			break
		}
		n += in.Messages[j].Was - in.sizes[j]
	}
	return n
}
