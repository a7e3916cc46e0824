package summary_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// stored is a session with its summaries in a store.
func stored(t *testing.T, s *session, o summary.Options) (*memory, *summary.Branch) {
	t.Helper()
	m := &memory{}
	for i := range s.tree.Nodes {
		m.lines = append(m.lines, s.lines[s.tree.Nodes[i].ID])
	}
	b := s.branch(t, "")
	work(t, m, b, o, &scribe{})
	return m, b
}

// shown takes the sources' own text out of a page.
func shown(t *testing.T, page string) string {
	t.Helper()
	var b strings.Builder
	for rest := page; ; {
		m := regexp.MustCompile(`<<<([0-9a-f]{8})\n`).FindStringSubmatchIndex(rest)
		if m == nil {
			return b.String()
		}
		end := "\n" + rest[m[2]:m[3]] + ">>>"
		rest = rest[m[1]:]
		i := strings.Index(rest, end)
		if i < 0 {
			t.Fatalf("a fence is not closed: %.200s", rest)
		}
		b.WriteString(rest[:i])
		rest = rest[i+len(end):]
	}
}

// Holds history 35, 36, 37.
func TestExpandPagesAreEveryByteOnce(t *testing.T) {
	s := newSession(t)
	want := ""
	for i := range 12 {
		text := fmt.Sprintf("message %d: %s", i, strings.Repeat("wörter 漢字 ", i*i*40))
		s.user(t, text)
		want += text
		s.entry(t, `{"role":"assistant","content":[]}`)
	}
	o := options(&clock{})
	o.LeafTokens, o.Threshold, o.MaxCalls = 4000, 2, 1000
	m, b := stored(t, s, o)
	c := b.Cover(m.nodes)
	root := c.Roots[0]
	if root.Depth == 0 {
		t.Fatalf("the first root is a leaf: %+v", c.Roots)
	}
	for _, budget := range []token.Count{400, 1000, 8000} {
		got, cursor := "", 0
		for pages := 0; ; pages++ {
			p := must.Get(summary.Expand(t.Context(), m, root.Node, summary.PageRequest{Depth: 9, Cursor: cursor, Budget: budget}))(t)
			if n := token.OfText(p.Text); n > budget {
				t.Errorf("a page of %d tokens, at most %d", n, budget)
			}
			got += shown(t, p.Text)
			if p.Next == 0 {
				break
			}
			if p.Next <= cursor || pages > 10_000 {
				t.Fatalf("from %d to %d", cursor, p.Next)
			}
			cursor = p.Next
		}
		if !strings.HasPrefix(want, got) || got == "" || len(got) != total(t, m, root.Node) {
			t.Errorf("with pages of %d: %d bytes of %d, equal: %v", budget, len(got), len(want), strings.HasPrefix(want, got))
		}
	}
}

func total(t *testing.T, m *memory, n *summary.Node) int {
	t.Helper()
	all := must.Get(summary.Sources(t.Context(), m, n, 9))(t)
	sum := 0
	for _, s := range all {
		sum += len(s.Text)
	}
	return sum
}

// Holds history 35.
func TestExpandOpensOneLevel(t *testing.T) {
	s := talk(t, 20)
	o := options(&clock{})
	o.Threshold = 2
	m, b := stored(t, s, o)
	c := b.Cover(m.nodes)
	leaf := must.Get(summary.Expand(t.Context(), m, c.Leaves[0].Node, summary.PageRequest{Depth: 1, Budget: 4000}))(t)
	for _, want := range []string{"e0000001 (user, 2026-11-20 10:01)", "e0000002 (assistant, 2026-11-20 10:02)", "question 0:"} {
		must.Contain(t, leaf.Text, want, "the leaf lacks")
	}
	node := must.Get(summary.Expand(t.Context(), m, c.Roots[0].Node, summary.PageRequest{Depth: 1, Budget: 4000}))(t)
	for _, below := range c.Roots[0].Children {
		if !strings.Contains(node.Text, below.Key) || !strings.Contains(node.Text, below.Text) {
			t.Errorf("the node lacks %s", below.Key)
		}
	}
	if strings.Contains(node.Text, "question 0:") {
		t.Error("the node shows messages")
	}
}

// Holds history 39.
func TestExpandEndsOnCyclesAndMissingNodes(t *testing.T) {
	m := &memory{nodes: []summary.Node{
		{Key: "s-aaaaaaaaaaaa", Depth: 1, Sources: []string{"s-bbbbbbbbbbbb", "s-cccccccccccc"}},
		{Key: "s-bbbbbbbbbbbb", Depth: 1, Sources: []string{"s-aaaaaaaaaaaa"}},
		{Key: "s-dddddddddddd", Depth: 0, Sources: []string{"gone"}},
	}}
	p, err := summary.Expand(t.Context(), m, &m.nodes[0], summary.PageRequest{Depth: 9, Budget: 4000})
	if err != nil || !strings.Contains(p.Text, "s-cccccccccccc (a summary that is not stored any more)") {
		t.Error(p.Text, err)
	}
	p, err = summary.Expand(t.Context(), m, &m.nodes[2], summary.PageRequest{Depth: 1, Budget: 4000})
	if err != nil || !strings.Contains(p.Text, "gone (a message that is not stored any more)") {
		t.Error(p.Text, err)
	}
	b := talk(t, 2).branch(t, "")
	if c := b.Cover(m.nodes); len(c.Roots) != 0 {
		t.Errorf("roots: %v", c.Roots)
	}
}

