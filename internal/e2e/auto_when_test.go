//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// mode sets when pictx may prune.
func (h *home) mode(t *testing.T, mode string) {
	t.Helper()
	h.configure(t, "[prune]\nmode = \""+mode+"\"\n")
}

// Holds prune 58.
func TestAPruneModeTakesEffectAtTheNextPrompt(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
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
		p.finish()
		if made := grows(t, h.model.turns()); !slices.Equal(made, []int{1, 1}) {
			t.Errorf("rewrites made %v markers", made)
		}
		h.restores(t)
	})
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

// Holds prune 13, 14.
func TestAutoNeverPrunesErrorsOrUnansweredResults(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		p := h.start(t)
		failing := use("bash", object{"command": h.file(t, "broken", 4000) + "; exit 3"})
		many := turn{}
		for _, name := range []string{"one", "two", "three"} {
			many.Tools = append(many.Tools, h.print(t, name, 5000).Tools...)
		}
		// All results of an answer are sent once, and go together.
		got := p.ask("One.", failing, many, glance(), say("one"))
		wantMarks(t, "first", got, 0, 0, 0, 0)
		wantMarks(t, "second", p.ask("Two.", many, glance(), glance(), say("two")), 3, 3, 3, 3)
		p.to("second")
		p.ask("Three.", glance(), glance(), say("three"))
		p.tells("/prune")
		p.ask("Four.", say("four"))
		p.finish()
		contains(t, "the failed command's result", h.model.last(t).results()[0], "broken: \"line\" 0 of some text")
		made := grows(t, h.model.turns())
		if len(made) < 2 || made[0] != 3 || made[1] != 3 {
			t.Errorf("rewrites made %v markers", made)
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

// Holds prune 25.
func TestExpandedResultsStayForThreeTurns(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"serve", "oneshot"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			h := autoHome(t, newest, transport)
			p := h.start(t)
			wantMarks(t, "first", p.ask("One.", h.print(t, "one", 9000), glance(), glance(), say("one")), 0, 0, 0, 0)
			p.tells("/prune")
			wantMarks(t, "between turns", p.ask("More.", say("more")), 1)
			// The model does what the marker says, in its own shell.
			text := h.model.last(t).results()[0]
			id, _ := marked(text)
			h.write(t, "bin/pictx", "#!/bin/sh\nexec "+h.bin+" \"$@\"\n")
			again := use("bash", object{"command": "PATH=$PWD/bin:$PATH; chmod +x bin/pictx; pictx expand " + id})
			wantMarks(t, "second", p.ask("Two.", again, glance(), glance(), glance(), say("two")), 1, 1, 1, 1, 1)
			all := h.model.turns()
			if got := h.model.last(t).results()[3]; got != original(all, 0) {
				t.Errorf("the model got %d bytes, want %d: %.200q", len(got), len(original(all, 0)), got)
			}
			wantMarks(t, "a turn later", p.ask("Three.", glance(), say("three")), 1, 1)
			p.tells("/prune")
			wantMarks(t, "two turns later", p.ask("Four.", glance(), say("four")), 1, 1)
			p.tells("/prune")
			wantMarks(t, "three turns later", p.ask("Five.", say("five")), 2)
			p.finish()
			if made := grows(t, h.model.turns()); !slices.Equal(made, []int{1, 1}) {
				t.Errorf("rewrites made %v markers", made)
			}
			h.restores(t)
		})
	}
}

func TestReadsArePrunedWhenTheFileWasChanged(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		for _, name := range []string{"changed", "kept"} {
			h.file(t, name, 9000)
		}
		must.Do(t, os.Rename(filepath.Join(h.cwd, "kept.txt"), filepath.Join(h.cwd, "kept.env")))
		read := func(name string) turn { return use("read", object{"path": name}) }
		edit := func(line int) turn {
			return use("edit", object{"path": "changed.txt", "edits": []object{{"oldText": fmt.Sprintf("changed: \"line\" %d of", line), "newText": fmt.Sprintf("changed: line %d of", line)}}})
		}
		p := h.start(t)
		// A file in use is left alone, until the model answered once after its last use.
		wantMarks(t, "changed", p.ask("One.", read("changed.txt"), edit(0), edit(1), glance(), glance(), glance(), say("one")), 0, 0, 0, 0, 0, 0, 0)
		wantMarks(t, "a path that is kept", p.ask("Kept.", read("kept.env"), read("kept.env"), glance(), glance(), say("kept")), 1, 1, 1, 1, 1)
		p.tells("/prune")
		p.ask("Four.", say("four"))
		p.finish()
		results := h.model.last(t).results()
		lines := strings.Count(original(h.model.turns(), 0), "\n")
		contains(t, "the first read", results[0], fmt.Sprintf("[pruned: read changed.txt lines 1-%d (~", lines))
		contains(t, "the first read", results[0], ", superseded by a later edit; ")
		for _, text := range results[6:8] {
			contains(t, "a read of a path that is kept", text, "kept: \"line\" 0 of some text")
		}
		grows(t, h.model.turns())
		h.restores(t)
	})
}
