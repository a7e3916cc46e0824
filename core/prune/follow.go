package prune

import (
	"context"
	"slices"
	"sync"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
)

// Memory keeps what a long-running process has learned about its sessions from one decision
// to the next, so that the cost of a turn depends on what is new in it. It is only a cache:
// a session that did not simply continue, or whose stored marks differ, is read again. Its
// methods may be called concurrently for different sessions.
type Memory struct {
	mu       sync.Mutex
	sessions map[string]*follower
	visited  map[string]int // messages visited by the last decision
}

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{sessions: make(map[string]*follower), visited: make(map[string]int)}
}

// maxFollowed is the number of sessions that are kept. A process serves one agent, which
// has one session open at a time.
const maxFollowed = 4

// follower keeps a branch up to date, as the agent knows it: without marks that it was
// never told of.
type follower struct {
	tree   *message.Tree
	branch *Branch
	stored []Mark
	// marks are the stored marks of the branch, by entry. offBranch are those that were
	// decided at entries outside of it, by leaf.
	marks     map[string]*Mark
	offBranch map[string][]*Mark
	items     map[string]int // positions in the context, by entry
	past      *cachedPast
}

// cachedPast is what happened before the last compaction and on other branches, with the
// prices it was billed at. It is set once it was read.
type cachedPast struct {
	read   bool
	prices token.Prices
	known  bool
	past   policy.Past
}