// Holds history 38, 40.
func TestDescribeNamesStateSourcesAndText(t *testing.T) {
	s := talk(t, 20)
	o := options(&clock{})
	o.Threshold = 2
	m, b := stored(t, s, o)
	v := must.Get(summary.ViewOf(t.Context(), m, b))(t)
	below := v.Cover.Roots[0].Children[0]
	text, n, err := v.DescribeNode(t.Context(), m, below.Key[:8], 4000)
	if err != nil || n.Key != below.Key {
		t.Fatal(err)
	}
	for _, want := range []string{"depth ", "2026-11-20 10:01", " tokens made of ", "written by a/b", "in force", "in " + v.Cover.Roots[0].Key, "from ", below.Text} {
		must.Contain(t, text, want, "it lacks")
	}
	if _, _, err := v.DescribeNode(t.Context(), m, "s-ffffffffffff", 4000); !errors.Is(err, summary.ErrNotFound) {
		t.Error(err)
	}
	var many *summary.AmbiguousError
	if _, _, err := v.DescribeNode(t.Context(), m, "s-", 4000); !errors.As(err, &many) || len(many.Keys) != len(m.nodes) {
		t.Error(err)
	}
	overview := v.Describe(summary.Overview, 4000)
	for _, r := range v.Cover.Roots {
		must.Contain(t, overview, r.Key, "the overview lacks")
	}
	first, last := v.Cover.Leaves[0], v.Cover.Leaves[len(v.Cover.Leaves)-1]
	if !strings.Contains(v.Describe(summary.Earliest, 4000), first.Text) || !strings.Contains(v.Describe(summary.Recent, 4000), last.Text) {
		t.Error("the earliest or the most recent one is another")
	}
	id := b.Units[0].ID
	s.lines[id] = append(s.lines[id], ' ')
	if v, err = summary.ViewOf(t.Context(), m, s.branch(t, "")); err != nil {
		t.Fatal(err)
	}
	if text, _, _ = v.DescribeNode(t.Context(), m, first.Key, 4000); !strings.Contains(text, "STALE") {
		t.Errorf("a stale summary is not called so:\n%s", text)
	}
	if tree := v.Tree(0); !strings.Contains(tree, "(stale) "+first.Key) || !strings.Contains(tree, "not summarised: ") {
		t.Errorf("the tree:\n%s", tree)
	}
}

func TestTheTreeNamesNodesByThePromptsThatTheyCover(t *testing.T) {
	s := recorded(t, "shop-main.jsonl")
	o := options(&clock{})
	o.Threshold = 2
	m, b := stored(t, s, o)
	v, err := summary.ViewOf(t.Context(), m, b)
	if err != nil || len(v.Cover.Roots) == 0 || len(v.Cover.Leaves) < 2 {
		t.Fatalf("%v, %v", v, err)
	}
	tree := v.Tree(0)
	for _, p := range slices.Concat(v.Cover.Roots, v.Cover.Leaves) {
		prompt := ""
		for _, u := range b.Units[p.Start:p.End] {
			if u.Message.Role == message.RoleUser {
				prompt = string(u.AppendBody(nil, s.lines[u.ID]))
				break
			}
		}
		label := v.Label(p)
		if start, _, _ := strings.Cut(prompt, " "); !strings.HasPrefix(label, `"`+start) && !(prompt == "" && strings.HasPrefix(label, `goes on with "`)) {
			t.Errorf("%s covers %q and is called %s", p.Key, prompt, label)
		}
		if !strings.Contains(tree, p.Key+" (depth ") || !strings.Contains(tree, ": "+label) {
			t.Errorf("the tree lacks %s: %s\n%s", p.Key, label, tree)
		}
	}
}

func TestAPersonReadsTimesInTheirZoneAndAModelInUTC(t *testing.T) {
	s := recorded(t, "shop-main.jsonl")
	o := options(&clock{})
	m, b := stored(t, s, o)
	v, err := summary.ViewOf(t.Context(), m, b)
	if err != nil || len(v.Cover.Leaves) == 0 {
		t.Fatalf("%v, %v", v, err)
	}
	leaf := v.Cover.Leaves[0].Node
	ends := func(zone *time.Location) string { return time.UnixMilli(leaf.To).In(zone).Format("15:04Z07:00") }
	both := func() string { return v.Tree(0) + "\n" + v.Describe(summary.Earliest, 4000) }
	if text := both(); strings.Count(text, ends(time.UTC)) < 2 || !strings.Contains(text, leaf.Key+" (depth 0, ") {
		t.Errorf("a model is not told the time in UTC:\n%s", text)
	}
	v.Zone = time.FixedZone("", 9*60*60)
	if text := both(); strings.Count(text, ends(v.Zone)) < 2 || strings.Contains(text, ends(time.UTC)) || !strings.Contains(text, leaf.Key+" (depth 0, ") {
		t.Errorf("a person is not told the time in their zone:\n%s", text)
	}
}

func TestTreeOfAStoredSessionIsTheFiles(t *testing.T) {
	s := recorded(t, "shop-main.jsonl")
	m := &memory{}
	for i := range s.tree.Nodes {
		m.lines = append(m.lines, s.lines[s.tree.Nodes[i].ID])
	}
	tree, line, err := summary.Tree(t.Context(), m, "x")
	if err != nil {
		t.Fatal(err)
	}
	b := must.Get(summary.ReadBranch(tree, tree.Leaf(), "", summary.Limits{}, line))(t)
	want := s.branch(t, "")
	if len(b.Units) != len(want.Units) || b.Session != want.Session {
		t.Fatalf("%d units, want %d", len(b.Units), len(want.Units))
	}
	for i := range b.Units {
		if b.Units[i].Hash != want.Units[i].Hash || b.Units[i].Tokens != want.Units[i].Tokens {
			t.Errorf("unit %d differs", i)
		}
	}
	for _, u := range b.Units {
		if u.Message.Role == message.RoleSystem {
			t.Error("the system prompt is covered")
		}
	}
}
