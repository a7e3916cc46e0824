package summary_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/history/recall"
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

// opened answers a call of lcm_expand for a node.
func opened(t *testing.T, m *memory, n *summary.Node, r recall.ExpandRequest) (string, recall.ExpandDetails) {
	t.Helper()
	a := must.Get(summary.ExpandText(t.Context(), m, n.Key, r))(t)
	return a.Text, a.Details.(recall.ExpandDetails)
}

// shown takes what a page shows out of its fence.
func shown(t *testing.T, page string) string {
	t.Helper()
	m := regexp.MustCompile(`(?s)<<<([0-9a-f]{8})\n(.*)\n([0-9a-f]{8})>>>`).FindStringSubmatch(page)
	if m == nil || m[1] != m[3] {
		t.Fatalf("a fence is not closed: %.200s", page)
	}
	return m[2]
}

// Holds history 35, 36, 37.
func TestExpandPagesAreEveryByteOnce(t *testing.T) {
	s := newSession(t)
	for i := range 12 {
		s.user(t, fmt.Sprintf("message %d: %s", i, strings.Repeat("wörter 漢字 ", i*i*40)))
		s.entry(t, `{"role":"assistant","content":[]}`)
	}
	o := options(&clock{})
	o.LeafTokens, o.Threshold, o.MaxCalls = 4000, 2, 1000
	m, b := stored(t, s, o)
	root := b.Cover(m.nodes).Roots[0]
	if root.Depth == 0 {
		t.Fatalf("the first root is a leaf: %+v", root)
	}
	sources := must.Get(summary.Sources(t.Context(), m, root.Node, 9))(t)
	for _, budget := range []int{400, 1000, 8000} {
		got, r := "", recall.ExpandRequest{Depth: 9, MaxTokens: budget}
		for pages := 0; ; pages++ {
			text, d := opened(t, m, root.Node, r)
			if n := token.OfText(text); int(n) > budget {
				t.Errorf("a page of %d tokens, at most %d", n, budget)
			}
			got += shown(t, text)
			if d.Cursor == "" {
				break
			}
			next := must.Get(strconv.Atoi(d.Cursor))(t)
			if next <= r.Cursor || pages > 10_000 {
				t.Fatalf("from %d to %d", r.Cursor, next)
			}
			must.Contain(t, text, `", depth=9`, "the next call")
			r.Cursor = next
		}
		at := 0
		for _, source := range sources {
			begin := strings.Index(got[at:], " "+source.ID+" (") // and the text follows
			end := strings.Index(got[at+max(begin, 0):], "\n") + at + begin + 1
			if begin < 0 || !strings.HasPrefix(got[end:], source.Text) {
				t.Fatalf("with pages of %d: %s is not there, or not in order", budget, source.ID)
			}
			at = end + len(source.Text)
		}
		if len(got)-at > 1 {
			t.Errorf("with pages of %d: after the last source %q", budget, got[at:])
		}
	}
}

// Holds history 35.
func TestExpandOpensOneLevel(t *testing.T) {
	s := talk(t, 20)
	o := options(&clock{})
	o.Threshold = 2
	m, b := stored(t, s, o)
	c := b.Cover(m.nodes)
	leaf, _ := opened(t, m, c.Leaves[0].Node, recall.ExpandRequest{})
	for _, want := range []string{"e0000001 (user, 2026-11-20 10:01)", "e0000002 (assistant, 2026-11-20 10:02)", "question 0:"} {
		must.Contain(t, leaf, want, "the leaf lacks")
	}
	node, _ := opened(t, m, c.Roots[0].Node, recall.ExpandRequest{})
	for _, below := range c.Roots[0].Children {
		must.Contain(t, node, below.Key, "the node lacks")
		must.Contain(t, node, below.Text, "the node lacks")
	}
	must.Lack(t, node, "question 0:", "the node shows messages")
	some, _ := opened(t, m, c.Leaves[0].Node, recall.ExpandRequest{Around: "answer 1:"})
	if !strings.Contains(some, "answer 1:") || strings.Contains(some, "question 9:") {
		t.Errorf("the lines around a text: %s", some)
	}
}

// Holds history 39.
func TestExpandEndsOnCyclesAndMissingNodes(t *testing.T) {
	m := &memory{nodes: []summary.Node{
		{Key: "s-aaaaaaaaaaaa", Depth: 1, Sources: []string{"s-bbbbbbbbbbbb", "s-cccccccccccc"}},
		{Key: "s-bbbbbbbbbbbb", Depth: 1, Sources: []string{"s-aaaaaaaaaaaa"}},
		{Key: "s-dddddddddddd", Depth: 0, Sources: []string{"gone"}},
	}}
	text, _ := opened(t, m, &m.nodes[0], recall.ExpandRequest{Depth: 9})
	must.Contain(t, text, "s-cccccccccccc (a summary that is not stored any more)", "a cycle")
	text, _ = opened(t, m, &m.nodes[2], recall.ExpandRequest{})
	must.Contain(t, text, "gone (a message that is not stored any more)", "a message")
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
	m, want := stored(t, s, summary.Options{Now: (&clock{}).now})
	tree, line, err := summary.Tree(t.Context(), m, "x")
	must.Do(t, err)
	b := must.Get(summary.ReadBranch(tree, tree.Leaf(), "", summary.Limits{}, line))(t)
	must.Equal(t, b.Session, want.Session, "session")
	for i, u := range b.Units {
		if u.Hash != want.Units[i].Hash || u.Tokens != want.Units[i].Tokens || u.Message.Role == message.RoleSystem || len(b.Units) != len(want.Units) {
			t.Errorf("unit %d of %d differs from that of %d", i, len(b.Units), len(want.Units))
		}
	}
}
