package summary_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// Holds history 43.
func TestACallAndItsResultsAreInOneLeaf(t *testing.T) {
	s := newSession(t)
	for i := range 30 {
		s.user(t, fmt.Sprintf("run %d", i))
		ids := []string{fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i)}
		s.entry(t, fmt.Sprintf(`{"role":"assistant","content":[{"type":"toolCall","id":%q,"name":"bash","arguments":{"command":"a"}},{"type":"toolCall","id":%q,"name":"bash","arguments":{"command":"b"}}]}`, ids[0], ids[1]))
		for _, id := range ids {
			s.entry(t, fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":"bash","content":[{"type":"text","text":%q}]}`, id, strings.Repeat("out ", 30*(i%7))))
		}
	}
	b := s.branch(t, "")
	for _, size := range []token.Count{50, 120, 300, 1000} {
		m := &memory{}
		o := options(&clock{})
		o.LeafTokens = size
		work(t, m, b, o, &scribe{})
		c := b.Cover(m.nodes)
		sound(t, b, c)
		for _, l := range c.Leaves {
			open := map[string]bool{}
			for _, u := range b.Units[l.Start:l.End] {
				for _, call := range u.Message.Calls {
					open[call.ID] = true
				}
				if u.Message.Role == message.RoleToolResult && !open[u.Message.ToolCallID] {
					t.Fatalf("with leaves of %d a result is in a leaf without its call", size)
				}
				delete(open, u.Message.ToolCallID)
			}
			if len(open) > 0 {
				t.Fatalf("with leaves of %d a call is in a leaf without its result", size)
			}
		}
	}
}

// Holds history 12, 42.
func TestLeafCoversEveryBranchWithItsSpan(t *testing.T) {
	s := talk(t, 10)
	fork := s.leaf
	s.user(t, "one way "+strings.Repeat("on ", 400))
	s.says(t, "gone")
	one := s.branch(t, "")
	m := &memory{}
	o := options(&clock{})
	work(t, m, one, o, &scribe{})
	before := len(m.nodes)
	s.leaf = fork
	s.user(t, "another way "+strings.Repeat("off ", 400))
	s.says(t, "gone too")
	other := s.branch(t, "")
	sc := &scribe{}
	work(t, m, other, o, sc)
	sound(t, other, other.Cover(m.nodes))
	sound(t, one, one.Cover(m.nodes))
	if len(m.nodes) == before {
		t.Fatal("nothing was made for the other branch")
	}
	for _, r := range sc.asked {
		if strings.Contains(r.Prompt, "question 0:") || strings.Contains(r.Prompt, "one way") {
			t.Error("the other branch's run asks for what was summarised, or for what is not on it")
		}
	}
	states := other.Cover(m.nodes).States
	if !slices.Contains(values(states), summary.Elsewhere) || !slices.Contains(values(states), summary.Current) {
		t.Errorf("states: %v", states)
	}
}

