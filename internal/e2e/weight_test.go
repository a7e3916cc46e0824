//go:build unix

package e2e

import "testing"

// heaviest is how many tokens a request may grow by what pictx declares, at
// four characters a token; heaviestAll with everything switched on that can be,
// where there is code to ask about. heaviestCode is what of that is the code's: its
// six tools may weigh no more than all the rest does.
const (
	heaviest     = 600
	heaviestAll  = 1500
	heaviestCode = 600
)

// firstBytes is how long the first request of a session is.
func (h *home) firstBytes(t *testing.T) int {
	t.Helper()
	h.model = newModel(t)
	h.once(t, "Hi.", say("ok"))
	return len(h.model.last(t).Raw)
}

func TestDeclarationsAddFewTokens(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := newHome(t, version)
		h.tools = ""
		plain := h.firstBytes(t)
		h.real(t, transport)
		// A project that has decisions is told of one tool more.
		h.write(t, ".pi/decision-memory/decisions.jsonl", "")
		tokens := (h.firstBytes(t) - plain + 3) / 4
		t.Logf("%d tokens", tokens)
		if tokens <= 0 || tokens > heaviest {
			t.Errorf("pictx adds %d tokens to a request, want 1 to %d", tokens, heaviest)
		}
	})
}

func TestDeclarationsForCodeAddFewTokens(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := newHome(t, version)
		h.tools = ""
		plain := h.firstBytes(t)
		h.real(t, transport)
		h.write(t, ".pi/decision-memory/decisions.jsonl", "")
		h.configure(t, "kota.auto_context = \"always\"\nobjects.tools = true\n")
		without := h.firstBytes(t)
		h.write(t, "src/main.ts", "export const x = 1\n")
		all := h.firstBytes(t)
		code, total := (all-without+3)/4, (all-plain+3)/4
		t.Logf("%d tokens, %d of them for code", total, code)
		if code <= 0 || code > heaviestCode || total > heaviestAll {
			t.Errorf("pictx adds %d tokens to a request, %d of them for code; want %d and %d at most", total, code, heaviestAll, heaviestCode)
		}
	})
}
