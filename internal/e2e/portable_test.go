//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// prunedSession is a session with pruned output, and its last request.
func prunedSession(t *testing.T, h *home) request {
	t.Helper()
	h.configure(t, eager)
	p := h.start(t)
	study(t, p, "alpha", "beta", "gamma")
	p.close()
	last := h.model.last(t)
	if last.pruned() == 0 {
		t.Fatal("nothing is pruned")
	}
	return last
}

// Holds prune 31.
func TestPrunedResultsAreKnownWithoutTheStore(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := realHome(t, version, transport)
		last := prunedSession(t, h)
		if err := os.RemoveAll(filepath.Join(h.agent, "pictx")); err != nil {
			t.Fatal(err)
		}
		h.configure(t, lazy) // nothing more would be pruned
		h.resumed(t, last)
		h.stored(t)
	})
}

func TestPrunedResultsStayPrunedInANewerPi(t *testing.T) {
	t.Parallel()
	oneTransport(t, func(t *testing.T, transport string) {
		h := realHome(t, pi073, transport)
		last := prunedSession(t, h)
		h.configure(t, lazy)
		for _, version := range []string{pi087, newest} {
			h.version = version
			h.resume(t, "Which version are you?", say("here"))
			now := h.model.last(t)
			if now.pruned() < last.pruned() || strings.Join(now.results()[:last.pruned()], "\n") != strings.Join(last.results()[:last.pruned()], "\n") {
				t.Errorf("pi %s sees %.300q, before %.300q", version, now.results(), last.results())
			}
			last = now
		}
		h.stored(t)
	})
}

func TestErrorsAreNeverPruned(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := realHome(t, version, transport, eager)
		p := h.start(t)
		p.ask("Break.", use("bash", object{"command": "seq 500; echo broken; exit 3"}), say("oh"))
		study(t, p, "alpha", "beta", "gamma")
		p.close()
		last := h.model.last(t)
		contains(t, "the failed command's result", last.results()[0], "broken")
		if last.pruned() == 0 {
			t.Error("nothing is pruned")
		}
	})
}

func TestPruningGoesOnAfterACompaction(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := realHome(t, version, transport, eager)
		h.keepRecent = 600
		p := h.start(t)
		study(t, p, "alpha", "beta", "gamma")
		p.compact()
		from := len(h.model.turns())
		study(t, p, "delta", "epsilon", "zeta")
		p.close()
		after := h.model.turns()[from:]
		steady(t, after)
		if n := after[len(after)-1].pruned(); n == 0 {
			t.Errorf("nothing is pruned: %.300q", after[len(after)-1].results())
		}
		h.stored(t)
	})
}

func TestDisabledSystemsDeclareAndStoreNothing(t *testing.T) {
	t.Parallel()
	oneTransport(t, func(t *testing.T, transport string) {
		h := newHome(t, newest)
		first := func() []byte {
			h.model = newModel(t)
			h.once(t, "Hi.", say("ok"))
			return h.model.last(t).Raw
		}
		h.tools = ""
		plain := first()
		h.real(t, transport)
		h.configure(t, "[prune]\nenabled = false\n[history]\nenabled = false\n")
		same(t, [][]byte{plain}, [][]byte{first()})
		if stores, _ := filepath.Glob(filepath.Join(h.agent, "pictx", "*.db")); len(stores) > 0 {
			t.Errorf("stores: %v", stores)
		}
	})
}

func TestSearchToolsDoNotFindTheirOwnCalls(t *testing.T) {
	t.Parallel()
	oneTransport(t, func(t *testing.T, transport string) {
		h := realHome(t, newest, transport).always()
		p := h.start(t)
		p.ask("Where?", say("the numbat is here"))
		for range 3 {
			p.ask("Look.", use("lcm_grep", object{"query": "numbat"}), say("found"))
		}
		p.close()
		results := h.model.last(t).results()
		if n := len(slices.Compact(slices.Clone(results))); len(results) != 3 || n != 1 {
			t.Errorf("three searches for the same say %d different things: %q", n, results)
		}
	})
}

func TestSessionsFromBeforePictxAreFound(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := newHome(t, version)
		h.once(t, "Where?", say("the numbat was here before"))
		old := sessionID(h.session(t))
		h.always().real(t, transport)
		p := h.start(t)
		for limit := time.Now().Add(patience); h.listed(t)[old] == 0; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatal("the old session is not read")
			}
		}
		p.ask("Look.", use("lcm_grep", object{"query": "numbat", "scope": "project"}), say("found"))
		p.close()
		contains(t, "what lcm_grep says", latest(t, h.model), "was here before")
		h.stored(t)
	})
}

func TestContextEventsAreSentOnlyWherePiKeepsNoEdits(t *testing.T) {
	t.Parallel()
	onPi(t, func(t *testing.T, version string) {
		h := realHome(t, version, "serve")
		prunedSession(t, h)
		out, _ := h.cli(t, "log", "--event", "context", "--json", "-n", "1000")
		calls := len(h.model.turns())
		if n := strings.Count(out, `"context"`); version == pi073 && n != calls || version != pi073 && n != 0 {
			t.Errorf("%d contexts were asked about, with %d calls of the model", n, calls)
		}
	}, newest, pi073)
}