// branch returns the branch of a moment; it continues the last one if possible. The branch
// belongs to the memory: the caller may use it until the next call.
func (m *Memory) branch(ctx context.Context, from Ports, at Moment) (*Branch, error, error) {
	marks, unread := readMarks(ctx, from.Marks, at.Session)
	s, err := from.Session(ctx)
	if err != nil {
		return nil, unread, err
	}
	m.mu.Lock()
	f := m.sessions[at.Session]
	delete(m.sessions, at.Session)
	m.mu.Unlock()
	if f == nil || !f.follow(s, at.Leaf, marks) {
		if f, err = newFollower(s, at, marks); err != nil {
			return nil, unread, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.sessions) >= maxFollowed {
		clear(m.sessions)
	}
	m.sessions[at.Session] = f
	return f.branch, unread, nil
}

// Visited returns how many messages of a session the last decision visited.
func (m *Memory) Visited(session string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.visited[session]
}

// noteVisited records the count of a decision.
func (m *Memory) noteVisited(b *Branch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.visited[b.Session] = b.input.Visited
	b.input.Visited = 0
}

// newFollower reads a branch from its start.
func newFollower(s Session, at Moment, stored []Mark) (*follower, error) {
	b, err := NewBranch(at.Session, s.Entries(), at.Leaf, s.Line, stored)
	if err == nil {
		b, err = b.withoutLost()
	}
	if err != nil {
		return nil, err
	}
	f := &follower{
		tree: s.Entries(), branch: b, marks: make(map[string]*Mark), offBranch: make(map[string][]*Mark),
		items: make(map[string]int, len(b.Messages)), past: &cachedPast{},
	}
	b.follower = f
	b.source.messagesUpTo = make(map[string]int, len(b.source.path))
	b.source.countMessages(func(id string, n int) { b.source.messagesUpTo[id] = n })
	for i := range b.source.items {
		f.items[b.source.items[i].Node.ID] = i
	}
	f.remember(stored)
	b.input = policy.NewInput(slices.Clone(b.Messages))
	b.input.Visited += len(b.source.path)
	b.Messages = b.input.Messages
	return f, nil
}

// remember adds the marks that are new in stored.
func (f *follower) remember(stored []Mark) {
	for i := len(f.stored); i < len(stored); i++ {
		m := &stored[i]
		if _, on := f.branch.source.messagesUpTo[m.Leaf]; on {
			f.marks[m.EntryID] = m
		} else {
			f.offBranch[m.Leaf] = append(f.offBranch[m.Leaf], m)
		}
	}
	f.stored, f.branch.stored = stored, stored
	f.branch.decided = f.branch.decided || len(stored) > 0
}

// follow adds what is new in a session. It reports false when the session did not simply
// continue; the follower is then unusable.
func (f *follower) follow(s Session, leaf string, stored []Mark) bool {
	b, t := f.branch, s.Entries()
	if t != f.tree || len(f.stored) > len(stored) || !slices.Equal(f.stored, stored[:len(f.stored)]) {
		return false
	}
	if slices.ContainsFunc(stored[len(f.stored):], func(m Mark) bool { return f.applied(m.EntryID) }) {
		return false
	}
	path, known := t.Path(leaf), len(b.source.path)
	if known == 0 || len(path) < known || path[known-1] != b.source.path[known-1] {
		return false
	}
	b.source.line, b.Leaf = s.Line, leaf
	f.remember(stored)
	for _, n := range path[known:] {
		if !f.followEntry(n) {
			return false
		}
		b.source.messagesUpTo[n.ID] = len(b.source.items)
	}
	b.source.path = path
	b.input.Prompt = false
	b.Messages = b.input.Messages
	return true
}

// followEntry adds one entry. It reports false like follow.
func (f *follower) followEntry(n *message.Node) bool {
	for _, m := range f.offBranch[n.ID] {
		f.marks[m.EntryID] = m
	}
	delete(f.offBranch, n.ID)
	switch n.Type {
	case message.EntryCompaction:
		return false
	case message.EntryContextEdit:
		return f.edit(n)
	case message.EntryMessage, message.EntryBranchSummary:
		return n.Type == message.EntryMessage && n.Message.Role == message.RoleSystem || n.Body.End == 0 && n.Message.Body.End == 0 || f.put(n)
	case message.EntryCustomMessage:
		return f.put(n)
	case message.EntryCustom:
		return f.custom(n)
	}
	return true
}

// custom applies what a custom entry says about marks.
func (f *follower) custom(n *message.Node) bool {
	b, kind := f.branch, n.Message.CustomType
	b.decided = b.decided || kind == DecisionEntry || kind == MarksEntry
	if kind != MarksEntry && kind != PinsEntry {
		return true
	}
	raw, err := b.source.line(n)
	if err != nil {
		return false
	}
	var p message.Parser
	if kind == PinsEntry {
		return len(p.DataList(raw, "restored")) == 0
	}
	b.source.messagesUpTo[n.ID] = len(b.source.items)
	for _, m := range parseMarks(&p, raw) {
		if f.marks[m.EntryID] == nil {
			m.Leaf, m.Time = n.ID, n.Time
			f.marks[m.EntryID] = &m
		}
		if !f.carry(f.marks[m.EntryID]) {
			return false
		}
	}
	return true
}

// carry applies a mark that the session carries now.
func (f *follower) carry(m *Mark) bool {
	b := f.branch
	i, ok := f.items[m.EntryID]
	if !ok { // removed by a compaction
		return true
	}
	before, last := b.Messages[i], len(b.Untold)
	if b.source.items[i].Edit != nil || len(before.Was) > 0 {
		return false
	}
	b.apply(i, *m)
	if len(b.Untold) == last { // not of a kind that is pruned
		return true
	}
	told := b.Untold[last]
	at, _ := slices.BinarySearchFunc(b.Untold[:last], i, func(m Mark, i int) int { return f.items[m.EntryID] - i })
	b.Untold = slices.Insert(b.Untold[:last], at, told)
	after := b.Messages[i]
	b.Messages[i] = before
	return b.input.Replace(i, after)
}

// applied reports whether a mark of an entry is in force that is not an edit of the session.
func (f *follower) applied(entry string) bool {
	i, ok := f.items[entry]
	return ok && f.branch.source.items[i].Edit == nil && len(f.branch.Messages[i].Was) > 0
}

// put adds the message of an entry.
func (f *follower) put(n *message.Node) bool {
	b := f.branch
	if _, twice := f.items[n.ID]; twice {
		return false
	}
	i := len(b.source.items)
	b.source.items = append(b.source.items, message.Item{Node: n, Head: &n.Message})
	b.keys = append(b.keys, Key{n.Message.Role, n.Message.Timestamp, n.Message.ToolCallID})
	b.Messages = append(b.input.Messages, policy.Message{})
	if b.setMessage(i, &b.source.items[i], nil) != nil {
		return false
	}
	f.items[n.ID] = i
	b.input.Append(b.Messages[i:])
	b.Messages = b.input.Messages
	return true
}

// edit applies a context edit.
func (f *follower) edit(n *message.Node) bool {
	b := f.branch
	i, ok := f.items[n.Target]
	if !ok { // omitted earlier, or removed by a compaction
		return false
	}
	it := &b.source.items[i]
	if n.Omits || it.Edit != nil {
		return false
	}
	*it = it.Edited(n)
	b.source.messagesUpTo[n.ID] = len(b.source.items)
	before := b.Messages[i]
	if b.setMessage(i, it, f.marks[n.Target]) != nil {
		return false
	}
	after := b.Messages[i]
	b.Messages[i] = before
	return b.input.Replace(i, after)
}

// withPast is Branch.withPast, cached while the prices stay the same.
func (f *follower) withPast(sit policy.Situation) (policy.Situation, error) {
	p := f.past
	if !p.read || p.prices.TTL != sit.Prices.TTL || p.prices.Read != sit.Prices.Read || p.prices.Write != sit.Prices.Write || p.known != sit.KnownPrices {
		with, err := f.branch.pastOf(sit)
		if err != nil {
			return sit, err
		}
		*p = cachedPast{true, sit.Prices, sit.KnownPrices, policy.Past{Bill: with.Before, Collapsed: with.Collapsed, Measured: with.Measured}}
	}
	return p.past.Before(sit), nil
}
