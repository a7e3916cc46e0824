package summary_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// memory is a Store in memory, for one job at a time.
type memory struct {
	nodes []summary.Node
	lines [][]byte
}

func (m *memory) Summaries(context.Context, string) ([]summary.Node, error) {
	return slices.Clone(m.nodes), nil
}

func (m *memory) Summary(_ context.Context, prefix string) (*summary.Node, error) {
	var found []string
	var node *summary.Node
	for i := range m.nodes {
		if strings.HasPrefix(m.nodes[i].Key, prefix) {
			found = append(found, m.nodes[i].Key)
			node = &m.nodes[i]
		}
	}
	switch len(found) {
	case 0:
		return nil, summary.ErrNotFound
	case 1:
		return node, nil
	}
	return nil, &summary.AmbiguousError{Prefix: prefix, Keys: found}
}

func (m *memory) SummaryParents(_ context.Context, key string) (out []summary.Node, _ error) {
	for _, n := range m.nodes {
		if slices.Contains(n.Sources, key) {
			out = append(out, n)
		}
	}
	return out, nil
}

func (m *memory) Lines(_ context.Context, _ string, fn func([]byte) error) error {
	for _, l := range m.lines {
		if err := fn(l); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) EntryLine(_ context.Context, _, entry string) ([]byte, error) {
	var p message.Parser
	for _, l := range m.lines {
		if e, err := p.ParseEntry(l); err == nil && e.ID == entry {
			return l, nil
		}
	}
	return nil, history.ErrNotFound
}

func (m *memory) PutSummary(_ context.Context, _ summary.Lease, n *summary.Node) error {
	if !slices.ContainsFunc(m.nodes, func(have summary.Node) bool { return have.Key == n.Key }) {
		m.nodes = append(m.nodes, *n)
	}
	return nil
}

func (m *memory) Lease(_ context.Context, session string, _ bool) (summary.Lease, error) {
	return summary.Lease{Session: session}, nil
}

func (m *memory) Renew(context.Context, summary.Lease) error { return nil }

func (m *memory) Release(context.Context, summary.Lease) error { return nil }

// session is a session in memory.
type session struct {
	tree  message.Tree
	lines map[string][]byte
	leaf  string
	cut   string // the first entry that is kept, "" for none
	n     int
}

func newSession(t testing.TB) *session {
	t.Helper()
	s := &session{lines: make(map[string][]byte)}
	s.add(t, `{"type":"session","version":3,"id":"sess","timestamp":"2026-11-20T10:00:00.000Z","cwd":"/w"}`)
	return s
}

func (s *session) add(t testing.TB, line string) {
	t.Helper()
	var p message.Parser
	e, err := p.ParseEntry([]byte(line))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	s.tree.Add(message.Node{Entry: e})
	id := s.tree.Nodes[len(s.tree.Nodes)-1].ID // files of version 1 have none
	s.lines[id] = []byte(line)
	if e.Header == nil {
		s.leaf = id
	}
}

// entry appends a message entry and returns its id.
func (s *session) entry(t testing.TB, msg string) string {
	t.Helper()
	s.n++
	id := fmt.Sprintf("e%07d", s.n)
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC).Add(time.Duration(s.n) * time.Minute).Format(time.RFC3339)
	s.add(t, fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":%q,"message":%s}`, id, s.leaf, at, msg))
	return id
}

func (s *session) user(t testing.TB, text string) string {
	return s.entry(t, fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":%s}]}`, message.AppendQuote(nil, text)))
}

func (s *session) says(t testing.TB, text string) string {
	return s.entry(t, fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":%s}]}`, message.AppendQuote(nil, text)))
}

// runs is a call of bash and its result.
func (s *session) runs(t testing.TB, command, output string) (call, result string) {
	return s.run(t, command, output, strings.Contains(output, "exited with code"))
}

func (s *session) run(t testing.TB, command, output string, failed bool) (call, result string) {
	id := fmt.Sprintf("call%d", s.n)
	call = s.entry(t, fmt.Sprintf(`{"role":"assistant","content":[{"type":"toolCall","id":%q,"name":"bash","arguments":{"command":%s}}]}`, id, message.AppendQuote(nil, command)))
	result = s.entry(t, fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":"bash","content":[{"type":"text","text":%s}],"isError":%v}`, id, message.AppendQuote(nil, output), failed))
	return call, result
}

func (s *session) line(n *message.Node) ([]byte, error) {
	if l, ok := s.lines[n.ID]; ok {
		return l, nil
	}
	return nil, errors.New("it is not there")
}

func (s *session) branch(t testing.TB, cut string) *summary.Branch {
	t.Helper()
	b := must.Get(summary.ReadBranch(&s.tree, s.leaf, cut, summary.Limits{}, s.line))(t)
	return b
}

// talk is a session of n turns, each of about 100 tokens.
func talk(t testing.TB, n int) *session {
	t.Helper()
	s := newSession(t)
	for i := range n {
		s.user(t, fmt.Sprintf("question %d: %s", i, strings.Repeat("why ", 40)))
		s.says(t, fmt.Sprintf("answer %d: %s", i, strings.Repeat("thus ", 40)))
	}
	return s
}

// recorded reads a session that was recorded from pi.
func recorded(t testing.TB, name string) *session {
	t.Helper()
	return read(t, filepath.Join("../../testdata/sessions", name))
}

// read reads a session file.
func read(t testing.TB, file string) *session {
	t.Helper()
	raw := must.Get(os.ReadFile(file))(t)
	s := &session{lines: make(map[string][]byte)}
	for line := range bytes.Lines(raw) {
		s.add(t, strings.TrimRight(string(line), "\n"))
	}
	return s
}

// clock is a clock that stands still until it is told.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() {
		c.at = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	}
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// scribe is a Summarizer of a function; it counts its calls.
type scribe struct {
	mu    sync.Mutex
	asked []summary.Request
	say   func(r summary.Request) (summary.Reply, error)
}

func (s *scribe) Summarize(_ context.Context, r summary.Request) (summary.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r)
	if s.say != nil {
		return s.say(r)
	}
	return summary.Reply{Text: "Written about " + r.ID + ": it went well.", Model: "a/b"}, nil
}

// options are those of a test: small leaves that models write, two models.
func options(c *clock) summary.Options {
	return summary.Options{Leaves: true, LeafTokens: 500, Models: []string{"a/b", "c/d"}, Now: c.now}
}

// work summarises a branch to the end.
func work(t testing.TB, m *memory, b *summary.Branch, o summary.Options, s summary.Summarizer) *summary.Job {
	t.Helper()
	j := must.Get(summary.NewJob(t.Context(), m, b, o, summary.Progress{}))(t)
	must.Do(t, j.Run(t.Context(), s, 4, nil, func(summary.Progress) {}))
	must.Do(t, j.Close(t.Context()))
	return j
}

// sound fails the test when the leaves do not cover every unit once, or a leaf
// cannot be reached from a root.
func sound(t testing.TB, b *summary.Branch, c *summary.Cover) {
	t.Helper()
	at := 0
	for _, l := range c.Leaves {
		if l.Start != at {
			t.Fatalf("a leaf begins at %d, want %d", l.Start, at)
		}
		at = l.End
	}
	if at != len(b.Units) {
		t.Fatalf("%d of %d units are covered", at, len(b.Units))
	}
	at = 0
	for _, r := range c.Roots {
		at = reach(t, r, at)
	}
	if at != len(b.Units) {
		t.Fatalf("%d of %d units are reached from the roots", at, len(b.Units))
	}
}

func reach(t testing.TB, p *summary.PlacedNode, at int) int {
	t.Helper()
	if p.Start != at {
		t.Fatalf("%s begins at %d, want %d", p.Key, p.Start, at)
	}
	if p.Depth == 0 {
		return p.End
	}
	for _, c := range p.Children {
		if c.Depth != p.Depth-1 {
			t.Fatalf("%s of depth %d is made from %s of depth %d", p.Key, p.Depth, c.Key, c.Depth)
		}
		at = reach(t, c, at)
	}
	return at
}

// tokensOf is the size of a text.
func tokensOf(s string) token.Count { return token.OfText(s) }

// assembled is the text that replaces a branch, with the default budget.
func assembled(t testing.TB, b *summary.Branch, nodes []summary.Node) string {
	t.Helper()
	f := must.Get(b.Frame())(t)
	return summary.Assemble(b.Cover(nodes), f, 0)
}
