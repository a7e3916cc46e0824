package prune

import (
	"strings"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
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
	// declared is what stands before the coming prompt, besides the floor.
	declared bill.Declared
	// cache is the provider's after the last call.
	cache *token.Cache
	// first and last are the sizes of the conversation at the first and the last
	// of the calls, estimated.
	first, last token.Count
	calls       int
	// bill is that of the requests so far.
	bill bill.Bill
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
	a.declared = bill.DeclaredAt(s.Declared, a.now)
	if s.Bill != nil {
		a.bill = *s.Bill
	}
	return a
}

// measure adds up the messages as they are now.
func (a *account) measure(in *Input) {
	n := len(in.Messages)
	a.before, a.blocks = make([]token.Count, n+1), make([]int, n+1)
	for i := range in.Messages {
		a.before[i+1] = a.before[i] + in.sizes[i]
		a.blocks[i+1] = a.blocks[i] + message.Blocks(in.Messages[i].Head)
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
	book *bill.Book
	// used is the time of the last call.
	used int64
	// summary is the role of a summary that no call has seen yet.
	summary message.Role
	born    int64 // the time of the compaction
	answer  *message.Head
	// model is that of the last call.
	provider, model string
	warmed          []int64

	plainSum, sum   token.Count     // of the messages so far, estimated
	plainLast, last token.Count     // at the last call, as the provider counts
	pending         []step          // forms that are still to come
	rewritten       bool            // whether any of them came between two calls
	added           bill.Added      // to the conversation so far
	expands         map[string]bool // calls that bring text back
}

// replay goes through the calls of the context and bills them twice: as they
// were, and as they would have been with nothing pruned.
func (a *account) replay(in *Input) replayState {
	t := replayState{book: bill.NewBook(a.prices), warmed: in.Situation.Warmed}
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
	a.bill = in.Situation.Before.Plus(t.book.Bill)
	a.cache, a.changed, a.sent = t.book.Sent(), len(in.Messages), t.last
	for _, p := range t.pending {
		a.changed = min(a.changed, p.message)
		a.marked += a.scaled(p.less)
	}
	return t
}

// isCall reports whether an assistant message is the answer to a call that these
// messages were sent with: not a part of the answer before, not one of which only its
// failure is known, and not one from before the compaction.
func (t *replayState) isCall(h *message.Head) bool {
	if message.SameAnswer(t.answer, h) || t.born > 0 && h.Timestamp > 0 && h.Timestamp <= t.born {
		return false
	}
	u := h.Usage
	return !voided(h) || u.Input+u.CacheRead+u.CacheWrite > 0
}

// step is a message that becomes smaller: for the requests whose answers stand at or
// after at.
type step struct {
	message, at int
	less        token.Count
}

// add counts a message as the coming requests see it.
func (t *replayState) add(in *Input, i int) {
	m, n := &in.Messages[i], in.sizes[i]
	size := n
	for k := len(m.Was) - 1; k >= 0; k-- {
		if w := m.Was[k]; w.Until > i {
			t.pending = append(t.pending, step{i, w.Until, w.Tokens - size})
			size = w.Tokens
		}
	}
	t.sum += size
	switch {
	case injected(m.Head):
		t.added.Messages += n
	case t.fetched(m.Head):
		t.added.Fetched += n
	default:
		t.plainSum += m.original(n)
		if m.Marked && size == n {
			t.added.Markers += n
		}
	}
}

// fetched reports whether a message only brings text back: a result, or the answer that
// called for it.
func (t *replayState) fetched(h *message.Head) bool {
	switch h.Role {
	case message.RoleAssistant:
		for i := range h.Calls {
			if tool.Expands(&h.Calls[i]) {
				if t.expands == nil {
					t.expands = make(map[string]bool)
				}
				t.expands[h.Calls[i].ID] = true
			}
		}
		return fetches(h)
	case message.RoleToolResult:
		return t.expands[h.ToolCallID]
	}
	return false
}

// call bills the call whose answer is the message at i.
func (a *account) call(in *Input, t *replayState, i int) {
	h := in.Messages[i].Head
	at := max(h.Timestamp, t.used)
	a.touch(t, at)
	same := t.last
	if first := t.mark(in, i); first >= 0 {
		t.rewritten = true
		same = min(same, a.scaled(a.sizeAt(first, t.pending)))
	}
	p := token.Prompt{
		Time: at, Floor: a.floor, Tokens: a.scaled(t.sum), Blocks: a.blocks[i], Same: same,
		New: t.model != "" && (t.model != h.Model || t.provider != h.Provider),
	}
	got := a.book(in, t, h, p)
	if u := h.Usage; t.rewritten && !in.Situation.OtherUsage && same == t.last && h.HasUsage && u.Input+u.CacheRead+u.CacheWrite > 0 &&
		got.Read > p.Tokens/2 && token.Count(u.CacheRead) < got.Read/2 {
		a.collapses++
	}
	if a.calls == 0 {
		a.first = t.plainSum
	}
	a.calls++
	a.last = t.plainSum
	t.last, t.used, t.summary, t.provider, t.model = p.Tokens, at, "", h.Provider, h.Model
}

// book bills a request on both sides. One whose answer does nothing but bring text back
// is a fetch.
func (a *account) book(in *Input, t *replayState, answer *message.Head, p token.Prompt) token.Bill {
	added := bill.Added{
		Declared: bill.DeclaredAt(in.Situation.Declared, p.Time),
		Markers:  a.scaled(t.added.Markers), Messages: a.scaled(t.added.Messages), Fetched: a.scaled(t.added.Fetched),
	}
	p.Floor += added.Declared.Tokens()
	if fetches(answer) {
		return t.book.Fetch(p, token.Count(answer.Usage.Output))
	}
	q := p
	q.Floor, q.Tokens, q.Same = a.floor, a.scaled(t.plainSum), t.plainLast
	t.plainLast = q.Tokens
	return t.book.Request(q, p, added)
}

// fetches reports whether an answer does nothing but bring text back.
func fetches(h *message.Head) bool {
	for i := range h.Calls {
		if !tool.Expands(&h.Calls[i]) {
			return false
		}
	}
	return len(h.Calls) > 0
}

// injected reports whether a message is one that pictx put into the conversation.
func injected(h *message.Head) bool {
	return h.Role == message.RoleCustom && strings.HasPrefix(h.CustomType, ownTypes)
}

// ownTypes is how the types of pictx's own messages begin.
const ownTypes = "pictx"

// touch applies the requests until then that kept the caches in use.
func (a *account) touch(t *replayState, until int64) {
	for len(t.warmed) > 0 && t.warmed[0] <= until {
		t.book.Touch(t.warmed[0])
		t.warmed = t.warmed[1:]
	}
}

// mark counts as pruned what was pruned before the request whose answer is at i. It
// returns the first such message, or -1.
func (t *replayState) mark(in *Input, i int) int {
	first, rest := -1, t.pending[:0]
	for _, p := range t.pending {
		if p.at > i {
			rest = append(rest, p)
			continue
		}
		t.sum -= p.less
		if in.Messages[p.message].Marked {
			t.added.Markers += in.sizes[p.message]
		}
		if first < 0 {
			first = p.message
		}
	}
	t.pending = rest
	return first
}

// sizeAt is the size of the messages before index as a call saw them to which the
// pending ones were not yet marked.
func (a *account) sizeAt(index int, pending []step) token.Count {
	n := a.before[index]
	for _, p := range pending {
		if p.message < index {
			n += p.less
		}
	}
	return n
}
