package replay

import (
	"fmt"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/internal/must"
)

// pause is a session of quick requests after which the user comes back after so long.
func pause(idle time.Duration) *script {
	s := newSession()
	s.user(2000)
	for i := range 12 {
		id := fmt.Sprintf("c%d", i)
		s.calls(id, "bash", fmt.Sprintf(`{"command":"run %d"}`, i))
		s.result(id, "bash", filled(fmt.Sprintf("output %d", i), 1500))
	}
	s.answer(50)
	s.wait(idle)
	s.user(20)
	for i := range 12 {
		id := fmt.Sprintf("d%d", i)
		s.calls(id, "bash", fmt.Sprintf(`{"command":"again %d"}`, i))
		s.result(id, "bash", filled(fmt.Sprintf("more %d", i), 300))
	}
	s.answer(50)
	return s
}

// A rewrite that relies on a breakpoint that is a few seconds too old writes the whole prompt
// again.
func TestNoPauseNearTheLifeOfTheCacheMakesASessionMoreExpensive(t *testing.T) {
	for idle := 200 * time.Second; idle <= 345*time.Second; idle += 5 * time.Second {
		r := fixed(pause(idle).load(t), 6000)
		for _, profile := range []string{"anthropic-5m", "openai"} {
			with := replayed(t, r, Auto(defaultAuto()), profile).Bill.Tokens
			none := replayed(t, r, None(), profile).Bill.Tokens
			must.Not(t, with.Billed > 1.01*none.Billed, "%s, back after %v: %.0f instead of %.0f", profile, idle, with.Billed, none.Billed)
		}
	}
}

func TestRequestsThatForksShareAreBilledOnce(t *testing.T) {
	s, _, _ := two(0)
	s.answer(20)
	origin := s.load(t)
	s.user(30)
	s.answer(1)
	fork := s.load(t)
	var o Origins
	if n := o.Claim(origin); n != 0 || origin.Shared != nil {
		t.Errorf("the origin shares %d", n)
	}
	must.Equal(t, o.Claim(fork), 3, "requests that the fork shares")
	first := replayed(t, fixed(origin, 1000), None(), "anthropic-5m")
	rest := replayed(t, fixed(fork, 1000), None(), "anthropic-5m")
	whole := replayed(t, fixed(s.load(t), 1000), None(), "anthropic-5m")
	wantBill(t, "origin and fork", first.Bill.Tokens.Billed+rest.Bill.Tokens.Billed, whole.Bill.Tokens.Billed)
	must.Not(t, rest.Requests != 1 || first.Requests != 3, "%d and %d requests", first.Requests, rest.Requests)
}

func TestThinkingOfTheRunningTurnThatAnEditInvalidatesIsCounted(t *testing.T) {
	s := newSession()
	s.user(100)
	s.calls("c1", "read", neutral)
	a := s.result("c1", "read", filled("result A", 200))
	for i := range 3 {
		id := fmt.Sprintf("t%d|rs%d", i, i) // the provider ties calls to the thinking, which has to stay
		s.message(fmt.Sprintf(`"role":"assistant","provider":"p","model":"m","stopReason":"toolUse","content":[{"type":"thinking","thinking":"hm"},{"type":"toolCall","id":%q,"name":"bash","arguments":{"command":"x"}}]`, id))
		s.result(id, "bash", filled("r", 100))
	}
	s.answer(1)
	s.user(10)
	s.answer(1)
	r := fixed(s.load(t), 1000)
	must.Equal(t, replayed(t, r, older(a, 3), "anthropic-5m").ThinkingLost, 3, "blocks lost while the turn ran")
	must.Equal(t, replayed(t, r, None(), "anthropic-5m").ThinkingLost, 0, "blocks lost without pruning")
}

// Each side is refreshed by the size of its own prompt.
func TestPiKeepsTheCacheWarmOnBothSides(t *testing.T) {
	s := newSession()
	s.user(120_000)
	s.answer(10)
	s.wait(8 * time.Minute)
	s.user(20)
	s.answer(10)
	var today World
	for _, w := range Worlds() {
		if w.Name == "today" {
			today = w
		}
	}
	r := fixed(s.load(t), 6000)
	run := must.Get(r.Run(t.Context(), None(), today, Options{Series: true}))(t)
	b := run.Bill.Dollars
	must.Not(t, run.Series[1].Read < 100_000 || b.Plain != b.Billed, "%+v: %+v", run.Series[1], b)
	// One refresh after 270 seconds reads 126,000 tokens at $0.20 a million, and writes one.
	if got, want := b.Parts[bill.Refreshes].Cost, (126_000*0.2+20)/1e6; got-want > 1e-9 || want-got > 1e-9 {
		t.Errorf("refreshes cost $%v, want $%v", got, want)
	}
	must.Equal(t, run.Series[1].Start, session.Continues, "it continues")
}
