//go:build unix

package main

import (
	"fmt"
	"math/rand"
	"strings"
	"sync"
)

// truth is what must be there at the end.
type truth struct {
	mu        sync.Mutex
	sessions  map[string]*session
	order     []*session
	redacted  map[string]bool     // secrets that are gone
	purged    map[string]bool     // tokens of lines that are gone, wherever they were
	decisions map[string]decision // by text
	states    map[[2]string]string
	objects   map[string]int    // tool calls that were seen, by session
	blobs     map[string]string // text by id, "" for one that was purged
	numbers   int
	faults    []string // that were seen at once
}

func newTruth() *truth {
	return &truth{
		sessions: map[string]*session{}, redacted: map[string]bool{}, purged: map[string]bool{},
		decisions: map[string]decision{}, states: map[[2]string]string{}, objects: map[string]int{}, blobs: map[string]string{},
	}
}

// session is a session of an agent.
type session struct {
	id, file string
	family   string // the session that it was forked from in the end
	header   string
	lines    []line // of its file now
	old      []line // texts of rewritten lines that were stored before
	seen     []line // texts of rewritten lines that a hook may have stored before
	closed   bool   // no agent writes to it
	frozen   bool   // nothing may be forked from it any more
	gone     bool   // it was purged
}

// line is an entry.
type line struct {
	id, token, secret string
	raw               string
}

// decision is one that was acknowledged.
type decision struct{ id, status string }

// number is one that nothing else has.
func (t *truth) number() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.numbers++
	return t.numbers
}

// open notes a new session.
func (t *truth) open(v *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sessions[v.id] = v
	t.order = append(t.order, v)
}

// change changes a session under the lock.
func (t *truth) change(fn func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fn()
}

// parent chooses a session to fork from and returns its lines, nil for none.
func (t *truth) parent(rng *rand.Rand) (*session, []line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.order) == 0 {
		return nil, nil
	}
	v := t.order[rng.Intn(len(t.order))]
	if v.frozen || len(v.lines) < 3 {
		return nil, nil
	}
	return v, append([]line(nil), v.lines[:2+rng.Intn(len(v.lines)-2)]...)
}

// closedSession chooses one that no agent writes to, nil for none.
func (t *truth) closedSession(rng *rand.Rand) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*session
	for _, v := range t.order {
		if v.closed && !v.gone {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[rng.Intn(len(all))]
}

// freeze chooses a session of whose family all are closed, and returns the family, from
// which nothing is forked any more.
func (t *truth) freeze(rng *rand.Rand) []*session {
	t.mu.Lock()
	defer t.mu.Unlock()
	families := map[string][]*session{}
	open := map[string]bool{}
	var names []string
	for _, v := range t.order {
		if families[v.family] == nil {
			names = append(names, v.family)
		}
		families[v.family] = append(families[v.family], v)
		open[v.family] = open[v.family] || !v.closed || v.gone
	}
	for range 10 {
		if len(names) == 0 {
			return nil
		}
		if name := names[rng.Intn(len(names))]; !open[name] {
			for _, v := range families[name] {
				v.frozen = true
			}
			return families[name]
		}
	}
	return nil
}

// want is what the store must have of a line: nothing, or the line without what was
// redacted.
func (t *truth) want(l line) (string, bool) {
	if t.purged[l.token] {
		return "", false
	}
	if t.redacted[l.secret] {
		return strings.ReplaceAll(l.raw, l.secret, "[redacted]"), true
	}
	return l.raw, true
}

// words are what an entry is made of besides its token.
func words(rng *rand.Rand, n int) string {
	list := strings.Fields("store entry agent session retry lease walrus otter index merge branch token limit handler price cart order total rounding discount")
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%s%d ", list[rng.Intn(len(list))], rng.Intn(50))
	}
	return strings.TrimSpace(b.String())
}
