//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// hitID is the id of the first hit that lcm_grep names.
var hitID = regexp.MustCompile(`(?m)^\[1\] ([0-9a-f-]+) `)

// recalls lets the model look for a word and read what it finds; it returns what
// the model was told.
func recalls(t *testing.T, p *rpc, word string) (found, read string) {
	t.Helper()
	p.h.model.play(use("lcm_grep", object{"query": word}), say("found"))
	p.prompt("Look for it.")
	found = latest(t, p.h.model)
	id := hitID.FindStringSubmatch(found)
	must.Stop(t, id == nil, "lcm_grep names no id: %s", found)
	p.h.model.play(use("lcm_expand", object{"id": id[1]}), say("read"))
	p.prompt("Read it.")
	return found, latest(t, p.h.model)
}

// latest is the newest tool result.
func latest(t *testing.T, m *model) string {
	t.Helper()
	results := m.last(t).results()
	must.Stop(t, len(results) == 0, "there is no result")
	return results[len(results)-1]
}

func TestTheModelFindsAndReadsWhatWasSaid(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := realHome(t, version, transport, eager).always()
		p := h.start(t)
		h.write(t, "plan.txt", "line one\nthe quokka is in line two\n"+strings.Repeat("more\n", 300))
		p.ask("Read the plan.", use("read", object{"path": "plan.txt"}), say("read it"))
		study(t, p, "beta", "gamma")
		n := h.model.last(t).pruned()
		must.Not(t, n == 0, "nothing is pruned, so nothing has to be found")
		found, read := recalls(t, p, "quokka")
		contains(t, "what lcm_grep says", found, "quokka")
		contains(t, "what lcm_expand says", read, "line one\nthe quokka is in line two\nmore\n")
		again, _ := recalls(t, p, "quokka")
		must.Equal(t, again, found, "a search finds its own calls")
		p.ask("Look.", use("lcm_grep", object{"query": "nothere"}), use("lcm_expand", object{"id": "ffffffff"}), say("oh"))
		p.close()
		results := h.model.last(t).results()
		contains(t, "what lcm_grep says", results[len(results)-2], "nothere")
		contains(t, "what lcm_expand says", results[len(results)-1], "ffffffff")
	})
}

func TestASessionInMemoryIsSearchedAndForgotten(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := realHome(t, version, transport, eager).always()
		h.noSession = true
		p := h.start(t)
		h.write(t, "plan.txt", "the quokka is here\n"+strings.Repeat("more\n", 300))
		p.ask("Read the plan.", use("read", object{"path": "plan.txt"}), say("read it"))
		study(t, p, "beta", "gamma")
		if n := h.model.last(t).pruned(); n == 0 {
			t.Error("nothing is pruned")
		}
		found, read := recalls(t, p, "quokka")
		p.close()
		contains(t, "what lcm_grep says", found, "quokka")
		contains(t, "what lcm_expand says", read, "the quokka is here\nmore\n")
		steady(t, h.model.turns())
		for _, name := range holding(t, h.agent, "quokka is here") {
			t.Errorf("%s still holds the session", name)
		}
		if n := h.listed(t); len(n) > 0 {
			t.Errorf("the store has %v", n)
		}
		left, _ := filepath.Glob(filepath.Join(h.agent, "pictx", "ephemeral", "*"))
		must.Not(t, len(left) > 0, "left behind: %v", left)
	})
}

// holding are the files below a directory that hold a text.
func holding(t *testing.T, dir, text string) []string {
	t.Helper()
	var found []string
	files := must.Get(filepath.Glob(filepath.Join(dir, "*")))(t)
	for _, f := range files {
		if st, err := os.Stat(f); err == nil && st.IsDir() {
			found = append(found, holding(t, f, text)...)
			continue
		}
		if raw, err := os.ReadFile(f); err == nil && strings.Contains(string(raw), text) {
			found = append(found, f)
		}
	}
	return found
}

// TestTwoPisAtOnceAreBothStored is the only test with two pis at a time: more
// could wait for each other's slots for ever.
func TestTwoPisAtOnceAreBothStored(t *testing.T) {
	t.Parallel()
	h := realHome(t, newest, "serve", eager).always()
	h.model.answer(func(r request) *turn {
		last := r.Messages[len(r.Messages)-1]
		answer := say("seen")
		if last.Role == "user" {
			answer = use("bash", object{"command": "seq 400; echo " + last.Text})
		}
		return &answer
	})
	pis := []*rpc{h.start(t), h.start(t)}
	for round := range 5 {
		marks := []int{pis[0].mark(), pis[1].mark()}
		for i, p := range pis {
			p.do(object{"type": "prompt", "message": fmt.Sprintf("pi%dround%d", i, round)})
		}
		for i, p := range pis {
			p.wait(marks[i], "the end of the run", p.settled)
			p.idle()
		}
	}
	for _, p := range pis {
		p.close()
		for _, n := range p.notices() {
			contains(t, "the notice", n, "pruned") // and nothing of a locked store
		}
	}
	wantCount(t, "sessions", len(h.sessions(t)), 2)
	h.stored(t)
	h.finds(t, "pi1round4", 2) // the prompt; the call and its result are one
}

func TestAFreshSessionAnswersWhatWasDecidedLastWeek(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := realHome(t, version, transport)
		p := h.start(t)
		p.ask("Shall prices be floats?", say("No: we decided to store prices in integer cents."))
		p.close()
		p = h.start(t)
		h.model.play(use("lcm_grep", object{"query": []string{"what did we decide last week", "prices in cents"}}), say("integer cents"))
		p.prompt("What did we decide about prices last week?")
		wantOwn(t, "a fresh session", []request{h.model.last(t)}, "lcm_grep")
		contains(t, "what lcm_grep says", latest(t, h.model), "store prices in integer cents")
		p.finish()
	})
}
