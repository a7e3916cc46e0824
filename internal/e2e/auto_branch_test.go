//go:build unix

package e2e

import (
	"encoding/json"
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
		wantCount(t, "notices that something was pruned", p.told(), 1) // the first of a session alone
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
