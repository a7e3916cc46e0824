//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// told counts the notices that something was pruned.
func (p *rpc) told() int {
	n := 0
	for _, text := range p.notices() {
		if strings.Contains(text, "pictx pruned") {
			n++
		}
	}
	return n
}

// Holds prune 54.
func TestOnlyTheFirstPruneOfASessionIsAnnounced(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		h.keepRecent = 4500
		p := h.start(t)
		p.ask("One.", h.print(t, "one", 9000), say("one"))
		wantMarks(t, "first", p.ask("Two.", glance(), glance(), say("two")), 0, 0, 0)
		wantMarks(t, "between turns", p.ask("More.", say("more")), 1)
		// On another branch nothing is pruned yet, but it is the same session.
		p.moveTo("1")
		wantMarks(t, "another branch", p.ask("Three.", glance(), glance(), say("three")), 0, 0, 0)
		if n := p.told(); n != 1 {
			t.Errorf("told %d times on another branch", n)
		}
		p.ask("Four.", say(essay().Text))
		p.compact()
		wantMarks(t, "after a compaction", p.ask("Five.", h.print(t, "two", 9000), glance(), glance(), say("five")), 0, 0, 0, 0)
		wantMarks(t, "between turns", p.ask("Six.", say("six")), 1)
		if n := p.told(); n != 1 {
			t.Errorf("told %d times after a compaction", n)
		}
		p.finish()
	})
}

func TestTheOriginalOfASessionInMemoryComesBackInTheShell(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		h.noSession = true
		p := h.start(t)
		p.ask("One.", h.print(t, "one", 9000), glance(), glance(), say("one"))
		wantMarks(t, "between turns", p.ask("More.", say("more")), 1)
		id, _ := marked(h.model.last(t).results()[0])
		p.ask("Two.", use("bash", object{"command": h.bin + " expand " + id}), say("two"))
		all := h.model.turns()
		must.Equal(t, h.model.last(t).results()[3], original(all, 0), "the model")
		p.finish()
	})
}
