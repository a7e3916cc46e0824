package prune

import (
	"cmp"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// account is what the requests of a context were billed so far, and how much of it the
// provider's cache holds. It follows the messages from one plan to the next; what holds at
// the moment of a plan is worked out in a copy.
type account struct {
	replayState
	prices token.Prices
	floor  token.Count
	scale  float64
	// otherUsage is that of the situation.
	otherUsage bool
	// sizes and blocks are those of the messages as they are now.
	sizes, blocks sums
	// first and last are the sizes of the conversation at the first and the last
	// of the calls, estimated.
	first, last token.Count
	calls       int
	// collapses counts the calls that did not find in the cache what they should.
	collapses int

	// What follows holds at the moment of a plan.

	now int64
	// cold is why the cache holds nothing of the coming prompt, "" while it does.
	cold string
	// ahead is what stands before the coming prompt, besides the floor.
	ahead bill.Declared
	// cache is the provider's after the last call.
	cache *token.Cache
	// bill is that of the requests so far.
	bill bill.Bill
	// changed is the position of the first message that is not as the last call saw
	// it, the number of messages when they were only added to.
	changed int
	// sent is the size of the conversation of the last call, and marked what was
	// taken away since, both as the provider counts.
	sent, marked token.Count
	// expected is the number of blocks of a prompt that is not here yet.
	expected int
}

// unknownPrices stand in for prices that are not known: Anthropic's for five
// minutes while the cache is warm, which it counts as for an hour.
func unknownPrices() token.Prices {
	return token.Prices{Name: "unknown", Read: 0.1, Write: 1.25, TTL: time.Hour}
}

// scaled is a size as the provider counts it.
func (a *account) scaled(n token.Count) token.Count { return token.Count(a.scale * float64(n)) }

// account returns the books of the input at the moment of the plan.
func (in *Input) account() *account {
	if in.books == nil {
		if in.ledger == nil || !in.ledger.fits(in) {
			in.ledger = newAccount(in)
		}
		in.ledger.declared = in.Situation.Declared
		in.ledger.follow(in)
		in.books = in.ledger.at(in)
	}
	return in.books
}

// newAccount is an account of no message yet.
func newAccount(in *Input) *account {
	s := &in.Situation
	a := &account{otherUsage: s.OtherUsage}
	a.prices, a.floor, a.scale = in.priced()
	a.book = bill.NewBook(a.prices)
	return a
}

// priced returns the prices, the floor and the scale that hold for the whole context.
func (in *Input) priced() (p token.Prices, floor token.Count, scale float64) {
	s := &in.Situation
	p, floor, scale = s.Prices, s.Floor, s.Scale
	if !s.KnownPrices {
		p = unknownPrices()
	}
	if scale <= 0 {
		floor, scale = calibrate(in)
		if s.Floor > 0 {
			floor = s.Floor
		}
	}
	return p, max(1, floor), scale
}

// fits reports whether the requests so far would be billed as the account did.
func (a *account) fits(in *Input) bool {
	p, floor, scale := in.priced()
	return p == a.prices && floor == a.floor && scale == a.scale && in.Situation.OtherUsage == a.otherUsage &&
		a.warmedDone <= len(in.Situation.Warmed) && a.continues(in.Situation.Declared)
}

// at is the account as it stands at the moment of a plan.
func (a *account) at(in *Input) *account {
	now := *a
	now.book = a.book.Clone()
	now.bill = in.Situation.Before.Plus(now.book.Bill)
	now.cache, now.changed, now.sent = now.book.Sent(), len(in.Messages), now.lastSent
	for _, p := range now.pending {
		now.changed = min(now.changed, p.message)
		now.marked += now.scaled(p.less)
	}
	if in.prompt {
		now.expected = 1
	}
	now.cold = now.coldness(in)
	now.touch(in, now.now)
	now.ahead = bill.DeclaredAt(in.Situation.Declared, now.now)
	if in.Situation.Bill != nil {
		now.bill = *in.Situation.Bill
	}
	return &now
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
func (a *account) coldness(in *Input) string {
	s := &in.Situation
	switch {
	case !a.prices.Caches():
		return coldNone
	case a.summary == message.RoleCompactionSummary:
		return coldCompaction
	case a.summary != "" || s.Moved:
		return coldBranch
	case a.calls == 0:
		return coldFirst
	case s.ModelSwitched:
		return coldModel
	}
	used := a.used
	if n := len(s.Warmed); n > 0 && a.stillWarm(a.used, s.Warmed) {
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

// replayState is how far an account, or a fitting, has come.
type replayState struct {
	next int // messages looked at
	book *bill.Book
	// used is the time of the last call, and latest its place.
	used   int64
	latest int
	// summary is the role of a summary that no call has seen yet.
	summary message.Role
	born    int64 // the time of the compaction
	answer  *message.Head
	// model is that of the last call.
	provider, model string
	warmedDone      int             // of Situation.Warmed
	declared        []bill.Declared // that of the situation

	plainSum, sum       token.Count     // of the messages so far, estimated
	shown               int             // blocks of the messages so far
	plainLast, lastSent token.Count     // at the last call, as the provider counts
	pending             []step          // forms that are still to come
	rewritten           bool            // whether any of them came between two calls
	added               bill.Added      // to the conversation so far
	expands             map[string]bool // calls that bring text back
}

// follow goes through the messages that are new and bills their calls twice: as they
// were, and as they would have been with nothing pruned.
func (a *account) follow(in *Input) {
	for ; a.next < len(in.Messages); a.next++ {
		i := a.next
		in.looked++
		h := in.Messages[i].Head
		a.sizes.add(int(in.sizes[i]))
		a.blocks.add(message.Blocks(h))
		if h == nil {
			continue
		}
		switch h.Role {
		case message.RoleCompactionSummary, message.RoleBranchSummary:
			a.summary = h.Role
			if h.Role == message.RoleCompactionSummary {
				a.born = h.Timestamp
			}
			a.answer = nil
		case message.RoleUser:
			a.answer = nil
		case message.RoleAssistant:
			if a.isCall(h) {
				a.call(in, i)
			}
			a.answer = h
		}
		a.add(in, i)
	}
}

// replaced takes over that the message at i was larger. It reports false when a request
// was billed that saw it as it is now.
func (a *account) replaced(in *Input, i int, was token.Count, old Message) bool {
	if i >= a.next {
		return true
	}
	blocks := message.Blocks(old.Head) - message.Blocks(in.Messages[i].Head)
	a.sizes.change(i, int(in.sizes[i]-was))
	a.blocks.change(i, -blocks)
	return a.becomes(in, i, was, blocks)
}

// becomes has the message at i be as it is now from a request that is still to come.
func (t *replayState) becomes(in *Input, i int, was token.Count, blocks int) bool {
	if i >= t.next {
		return true
	}
	until := in.Messages[i].Was[0].Until
	if until <= t.latest {
		return false
	}
	t.pending = append(t.pending, step{i, until, was - in.sizes[i], blocks})
	return true
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
	blocks      int // that go with it
}

// add counts a message as the coming requests see it.
func (t *replayState) add(in *Input, i int) {
	m, n := &in.Messages[i], in.sizes[i]
	size, blocks := n, message.Blocks(m.Head)
	for k := len(m.Was) - 1; k >= 0; k-- {
		if w := m.Was[k]; w.Until > i {
			before := cmp.Or(w.Blocks, blocks)
			t.pending = append(t.pending, step{i, w.Until, w.Tokens - size, before - blocks})
			size, blocks = w.Tokens, before
		}
	}
	t.sum, t.shown = t.sum+size, t.shown+blocks
	switch {
	case injected(m.Head):
		t.added.Messages += size
	case t.fetched(m.Head):
		t.added.Fetched += size
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
func (a *account) call(in *Input, i int) {
	h := in.Messages[i].Head
	at := max(h.Timestamp, a.used)
	a.touch(in, at)
	same := a.lastSent
	if first := a.mark(in, i); first >= 0 {
		a.rewritten = true
		same = min(same, a.scaled(a.sizeAt(first)))
	}
	p := token.Prompt{
		Time: at, Floor: a.floor, Tokens: a.scaled(a.sum), Blocks: a.shown, Same: same,
		New: a.model != "" && (a.model != h.Model || a.provider != h.Provider),
	}
	got := a.charge(in, h, p)
	if u := h.Usage; a.rewritten && !a.otherUsage && same == a.lastSent && h.HasUsage && u.Input+u.CacheRead+u.CacheWrite > 0 &&
		got.Read > p.Tokens/2 && token.Count(u.CacheRead) < got.Read/2 {
		a.collapses++
	}
	if a.calls == 0 {
		a.first = a.plainSum
	}
	a.calls++
	a.last = a.plainSum
	a.lastSent, a.used, a.latest, a.summary, a.provider, a.model = p.Tokens, at, i, "", h.Provider, h.Model
}

// charge bills a request on both sides. One whose answer does nothing but bring text back
// is a fetch.
func (a *account) charge(in *Input, answer *message.Head, p token.Prompt) token.Bill {
	added := bill.Added{
		Declared: bill.DeclaredAt(in.Situation.Declared, p.Time),
		Markers:  a.scaled(a.added.Markers), Messages: a.scaled(a.added.Messages), Fetched: a.scaled(a.added.Fetched),
	}
	p.Floor += added.Declared.Tokens()
	if fetches(answer) {
		return a.book.Fetch(p, token.Count(answer.Usage.Output))
	}
	q := p
	q.Floor, q.Tokens, q.Same = a.floor, a.scaled(a.plainSum), a.plainLast
	a.plainLast = q.Tokens
	return a.book.Request(q, p, added)
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
func (a *account) touch(in *Input, until int64) {
	warmed := in.Situation.Warmed
	for ; a.warmedDone < len(warmed) && warmed[a.warmedDone] <= until; a.warmedDone++ {
		a.book.Touch(warmed[a.warmedDone])
	}
}

// mark counts as pruned what was pruned before the request whose answer is at i. It
// returns the first such message, or -1.
func (t *replayState) mark(in *Input, i int) int {
	first, rest := -1, t.pending[:0:0]
	for _, p := range t.pending {
		if p.at > i {
			rest = append(rest, p)
			continue
		}
		t.sum, t.shown = t.sum-p.less, t.shown-p.blocks
		switch m := &in.Messages[p.message]; {
		case injected(m.Head):
			t.added.Messages -= p.less
		case t.expands[m.Head.ToolCallID], fetches(m.Head):
			t.added.Fetched -= p.less
		case m.Marked:
			t.added.Markers += in.sizes[p.message]
		}
		if first < 0 || p.message < first {
			first = p.message
		}
	}
	t.pending = rest
	return first
}

// sizeAt is the size of the messages before index as a call saw them to which the
// pending ones were not yet marked.
func (a *account) sizeAt(index int) token.Count {
	n := a.sizeBefore(index)
	for _, p := range a.pending {
		if p.message < index {
			n += p.less
		}
	}
	return n
}

// sizeBefore is the size of the messages before index as they are now, estimated.
func (a *account) sizeBefore(index int) token.Count { return token.Count(a.sizes.before(index)) }
