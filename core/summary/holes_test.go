package summary_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/must"
)

// Holds history 66.
func TestMessagesBetweenSummariesThatNoneCoversAreCounted(t *testing.T) {
	s := talk(t, 60)
	b := s.branch(t, "")
	m := &memory{}
	work(t, m, b, options(&clock{}), &scribe{})
	leaves := b.Cover(m.nodes).Leaves
	if len(leaves) < 4 {
		t.Fatalf("%d leaves, want more", len(leaves))
	}
	must.Equal(t, b.Holes(m.nodes), 0, "whole")
	without := func(key string) []summary.Node {
		return slices.DeleteFunc(slices.Clone(m.nodes), func(n summary.Node) bool { return n.Key == key })
	}
	// A hole, but for the end, after which the agent has the messages still.
	must.Equal(t, b.Holes(without(leaves[1].Key)), leaves[1].End-leaves[1].Start, "a hole")
	must.Equal(t, b.Holes(without(leaves[len(leaves)-1].Key)), 0, "an open end")
	// A changed message, until others stand in the place of what was made from it.
	for _, u := range b.Units[leaves[1].Start:leaves[1].End] {
		s.lines[u.ID] = []byte(strings.Replace(string(s.lines[u.ID]), "answer", "other", 1))
	}
	b = s.branch(t, "")
	if b.Holes(m.nodes) == 0 {
		t.Error("what was made from a changed message still covers it")
	}
	work(t, m, b, options(&clock{}), &scribe{})
	must.Equal(t, b.Holes(m.nodes), 0, "summarised again")
}