func values(m map[string]summary.State) []summary.State {
	var out []summary.State
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

// Holds history 58.
func TestChangedSourceMakesAllSummariesAboveStale(t *testing.T) {
	s := talk(t, 60)
	b := s.branch(t, "")
	m := &memory{}
	o := options(&clock{})
	o.Threshold = 2
	work(t, m, b, o, &scribe{})
	c := b.Cover(m.nodes)
	if c.Depth() < 2 {
		t.Fatalf("depth %d, want more", c.Depth())
	}
	id := b.Units[3].ID
	s.lines[id] = []byte(strings.Replace(string(s.lines[id]), "answer 1", "rewritt", 1))
	b = s.branch(t, "")
	c = b.Cover(m.nodes)
	if len(c.Gaps) != 1 || c.Gaps[0][0] > 3 || c.Gaps[0][1] <= 3 {
		t.Fatalf("gaps: %v, want the one around unit 3", c.Gaps)
	}
	stale := 0
	for _, n := range m.nodes {
		holds := n.First <= id && id <= n.Last
		if got := c.States[n.Key] == summary.Stale; got != holds {
			t.Errorf("%s of depth %d from %s to %s: %s", n.Key, n.Depth, n.First, n.Last, c.States[n.Key])
		}
		if holds {
			stale++
		}
	}
	if stale < 3 {
		t.Errorf("%d stale summaries: the test does not reach upwards", stale)
	}
	work(t, m, b, o, &scribe{})
	sound(t, b, b.Cover(m.nodes))
}

func TestAdoptedNodeCoversItsSources(t *testing.T) {
	b := talk(t, 20).branch(t, "")
	m := &memory{}
	o := options(&clock{})
	work(t, m, b, o, &scribe{})
	for i := range m.nodes {
		m.nodes[i].Hash = ""
	}
	sound(t, b, b.Cover(m.nodes))
	sc := &scribe{}
	work(t, m, b, o, sc)
	if len(sc.asked) > 0 {
		t.Errorf("%d questions for what there is", len(sc.asked))
	}
}

// Holds history 57.
func TestCondensingTakesTheOldestNeighboursOfOneDepth(t *testing.T) {
	for _, n := range []int{6, 7, 12, 13, 42, 43, 60} {
		s := newSession(t)
		for i := range n {
			s.user(t, fmt.Sprintf("q%d %s", i, strings.Repeat("why ", 200)))
			s.says(t, strings.Repeat("thus ", 200))
		}
		b := s.branch(t, "")
		m := &memory{}
		o := options(&clock{})
		o.LeafTokens = 500
		o.MaxCalls = 1000
		work(t, m, b, o, &scribe{})
		c := b.Cover(m.nodes)
		sound(t, b, c)
		at := map[int]int{}
		deeper := 99
		for _, r := range c.Roots {
			at[r.Depth]++
			if r.Depth > deeper {
				t.Errorf("%d leaves: depth %d after depth %d", n, r.Depth, deeper)
			}
			deeper = r.Depth
		}
		if len(c.Leaves) != n {
			t.Fatalf("%d leaves, want %d", len(c.Leaves), n)
		}
		// Of n leaves all but the last one to six are condensed, six at a time.
		d0 := (n-1)%6 + 1
		d1 := (n - d0) / 6
		d2 := 0
		if d1 > 6 {
			d2 = 1
			d1 -= 6
		}
		if at[0] != d0 || at[1] != d1 || at[2] != d2 {
			t.Errorf("%d leaves: %v roots by depth, want %d, %d, %d", n, at, d0, d1, d2)
		}
	}
}

func TestNothingIsDeeperThanTheLimit(t *testing.T) {
	s := talk(t, 120)
	b := s.branch(t, "")
	o := options(&clock{})
	o.LeafTokens, o.Threshold, o.MaxDepth, o.MaxCalls = 100, 2, 2, 10_000
	m := &memory{}
	work(t, m, b, o, &scribe{})
	c := b.Cover(m.nodes)
	sound(t, b, c)
	must.Equal(t, c.Depth(), 2, "depth")
}

func TestCutIsWherePiCuts(t *testing.T) {
	s := talk(t, 20)
	call, result := s.runs(t, "ls", strings.Repeat("file ", 100))
	cut := summary.Cut(&s.tree, s.leaf, 60)
	if cut != "" {
		t.Errorf("a result of 125 tokens is at the end: cut at %q, want nothing", cut)
	}
	last := s.says(t, strings.Repeat("so ", 100))
	must.Equal(t, summary.Cut(&s.tree, s.leaf, 60), last, "cut at")
	if got := summary.Cut(&s.tree, s.leaf, 100); got != last {
		t.Errorf("cut at %s, want %s and not at the result %s", got, last, result)
	}
	if got := summary.Cut(&s.tree, s.leaf, 201); got != call {
		t.Errorf("cut at %s, want at the call %s", got, call)
	}
	must.Equal(t, summary.Cut(&s.tree, s.leaf, 1_000_000), "", "everything is kept, but it cuts at")
}
