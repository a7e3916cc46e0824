//go:build unix

package e2e

import (
	"slices"
	"strings"
	"testing"
)

// mode sets when pictx may prune.
func (h *home) mode(t *testing.T, mode string) {
	t.Helper()
	h.configure(t, "[prune]\nmode = \""+mode+"\"\n")
}

// Holds prune 33.
func TestResultsPrunedOnRequestStayPruned(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		p := h.start(t)
		// Two are old, one is young, and none of them is worth a rewrite.
		wantMarks(t, "before", p.ask("One.", h.print(t, "one", 1000), h.print(t, "two", 1000), h.print(t, "three", 1000), say("one")), 0, 0, 0, 0)
		contains(t, "/prune", p.tells("/prune"), "Pruned 2 tool outputs")
		wantMarks(t, "after", p.ask("Two.", glance(), glance(), say("two")), 2, 2, 2)
		h.mode(t, "off")
		wantMarks(t, "off", p.ask("Three.", say("three")), 2)
		p.close()
		p = h.start(t, "--continue")
		wantMarks(t, "resumed", p.ask("Four.", say("four")), 2)
		for _, n := range p.notices() {
			t.Errorf("a notice: %s", n)
		}
		p.finish()
		if made := grows(t, h.model.turns()); !slices.Equal(made, []int{2}) || !slices.Equal(made, decisions(t, h.session(t))) {
			t.Errorf("rewrites made %v markers, the session tells of %v", made, decisions(t, h.session(t)))
		}
		h.restores(t)
	})
}

func TestTheNextPromptIsPrunedInPrintMode(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		h.provider = map[string]string{"serve": "anthropic", "oneshot": "openai"}[transport]
		h.model.play(h.print(t, "one", 5000), glance(), h.print(t, "two", 5000), glance(), glance(), h.print(t, "three", 12_000), glance(), glance(), say("all done"))
		r := h.run(t, "-p", "Do all of it.")
		if r.code != 0 || strings.TrimSpace(r.stdout) != "all done" || r.stderr != "" {
			t.Errorf("exit %d\n%s\n%s", r.code, r.stdout, r.stderr)
		}
		h.model.play(say("more"))
		h.run(t, "-p", "--continue", "And now?")
		h.model.check(t)
		all := h.model.turns()
		wantMarks(t, "the runs", all, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3)
		if made := grows(t, all); !slices.Equal(made, []int{3}) || !slices.Equal(made, decisions(t, h.session(t))) {
			t.Errorf("rewrites made %v markers, the session tells of %v", made, decisions(t, h.session(t)))
		}
		h.restores(t)
	})
}
