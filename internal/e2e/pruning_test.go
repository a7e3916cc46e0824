//go:build unix

package e2e

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// marker is how what is pruned begins in a request.
const marker = "[output pruned — ~"

// eager prunes soon: all but the newest turn, beyond 100 tokens.
const eager = "[prune]\npolicy = \"seed\"\n[prune.seed]\nminimum = 50\nprotect = 100\nprotected_turns = 1\n"

// lazy would prune likewise, but never thinks that it is worth it.
const lazy = "[prune]\npolicy = \"seed\"\n[prune.seed]\nminimum = 1000000\nprotect = 100\nprotected_turns = 1\n"

// study reads some files, one a prompt, each about 300 tokens long.
func study(t *testing.T, p *rpc, names ...string) {
	t.Helper()
	for _, name := range names {
		p.h.write(t, name+".txt", strings.Repeat(name+" has a line like this one.\n", 40))
		p.h.model.play(use("read", object{"path": name + ".txt"}), use("bash", object{"command": "head -30 " + name + ".txt"}), say("read "+name))
		p.prompt("Read " + name + ".")
	}
}

// pruned counts the markers of a request.
func (r request) pruned() int {
	n := 0
	for _, text := range r.results() {
		if strings.HasPrefix(text, marker) {
			n++
		}
	}
	return n
}

// steady wants requests that only grow: each repeats the one before, but for
// results that became markers, and markers stay. It returns how often a request
// did not begin with the one before.
func steady(t *testing.T, all []request) int {
	t.Helper()
	rewrites := 0
	for i := 1; i < len(all); i++ {
		before, now := all[i-1].Messages, all[i].Messages
		if len(now) < len(before) {
			t.Errorf("request %d is shorter than the one before", i)
			continue
		}
		same := true
		for j := range before {
			switch {
			case bytes.Equal(before[j].Raw, now[j].Raw):
			case strings.HasPrefix(now[j].Text, marker) && !strings.HasPrefix(before[j].Text, marker):
				same = false
			default:
				t.Errorf("request %d changes message %d:\n%.300s\n%.300s", i, j, before[j].Raw, now[j].Raw)
			}
		}
		if !same {
			rewrites++
		}
	}
	return rewrites
}

// Holds prune 28, 43.
func TestOldOutputIsPrunedOnceAndForGood(t *testing.T) {
	t.Parallel()
	alsoOldest(t, func(t *testing.T, version string) {
		h := realHome(t, version, transportOf(version), eager)
		p := h.start(t)
		study(t, p, "alpha", "beta", "gamma", "delta")
		p.close()
		last := h.model.last(t)
		if n := last.pruned(); n < 3 {
			t.Errorf("%d results are pruned: %.200q", n, last.results())
		}
		results := last.results()
		contains(t, "the newest result", results[len(results)-1], "delta has a line")
		contains(t, "the oldest result", results[0], `read path="alpha.txt"]`)
		if n := steady(t, h.model.turns()); n == 0 || n > 4 {
			t.Errorf("%d rewrites", n)
		}
		h.kept(t, version)
		for _, e := range entries(t, h.session(t)) {
			if e.Message.Role == "toolResult" {
				contains(t, "what expand gives", h.ok(t, "expand", e.ID), " has a line like this one.")
			}
		}
		// A pi that keeps edits is not asked before each call of the model.
		out, _ := h.cli(t, "log", "--event", "context", "--json", "-n", "1000")
		asked := 0
		if version == pi073 {
			asked = len(h.model.turns())
		}
		wantCount(t, "contexts were asked about", strings.Count(out, `"context"`), asked)
		h.resumed(t, last)
	})
}

// kept wants the originals in the session file, and what pi needs to prune them.
func (h *home) kept(t *testing.T, version string) {
	t.Helper()
	all := entries(t, h.session(t))
	for _, e := range ofType(all, "message") {
		if e.Message.Role == "toolResult" && strings.Contains(string(e.Message.Content), "output pruned") {
			t.Errorf("the session lost %s", e.Raw)
		}
	}
	edits := ofType(all, "context_edit")
	marks := slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return e.CustomType != "pictx.marks" })
	must.Not(t, version != pi073 && (len(edits) < 3 || !strings.Contains(string(edits[0].Raw), marker)), "%d context edits in the session", len(edits))
	must.Not(t, version == pi073 && len(marks) == 0, "the session has no marks")
}

// resumed wants a resumed session to go on from its last request.
func (h *home) resumed(t *testing.T, last request) {
	t.Helper()
	h.resume(t, "Are they still pruned?", say("resumed"))
	steady(t, []request{last, h.model.last(t)})
	if h.model.last(t).pruned() < last.pruned() {
		t.Errorf("%d results are pruned, before %d", h.model.last(t).pruned(), last.pruned())
	}
}
