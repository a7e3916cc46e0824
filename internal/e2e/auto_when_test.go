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

// tells runs a command and returns what it says.
func (p *rpc) tells(command string) string {
	p.t.Helper()
	from := p.mark()
	p.slash(command)
	return p.wait(from, "what "+command+" says", func(r record) bool { return r.Method == "notify" }).Message
}

func TestAModeHoldsFromTheNextPromptOn(t *testing.T) {
	t.Parallel()
	eachPiAndTransport(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		h.mode(t, "off")
		p := h.start(t)
		wantMarks(t, "off", p.ask("One.", h.print(t, "one", 9000), glance(), glance(), say("one")), 0, 0, 0, 0)
		contains(t, "/prune-stats", p.tells("/prune-stats"), "prune.mode is off")
		contains(t, "/prune", p.tells("/prune"), "switched off")
		h.mode(t, "manual")
		p.to("second")
		wantMarks(t, "manual", p.ask("Two.", glance(), say("two")), 0, 0)
		contains(t, "/prune-stats", p.tells("/prune-stats"), "prune.mode is manual")
		h.mode(t, "cold")
		wantMarks(t, "cold", p.ask("Three.", glance(), say("three")), 0, 0)
		contains(t, "/prune-stats", p.tells("/prune-stats"), "prune.mode is cold")
		p.to("scripted")
		wantMarks(t, "cold, with another model", p.ask("Four.", h.print(t, "two", 9000), glance(), glance(), say("four")), 1, 1, 1, 1)
		h.mode(t, "off")
		wantMarks(t, "off again", p.ask("Five.", glance(), say("five")), 1, 1)
		h.mode(t, "auto")
		got := p.ask("Six.", glance(), say("six"))
		if n := got[len(got)-1].marks(); n != 2 {
			t.Errorf("%d markers, want 2", n)
		}
		p.close()
		h.model.check(t)
		if made := grows(t, h.model.turns()); !slices.Equal(made, []int{1, 1}) {
			t.Errorf("rewrites made %v markers", made)
		}
		h.restores(t)
	})
}

func TestWhatIsPrunedOnRequestStaysPruned(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, version string) {
		h := autoHome(t, version, map[bool]string{true: "oneshot", false: "serve"}[version == pi087])
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
		p.close()
		h.model.check(t)
		if made := grows(t, h.model.turns()); !slices.Equal(made, []int{2}) || !slices.Equal(made, decisions(t, h.session(t))) {
			t.Errorf("rewrites made %v markers, the session tells of %v", made, decisions(t, h.session(t)))
		}
		h.restores(t)
	})
}

func TestErrorsAndWhatIsNotAnsweredIsNeverPrunedByAuto(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, version string) {
		h := autoHome(t, version, map[bool]string{true: "oneshot", false: "serve"}[version == pi087])
		p := h.start(t)
		failing := use("bash", object{"command": h.file(t, "broken", 4000) + "; exit 3"})
		many := turn{}
		for _, name := range []string{"one", "two", "three"} {
			many.Tools = append(many.Tools, h.print(t, name, 5000).Tools...)
		}
		// All results of an answer are sent once, and go together.
		got := p.ask("One.", failing, many, glance(), say("one"))
		wantMarks(t, "first", got, 0, 0, 0, 0)
		wantMarks(t, "second", p.ask("Two.", many, glance(), glance(), say("two")), 3, 3, 3, 6)
		p.to("second")
		p.ask("Three.", glance(), glance(), say("three"))
		p.tells("/prune")
		p.ask("Four.", say("four"))
		p.close()
		h.model.check(t)
		contains(t, "the failed command's result", h.model.last(t).results()[0], "broken: \"line\" 0 of some text")
		made := grows(t, h.model.turns())
		if len(made) < 2 || made[0] != 3 || made[1] != 3 {
			t.Errorf("rewrites made %v markers", made)
		}
		h.restores(t)
	})
}

func TestACacheThatForgetsIsLeftAloneWhileItIsWarm(t *testing.T) {
	t.Parallel()
	for name, forgets := range map[string]bool{"forgets": true, "keeps": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := autoHome(t, newest, "serve")
			p := h.start(t)
			wantMarks(t, "first", p.ask("One.", h.print(t, "one", 10_000), glance(), glance(), say("one")), 0, 0, 0, 1)
			bad := glance()
			bad.Forgotten = forgets
			p.ask("Two.", bad, bad, bad, say("two"))
			p.ask("Three.", h.print(t, "two", 10_000), glance(), glance(), say("three"))
			want := map[bool]int{true: 1, false: 2}[forgets]
			wantMarks(t, "then", []request{h.model.last(t)}, want)
			if told := strings.Contains(p.tells("/prune-stats"), "did not keep what it should"); told != forgets {
				t.Errorf("/prune-stats says that the cache forgets: %v", told)
			}
			p.to("second")
			wantMarks(t, "with another model", p.ask("Four.", say("four")), 2)
			p.close()
			h.model.check(t)
			if made := grows(t, h.model.turns()); !slices.Equal(made, []int{1, 1}) {
				t.Errorf("rewrites made %v markers", made)
			}
		})
	}
}

func TestASinglePromptIsPrunedInPrintMode(t *testing.T) {
	t.Parallel()
	eachPiAndTransport(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		h.model.play(h.print(t, "one", 5000), glance(), h.print(t, "two", 5000), glance(), glance(), h.print(t, "three", 12_000), glance(), glance(), say("all done"))
		r := h.run(t, "-p", "Do all of it.")
		if r.code != 0 || strings.TrimSpace(r.stdout) != "all done" || r.stderr != "" {
			t.Errorf("exit %d\n%s\n%s", r.code, r.stdout, r.stderr)
		}
		h.model.check(t)
		all := h.model.turns()
		wantMarks(t, "the run", all, 0, 0, 0, 0, 0, 2, 2, 2, 3)
		if made := grows(t, all); !slices.Equal(made, []int{2, 1}) || !slices.Equal(made, decisions(t, h.session(t))) {
			t.Errorf("rewrites made %v markers, the session tells of %v", made, decisions(t, h.session(t)))
		}
		h.restores(t)
	})
}
