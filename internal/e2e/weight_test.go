//go:build unix

package e2e

import "testing"

// heaviest is how many tokens a request may grow by what pictx declares, at
// four characters a token.
const heaviest = 600

func TestWhatPictxDeclaresIsLight(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := newHome(t, version, newModel(t))
		h.tools = ""
		first := func() int {
			h.model = newModel(t)
			h.model.play(say("ok"))
			p := h.start(t)
			p.prompt("Hi.")
			p.close()
			return len(h.model.last(t).Raw)
		}
		plain := first()
		h.real(t, transport)
		// A project that has decisions is told of one tool more.
		h.write(t, ".pi/decision-memory/decisions.jsonl", "")
		tokens := (first() - plain + 3) / 4
		t.Logf("%d tokens", tokens)
		if tokens <= 0 || tokens > heaviest {
			t.Errorf("pictx adds %d tokens to a request, want 1 to %d", tokens, heaviest)
		}
	})
}
