package ledger

import (
	"cmp"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Account is what the requests of a conversation were billed so far, and how much of it the
// provider's cache holds. It follows the messages from one plan to the next; a snapshot
// adds what holds at one moment.
type Account struct {
	replayState
	// Prices are those that apply. Floor and Scale come from the terms or from recorded
	// usage.
	Prices token.Prices
	Floor  token.Count
	Scale  float64
	// First and Last are the estimated sizes of the conversation at the first and last of
	// the requests. Calls is the number of requests.
	First, Last token.Count
	Calls       int
	// Collapses is the number of requests that missed the cache although it should have
	// held most of their prompt.
	Collapses int

	otherUsage    bool       // of the terms
	plainFrom     int        // likewise
	sizes, blocks prefixSums // of the messages as they are now

	// The rest is set in snapshots only.

	// Cold is why nothing of the coming prompt is cached, one of the Cold constants; ""
	// when the cache is warm.
	Cold string
	// Bill is the bill of the requests so far.
	Bill bill.Bill
	// Changed is the position of the first message that differs from what the last request
	// saw, the number of messages when none does.
	Changed int
	// Sent is the size of the conversation in the last request, as the provider counts.
	Sent token.Count

	now      int64
	ahead    bill.Declared // precedes the coming prompt, besides the floor
	cache    *token.Cache  // the provider's cache after the last request
	marked   token.Count   // tokens removed since, as the provider counts
	messages int
	expected int // blocks of a prompt that is not known yet
}

// Scaled converts an estimated size to what the provider counts.
func (a *Account) Scaled(n token.Count) token.Count {
	return token.Count(math.Round(a.Scale * float64(n)))
}

// Account returns the account of the conversation at the moment of the plan.
func (in *Conversation) Account() *Account {
	if in.snapshot == nil {
		if in.running == nil || !in.running.matches(in) {
			in.running = newAccount(in)
		}
		in.running.declared = in.Terms.Declared
		in.running.follow(in)
		in.snapshot = in.running.snapshot(in)
	}
	return in.snapshot
}

// newAccount returns an account without messages.
func newAccount(in *Conversation) *Account {
	s := &in.Terms
	a := &Account{otherUsage: s.OtherUsage, plainFrom: s.PlainFrom}
	a.Prices, a.Floor, a.Scale = in.priced()
	p := a.Prices
	p.Priced = false // in units of one uncached input token
	a.book = bill.NewBook(p)
	return a
}

// priced returns the prices, floor and scale that apply to the whole context.
func (in *Conversation) priced() (p token.Prices, floor token.Count, scale float64) {
	s := &in.Terms
	p, floor, scale = s.Prices, s.Floor, s.Scale
	if !s.KnownPrices {
		p = token.Unknown()
	}
	if scale <= 0 {
		floor, scale = in.Calibrate()
		if s.Floor > 0 {
			floor = s.Floor
		}
	}
	return p, cmp.Or(max(0, floor), token.AssumedFloor), scale
}

// matches reports whether the requests so far would be billed the same under the terms of
// the conversation.
func (a *Account) matches(in *Conversation) bool {
	p, floor, scale := in.priced()
	return reflect.DeepEqual(p, a.Prices) && floor == a.Floor && scale == a.Scale && in.Terms.OtherUsage == a.otherUsage && in.Terms.PlainFrom == a.plainFrom &&
		a.warmedDone <= len(in.Terms.Warmed) && a.continues(in.Terms.Declared)
}

// snapshot returns a copy of the account as it is at the moment of a plan.
func (a *Account) snapshot(in *Conversation) *Account {
	now := *a
	now.book = a.book.Clone()
	now.Bill = in.Terms.Before.Plus(now.book.Tokens)
	now.cache, now.Changed, now.Sent = now.book.Sent(), len(in.Messages), now.lastSent
	for _, p := range now.pending {
		now.Changed = min(now.Changed, p.message)
		now.marked += now.Scaled(max(0, p.less))
	}
	now.pending = nil // shared with the account, which reuses its array
	now.messages = len(in.Messages)
	if in.Prompt {
		now.expected = 1
	}
	now.Cold = now.coldness(in)
	now.touch(in, now.now)
	now.ahead = bill.DeclaredAt(in.Terms.Declared, now.now)
	if in.Terms.Bill != nil {
		now.Bill = *in.Terms.Bill
	}
	return &now
}

// The values of Account.Cold: the provider has no cache, nothing was sent yet, the request
// goes to another model, the session moved to a branch whose cache is lost, the
// conversation was compacted, or it was idle for too long.
const (
	ColdNone       = "none"
	ColdFirst      = "first"
	ColdModel      = "model"
	ColdBranch     = "branch"
	ColdCompaction = "compaction"
	ColdIdle       = "idle"
)

// WhyCold explains a value of Account.Cold to a person.
func WhyCold(cold string) string {
	switch cold {
	case ColdNone:
		return "the provider has no cache to lose"
	case ColdModel:
		return "the cache is another model's"
	case ColdBranch:
		return "the cache of this branch is lost"
	case ColdCompaction:
		return "the cache is from before the compaction"
	case ColdFirst:
		return "nothing is cached yet"
	}
	return "the cache is cold"
}

// coldness returns the value of Cold. A session that moves to another branch finds there what
// the last request of that branch left in the cache, as long as it lasts.
func (a *Account) coldness(in *Conversation) string {
	s := &in.Terms
	moved := a.summary == message.RoleBranchSummary || s.Moved
	switch {
	case !a.Prices.Caches():
		return ColdNone
	case a.summary == message.RoleCompactionSummary:
		return ColdCompaction
	case a.Calls == 0 && moved:
		return ColdBranch
	case a.Calls == 0:
		return ColdFirst
	case s.ModelSwitched:
		return ColdModel
	}
	used := s.lastUse(a.Prices.Cold, a.lastUsed)
	a.now = max(s.Now, used)
	if s.Now > 0 && used > 0 && a.Prices.Cold(time.Duration(s.Now-used)*time.Millisecond) {
		if moved {
			return ColdBranch
		}
		return ColdIdle
	}
	// Between the time to live and its safety margin the cache may be warm or cold. It is
	// assumed to be warm, so that a rewrite is not mistaken for free.
	if ttl := a.Prices.TTL.Milliseconds(); ttl > 0 {
		a.now = min(a.now, used+ttl)
	}
	return ""
}

// replayState is the progress of an account or a fitting through the messages.
type replayState struct {
	next int // messages processed
	book *bill.Book
	// lastUsed is the time of the last request, and lastCall the position of its answer.
	lastUsed int64
	lastCall int
	// summary is the role of a summary that no request has contained yet.
	summary     message.Role
	compactedAt int64 // Unix milliseconds
	lastAnswer  *message.Head
	// provider and model are those of the last request.
	provider, model string
	warmedDone      int             // elements of Terms.Warmed that were applied
	declared        []bill.Declared // that of the terms

	plainSum, sum       token.Count     // estimated size of the messages so far
	blockSum            int             // content blocks of the messages so far
	plainLast, lastSent token.Count     // at the last request, as the provider counts
	pending             []shrinkStep    // messages that shrink at a later request
	rewritten           bool            // whether any message shrank between two requests
	added               bill.Added      // what pictx added to the conversation so far
	expands             map[string]bool // ids of calls that bring text back
}

// follow processes the new messages and bills their requests twice: as they were sent, and
// as plain pi would have sent them.
func (a *Account) follow(in *Conversation) {
	for ; a.next < len(in.Messages); a.next++ {
		i := a.next
		in.Visited++
		h := in.Messages[i].Head
		a.sizes.add(int(in.Sizes[i]))
		a.blocks.add(message.Blocks(h))
		if h == nil {
			continue
		}
		switch h.Role {
		case message.RoleCompactionSummary, message.RoleBranchSummary:
			a.summary = h.Role
			if h.Role == message.RoleCompactionSummary {
				a.compactedAt = h.Timestamp
			}
			a.lastAnswer = nil
		case message.RoleUser:
			a.lastAnswer = nil
		case message.RoleAssistant:
			if a.isCall(h) {
				a.billCall(in, i)
			}
			a.lastAnswer = h
		}
		a.add(in, i)
	}
}

// replaced records that the message at i was pruned; old is its previous form, of size was.
// It reports false when a request that saw the new form is billed already.
func (a *Account) replaced(in *Conversation, i int, was token.Count, old Message) bool {
	if i >= a.next {
		return true
	}
	blocks := message.Blocks(old.Head) - message.Blocks(in.Messages[i].Head)
	a.sizes.change(i, int(in.Sizes[i]-was))
	a.blocks.change(i, -blocks)
	return a.shrinksLater(in, i, was, blocks)
}

// shrinksLater records that the message at i has its present size only in requests that are
// still to come.
func (t *replayState) shrinksLater(in *Conversation, i int, was token.Count, blocks int) bool {
	if i >= t.next {
		return true
	}
	until := in.Messages[i].Was[0].Until
	if until <= t.lastCall {
		return false
	}
	t.pending = append(t.pending, shrinkStep{i, until, was - in.Sizes[i], blocks, in.Messages[i].marker(1, in.Sizes[i])})
	return true
}

// isCall reports whether an assistant message answers a request that consisted of these
// messages. It does not if it is part of the previous answer, if only its failure is known,
// or if it is from before the compaction.
func (t *replayState) isCall(h *message.Head) bool {
	if message.SameAnswer(t.lastAnswer, h) || t.compactedAt > 0 && h.Timestamp > 0 && h.Timestamp <= t.compactedAt {
		return false
	}
	return !message.Unbilled(h)
}

// shrinkStep is a message that becomes smaller, or larger again when less is negative, for
// requests whose answers stand at position at or later.
type shrinkStep struct {
	message, at int
	less        token.Count
	blocks      int         // removed with it
	markers     token.Count // of markers that come into the context; less than 0 when they leave it
}

// add counts a message as the coming requests see it.
func (t *replayState) add(in *Conversation, i int) {
	m, n := &in.Messages[i], in.Sizes[i]
	size, blocks, marker := n, message.Blocks(m.Head), m.marker(len(m.Was), n)
	for k := len(m.Was) - 1; k >= 0; k-- {
		if w := m.Was[k]; w.Until > i {
			before, was := cmp.Or(w.Blocks, blocks), m.marker(k, w.Tokens)
			t.pending = append(t.pending, shrinkStep{i, w.Until, w.Tokens - size, before - blocks, marker - was})
			size, blocks, marker = w.Tokens, before, was
		}
	}
	t.sum, t.blockSum = t.sum+size, t.blockSum+blocks
	switch {
	case injected(m.Head):
		t.added.Messages += size
	case t.fetched(m.Head):
		t.added.Fetched += size
	default:
		if m.Head.Role == message.RoleCompactionSummary || i >= in.Terms.PlainFrom {
			t.plainSum += m.Original(n)
		}
		t.added.Markers += marker
	}
}

// fetched reports whether a message only brings text back: the result, or the answer that
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

// billCall bills the request whose answer is the message at i.
func (a *Account) billCall(in *Conversation, i int) {
	h := in.Messages[i].Head
	at := max(h.Timestamp, a.lastUsed)
	a.touch(in, at)
	same := a.lastSent
	if first := a.shrinkBefore(in, i); first >= 0 {
		a.rewritten = true
		same = min(same, a.Scaled(a.sizeAt(first)))
	}
	p := token.Prompt{
		Time: at, Floor: a.Floor, Tokens: a.Scaled(a.sum), Blocks: a.blockSum, Same: same,
		New: a.model != "" && (a.model != h.Model || a.provider != h.Provider),
	}
	got := a.charge(in, h, p)
	if u := h.Usage; a.rewritten && !a.otherUsage && same == a.lastSent && h.HasUsage && u.Input+u.CacheRead+u.CacheWrite > 0 &&
		got.Read > p.Tokens/2 && token.Count(u.CacheRead) < got.Read/2 {
		a.Collapses++
	}
	if a.Calls == 0 {
		a.First = a.plainSum
	}
	a.Calls++
	a.Last = a.plainSum
	a.lastSent, a.lastUsed, a.lastCall, a.summary, a.provider, a.model = p.Tokens, at, i, "", h.Provider, h.Model
}

// charge bills a request with and without pictx. A request whose answer only brings text
// back exists only because of pictx.
func (a *Account) charge(in *Conversation, answer *message.Head, p token.Prompt) token.Bill {
	added := bill.Added{
		Declared: bill.DeclaredAt(in.Terms.Declared, p.Time),
		Markers:  a.Scaled(a.added.Markers), Messages: a.Scaled(a.added.Messages), Fetched: a.Scaled(a.added.Fetched),
	}
	p.Floor += added.Declared.Tokens()
	if fetches(answer) {
		return a.book.Fetch(p, token.Count(answer.Usage.Output))
	}
	q := p
	q.Floor, q.Tokens, q.Same = a.Floor, a.Scaled(a.plainSum), a.plainLast
	a.plainLast = q.Tokens
	return a.book.Request(q, p, added)
}

// fetches reports whether an answer consists only of calls that bring text back.
func fetches(h *message.Head) bool {
	for i := range h.Calls {
		if !tool.Expands(&h.Calls[i]) {
			return false
		}
	}
	return len(h.Calls) > 0
}

// injected reports whether pictx put a message into the conversation.
func injected(h *message.Head) bool {
	return h.Role == message.RoleCustom && strings.HasPrefix(h.CustomType, ownTypePrefix)
}

// ownTypePrefix begins the types of pictx's own messages.
const ownTypePrefix = "pictx"

// touch applies the keep-alive requests up to that time.
func (a *Account) touch(in *Conversation, until int64) {
	warmed := in.Terms.Warmed
	for ; a.warmedDone < len(warmed) && warmed[a.warmedDone] <= until; a.warmedDone++ {
		a.book.Refresh(warmed[a.warmedDone])
	}
}

// shrinkBefore applies the steps that precede the request whose answer is at i. It returns
// the position of the first message that shrinks, or -1.
func (t *replayState) shrinkBefore(in *Conversation, i int) int {
	first, rest := -1, t.pending[:0] // in place: a copy per request would add up to megabytes
	for _, p := range t.pending {
		if p.at > i {
			rest = append(rest, p)
			continue
		}
		t.sum, t.blockSum = t.sum-p.less, t.blockSum-p.blocks
		switch m := &in.Messages[p.message]; {
		case injected(m.Head):
			t.added.Messages -= p.less
		case t.expands[m.Head.ToolCallID], fetches(m.Head):
			t.added.Fetched -= p.less
		default:
			t.added.Markers += p.markers
		}
		if first < 0 || p.message < first {
			first = p.message
		}
	}
	t.pending = rest
	return first
}

// sizeAt is the estimated size of the messages before index with the pending steps not yet
// applied.
func (a *Account) sizeAt(index int) token.Count {
	n := a.sizeBefore(index)
	for _, p := range a.pending {
		if p.message < index {
			n += p.less
		}
	}
	return n
}

// sizeBefore is the estimated size of the messages before index as they are now.
func (a *Account) sizeBefore(index int) token.Count { return token.Count(a.sizes.before(index)) }

// Peek returns the cost of the coming request if removable tokens are pruned and everything
// before the message at from stays as it is. What the cache is about to forget does not count
// as read: one that is a second too old would have the whole prompt written again.
func (a *Account) Peek(removable token.Count, from int) token.Bill {
	p := a.prompt(removable, from)
	if from >= a.messages {
		return a.cache.Peek(p)
	}
	return a.cache.PeekSafely(p)
}

// Breakpoints returns what the provider still holds of the last request.
func (a *Account) Breakpoints() []token.Breakpoint { return a.cache.Breakpoints(a.now) }

// prompt returns the prompt that Peek bills.
func (a *Account) prompt(removable token.Count, from int) token.Prompt {
	return token.Prompt{
		Time: a.now, Floor: a.Floor + a.ahead.Tokens(), Tokens: a.Scaled(a.sizeBefore(a.messages)) - removable,
		Blocks: a.blocks.before(a.messages) + a.expected, Same: a.Scaled(a.sizeBefore(min(from, a.Changed))),
	}
}

// Plain returns the cost of the coming request without further pruning.
func (a *Account) Plain() token.Bill { return a.cache.Peek(a.prompt(0, a.messages)) }

// Reaches reports whether the provider can still find a cache breakpoint before the message
// at from. A cache of common prefixes always can.
func (a *Account) Reaches(from int) bool {
	return a.Prices.Prefix || a.blocks.before(a.messages)+a.expected-a.blocks.before(from) <= token.LookBack
}

// Owed returns how much more the coming request, whose cost is plain, costs because of
// decisions since the last request.
func (a *Account) Owed(plain token.Bill) float64 {
	if a.Changed == a.messages {
		return 0
	}
	p := a.prompt(0, a.messages)
	p.Same = a.Sent
	return (a.Prices.Write - a.Prices.Read) * float64(max(0, a.cache.Peek(p).Read-plain.Read-a.marked))
}
