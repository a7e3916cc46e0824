//go:build unix

package e2e

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// wantSame wants a request to hold the same messages as another.
func wantSame(t *testing.T, what string, before, now request) {
	t.Helper()
	if n := continues(t, before, now); n != 0 || len(now.Messages) != len(before.Messages) {
		t.Errorf("%s: %d results became markers, %d messages, before %d", what, n, len(now.Messages), len(before.Messages))
	}
}

// Holds prune 34.
func TestAutoPruningFollowsTheBranch(t *testing.T) {
	t.Parallel()
	everyPi(t, func(t *testing.T, version string) {
		h := autoHome(t, version, transportOf(version))
		p := h.start(t)
		p.ask("One.", h.print(t, "one", 9000), say("one"))
		wantMarks(t, "before", p.ask("Two.", glance(), glance(), say("two")), 0, 0, 0)
		after := p.ask("Three.", say("three"))
		wantMarks(t, "after", after, 1)
		// Before the decision the text is there again: there it is not old.
		p.moveTo("1")
		there := p.ask("Two.", say("two again"))
		wantMarks(t, "another branch", there, 0)
		wantSame(t, "another branch", h.model.turns()[2], there[0])
		// Back, it is a marker with the same bytes.
		p.moveTo("2")
		wantSame(t, "the branch of the decision", after[0], p.ask("Three.", say("three again"))[0])
		fork(t, p)
		wantSame(t, "a fork", after[0], p.ask("Three.", say("three"))[0])
		p.do(object{"type": "clone"})
		cloned := p.ask("Four.", say("four"))
		must.Equal(t, continues(t, after[0], cloned[0]), 0, "results became markers in a clone")
		h.restores(t)
		p.finish()
		h.stored(t)
	})
}

// fork goes on in another session from before the last prompt.
func fork(t *testing.T, p *rpc) {
	t.Helper()
	var targets struct{ Messages []struct{ EntryID string } }
	must.Do(t, json.Unmarshal(p.do(object{"type": "get_fork_messages"}).Data, &targets))
	p.do(object{"type": "fork", "entryId": targets.Messages[len(targets.Messages)-1].EntryID})
}

// to switches the model.
func (p *rpc) to(model string) {
	p.t.Helper()
	p.do(object{"type": "set_model", "provider": "anthropic-local", "modelId": model})
}

// Holds prune 35.
func TestAnotherModelPrunesWhatIsOldAndKeepsMarks(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		p := h.start(t)
		// So little is not worth a rewrite, but nothing is to be rewritten then.
		wantMarks(t, "the first model", p.ask("One.", h.print(t, "one", 1000), essay(), glance(), say("one")), 0, 0, 0, 0)
		wantMarks(t, "the same again", p.ask("More.", say("more")), 0)
		p.to("second")
		wantMarks(t, "the second model", p.ask("Two.", h.print(t, "two", 1000), essay(), say("two")), 1, 1, 1)
		wantMarks(t, "the same again", p.ask("Three.", glance(), say("three")), 1, 1)
		p.do(object{"type": "set_thinking_level", "level": "high"})
		wantMarks(t, "thinking harder", p.ask("Harder.", say("harder")), 1)
		p.to("scripted")
		wantMarks(t, "the first model again", p.ask("Four.", say("four")), 2)
		p.finish()
		if made := grows(t, h.model.turns()); !slices.Equal(made, []int{1, 1}) || !slices.Equal(made, decisions(t, h.session(t))) {
			t.Errorf("rewrites made %v markers, the session tells of %v", made, decisions(t, h.session(t)))
		}
		h.restores(t)
	})
}

func TestAutoGoesOnAfterACompaction(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		h.keepRecent = 4500
		p := h.start(t)
		p.ask("One.", h.print(t, "one", 9000), glance(), glance(), say(essay().Text))
		before := p.ask("Two.", h.print(t, "two", 3000), glance(), say("two"))
		wantMarks(t, "before", before, 1, 1, 1)
		p.compact()
		// The cache is worth nothing now: what is old goes, however little it is.
		after := p.ask("Three.", h.print(t, "three", 9000), glance(), glance(), say("three"))
		wantMarks(t, "after", after, 1, 1, 1, 1)
		if n := len(after[0].results()); n != 2 {
			t.Errorf("%d results are left after the compaction, want 2: %.200q", n, after[0].results())
		}
		wantMarks(t, "between turns", p.ask("Four.", say("four")), 2)
		p.finish()
		if made := grows(t, h.model.turns()[7:]); !slices.Equal(made, []int{1}) {
			t.Errorf("after the compaction rewrites made %v markers", made)
		}
		h.stored(t)
	})
}
