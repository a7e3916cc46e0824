//go:build unix

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// prunedSession is a session with pruned output, and its last request.
func prunedSession(t *testing.T, h *home) request {
	t.Helper()
	h.configure(t, eager)
	p := h.start(t)
	study(t, p, "alpha", "beta", "gamma")
	p.close()
	last := h.model.last(t)
	must.Stop(t, last.pruned() == 0, "nothing is pruned")
	return last
}

func TestPrunedResultsStayPrunedInANewerPi(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := realHome(t, pi073, transport)
		last := prunedSession(t, h)
		h.configure(t, lazy)
		h.version = version
		h.resume(t, "Which version are you?", say("here"))
		now := h.model.last(t)
		if now.pruned() < last.pruned() || strings.Join(now.results()[:last.pruned()], "\n") != strings.Join(last.results()[:last.pruned()], "\n") {
			t.Errorf("pi %s sees %.300q, before %.300q", version, now.results(), last.results())
		}
		h.stored(t)
	})
}

func TestDisabledSystemsDeclareAndStoreNothing(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := newHome(t, version)
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
		stores, _ := filepath.Glob(filepath.Join(h.agent, "pictx", "*.db"))
		must.Not(t, len(stores) > 0, "stores: %v", stores)
	})
}
