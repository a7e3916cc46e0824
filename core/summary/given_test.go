package summary_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/must"
)

// compactedWith is a session in which something else compacted the first half into text.
func compactedWith(t *testing.T, text string) *session {
	t.Helper()
	s := talk(t, 20)
	kept := s.user(t, "and now the second half")
	s.says(t, "It begins.")
	s.n++
	s.add(t, fmt.Sprintf(`{"type":"compaction","id":"c0000001","parentId":%q,"timestamp":"2026-11-20T10:59:00Z","summary":%q,"firstKeptEntryId":%q,"tokensBefore":1}`, s.leaf, text, kept))
	for i := range 20 {
		s.user(t, fmt.Sprintf("later question %d: %s", i, strings.Repeat("why ", 40)))
		s.says(t, fmt.Sprintf("later answer %d: %s", i, strings.Repeat("thus ", 40)))
	}
	return s
}

func TestAModelIsAskedOnlyAboutWhatCameAfterTheLastCompaction(t *testing.T) {
	s := compactedWith(t, "## Goal\nThe quokka was chosen.\n\n<read-files>\na.go\n</read-files>")
	b, m, sc := s.branch(t, ""), &memory{}, &scribe{}
	o := summary.Options{Models: []string{"session"}, LeafTokens: 500, Now: (&clock{}).now}
	work(t, m, b, o, sc)
	if len(sc.asked) != 1 {
		t.Fatalf("%d requests", len(sc.asked))
	}
	p := sc.asked[0].Prompt
	if strings.Contains(p, "answer 3: ") && !strings.Contains(p, "later answer 3: ") || strings.Contains(p, "\nanswer 3: ") {
		t.Error("it holds what was summarised before")
	}
	for _, want := range []string{"The quokka was chosen.", "and now the second half", "later answer 19:"} {
		must.Contain(t, p, want, "the prompt lacks")
	}
	c := b.Cover(m.nodes)
	if len(c.Roots) != 2 || c.Roots[0].Text != "## Goal\nThe quokka was chosen." || c.Roots[0].Kind != summary.Model {
		t.Errorf("the summary before is not the oldest of %d roots: %q", len(c.Roots), c.Roots[0].Text)
	}
	again := &scribe{}
	work(t, m, b, o, again)
	must.Equal(t, len(again.asked), 0, "a second run asks again")
}

func TestSummaryThatTheAgentWroteIsListedWithWhatItCovers(t *testing.T) {
	b, m := compactedWith(t, "## Goal\nThe quokka was chosen.").branch(t, ""), &memory{}
	v := must.Get(summary.ViewOf(t.Context(), m, b))(t)
	tree := v.Tree(0)
	if !strings.HasPrefix(tree, "c0000001 (a compaction of the agent, 40 messages): ") {
		t.Errorf("the tree does not begin with it:\n%s", tree)
	}
	if all := v.Describe(summary.Overview, 1000); !strings.Contains(all, "c0000001 (a compaction") || strings.Contains(all, "Nothing is summarised") {
		t.Errorf("described as:\n%s", all)
	}
}

// A store that was lost takes the text of an earlier compaction from the session.
func TestASummaryOfALostStoreIsKept(t *testing.T) {
	first := talk(t, 20)
	m := &memory{}
	b := first.branch(t, "")
	work(t, m, b, summary.Options{Models: []string{"session"}, LeafTokens: 500, Now: (&clock{}).now}, &scribe{
		say: func(summary.Request) (summary.Reply, error) {
			return summary.Reply{Text: "The quokka was chosen."}, nil
		},
	})
	s := compactedWith(t, assembled(t, b, m.nodes))
	must.Contain(t, s.extracted(t, ""), "The quokka was chosen.", "it is lost")
}
