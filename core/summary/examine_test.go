package summary_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/summary"
)

// Holds history 66.
func TestTheConditionOfSummariesCountsGapsOverlapsAndStaleOnes(t *testing.T) {
	s := talk(t, 60)
	b := s.branch(t, "")
	m := &memory{}
	work(t, m, b, options(&clock{}), &scribe{})
	leaves := b.Cover(m.nodes).Leaves
	if len(leaves) < 4 {
		t.Fatalf("%d leaves, want more", len(leaves))
	}
	none := func(c summary.Condition) bool { return c.Gaps == 0 && c.Overlaps == 0 && c.Stale == 0 }
	if c := b.Condition(m.nodes); !none(c) {
		t.Errorf("whole: %+v", c)
	}
	without := func(key string) []summary.Node {
		return slices.DeleteFunc(slices.Clone(m.nodes), func(n summary.Node) bool { return n.Key == key })
	}
	// A hole, but for the end, after which the agent has the messages still.
	if c := b.Condition(without(leaves[1].Key)); c.Gaps != leaves[1].End-leaves[1].Start || c.Overlaps != 0 {
		t.Errorf("a hole of %d: %+v", leaves[1].End-leaves[1].Start, c)
	}
	if c := b.Condition(without(leaves[len(leaves)-1].Key)); !none(c) {
		t.Errorf("an open end: %+v", c)
	}
	// A leaf that overlaps the next one, of which the rest is not covered then.
	long := *leaves[1].Node
	long.Key, long.Hash = "s-0123456789ab", ""
	long.Sources = append(slices.Clone(long.Sources), leaves[2].Sources[0])
	if c := b.Condition(append(without(leaves[1].Key), long)); c.Overlaps != 1 {
		t.Errorf("an overlap: %+v", c)
	}
	// An extract is not a fault.
	nodes := slices.Clone(m.nodes)
	nodes[0].Kind = summary.Extract
	if c := b.Condition(nodes); !none(c) {
		t.Errorf("an extract: %+v", c)
	}
	// A changed message, until others stand in the place of what was made from it.
	for _, u := range b.Units[leaves[1].Start:leaves[1].End] {
		s.lines[u.ID] = []byte(strings.Replace(string(s.lines[u.ID]), "answer", "other", 1))
	}
	b = s.branch(t, "")
	if c := b.Condition(m.nodes); c.Stale != 1 || c.Gaps == 0 {
		t.Errorf("a changed message: %+v", c)
	}
	work(t, m, b, options(&clock{}), &scribe{})
	if c := b.Condition(m.nodes); !none(c) {
		t.Errorf("summarised again: %+v", c)
	}
}
