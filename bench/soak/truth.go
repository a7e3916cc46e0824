//go:build unix

package main

import (
	"fmt"
	"math/rand"
	"strings"
	"sync"
)

// truth is the expected final state.
type truth struct {
	mu        sync.Mutex
	sessions  map[string]*session
	order     []*session
	redacted  map[string]bool     // erased secrets
	purged    map[string]bool     // tokens of erased lines
	decisions map[string]decision // by text
	states    map[[2]string]string
	objects   map[string]int    // number of recorded tool calls, by session
	blobs     map[string]string // text by id, "" when purged
	numbers   int
	faults    []string // detected during the run
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
	family   string // id of the session at the root of its forks
	header   string
	lines    []line // the present lines of its file
	old      []line // former texts of rewritten lines that were stored
	seen     []line // former texts of rewritten lines that a hook may have stored
	closed   bool   // no agent writes to it
	frozen   bool   // it must not be forked any more
	gone     bool   // it was purged
}

// line is an entry.
type line struct {
	id, token, secret string
	raw               string
}

// decision is an acknowledged decision.
type decision struct{ id, status string }

// number returns a unique number.
func (t *truth) number() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.numbers++
	return t.numbers
}

// open records a new session.
func (t *truth) open(v *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sessions[v.id] = v
	t.order = append(t.order, v)
}

// change calls fn with the lock held.
func (t *truth) change(fn func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fn()
}

// parent chooses a session to fork and returns it with the lines to copy, nil for none.
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

// closedSession chooses a session to which no agent writes, nil for none.
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

// freeze chooses a family of forks whose sessions are all closed, and returns it. None of
// them is forked any more.
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

// want returns what the store must have for a line: the line with redactions applied, false
// when it must be gone.
func (t *truth) want(l line) (string, bool) {
	if t.purged[l.token] {
		return "", false
	}
	if t.redacted[l.secret] {
		return strings.ReplaceAll(l.raw, l.secret, "[redacted]"), true
	}
	return l.raw, true
}

// words returns random words for the text of an entry.
func words(rng *rand.Rand, n int) string {
	list := strings.Fields("store entry agent session retry lease walrus otter index merge branch token limit handler price cart order total rounding discount")
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%s%d ", list[rng.Intn(len(list))], rng.Intn(50))
	}
	return strings.TrimSpace(b.String())
}
