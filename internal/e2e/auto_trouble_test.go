//go:build unix

package e2e

import (
	"slices"
	"testing"
)

func TestAutoPruningSurvivesAbortsAndErrors(t *testing.T) {
	t.Parallel()
	everyPi(t, func(t *testing.T, version string) {
		h := autoHome(t, version, transportOf(version))
		p := h.start(t)
		p.ask("One.", h.print(t, "one", 9000), glance(), glance(), say("one"))
		aborted(p)
		wantMarks(t, "after an abort", p.ask("Two.", say("two")), 1)
		p.ask("Be refused.", turn{Status: 400, Error: "refused"})
		wantMarks(t, "after an error", p.ask("Three.", h.print(t, "two", 9000), glance(), glance(), say("three")), 1, 1, 1, 1)
		steered(p)
		wantMarks(t, "after steering", p.ask("Four.", say("four")), 2)
		from := len(h.model.turns())
		never := make(chan struct{})
		silent := say("unheard")
		silent.Wait = never
		h.model.play(h.print(t, "three", 9000), glance(), glance(), silent)
		p.do(object{"type": "prompt", "message": "Five."})
		for len(h.model.turns()) < from+4 {
			p.do(object{"type": "get_state"})
		}
		wantMarks(t, "before the end", h.model.turns()[from:], 2, 2, 2, 2)
		p.kill()
		p = h.start(t, "--continue")
		if cut := p.ask("Six.", say("six")); version != pi073 {
			wantMarks(t, "after the end", cut, 3)
		} // its requests do not tell a prompt after a turn that was cut off from one sent into it
		wantMarks(t, "after a whole turn", p.ask("Seven.", say("seven")), 3)
		p.finish()
		if made := grows(t, h.model.turns()); !slices.Equal(made, []int{1, 1, 1}) || !slices.Equal(made, decisions(t, h.session(t))) {
			t.Errorf("rewrites made %v markers, the session tells of %v", made, decisions(t, h.session(t)))
		}
		h.restores(t)
	})
}
