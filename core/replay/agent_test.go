package replay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
)

// willing prunes nothing but what is deactivated, and that at once.
func willing(a Agent) Policy {
	p := chosen(func(string, int) bool { return false }).policy()
	p.Planner = p.Planner.WithStates()
	return p.WithAgent("idle", a)
}

// step writes a call of a tool that shows nothing of files, with its result.
func (s *session) step(i int) {
	id := fmt.Sprintf("s%d", i)
	s.calls(id, "web", `{}`)
	s.result(id, "web", "ok")
}

// reading is a session that reads a file of 1,000 tokens, with a line that is to be
// found again, and then takes the given number of steps.
func reading(steps int) *session {
	s := newSession()
	s.user(10)
	s.calls("r", "read", `{"path":"src/big.go"}`)
	s.result("r", "read", "func TheOneThatMatters() {}\n"+strings.Repeat("x", 4000))
	for i := range steps {
		s.step(i)
	}
	return s
}

func TestADeactivationCostsItsCallItsResultAndTheTools(t *testing.T) {
	s := reading(4)
	s.answer(10)
	rec := fixed(s.load(t), 1000)
	none := replayed(t, rec, None(), "none")
	r := replayed(t, rec, willing(Agent{Answers: 2, Tools: 100}), "none")
	said := token.OfChars(len(deactivateTool) + len(deactivateArguments) + len(deactivateResult))
	var want []int
	for i, n := range sizes(none) {
		n += 100
		if i >= 3 { // the answer to the third call is the second that did not refer to it
			n += int(said) + 10 - int(rec.messages[2].tokens)
		}
		want = append(want, n)
	}
	for i := range want { // the parts of an answer are rounded together
		if d := want[i] - int(r.Series[i].Tokens); d < 0 || d > 1 {
			t.Errorf("prompt %d is %d, want %d", i+1, r.Series[i].Tokens, want[i])
		}
	}
	output := 8 * float64(token.OfChars(len(deactivateTool)+len(deactivateArguments)))
	wantBill(t, "the bill", r.Bill, float64(r.TokensSent)+output)
	if r.Deactivated != 1 || r.FirstPrune != 4 || len(r.Pruned) != 1 || r.Pruned[0].Reason != policy.CodeDeactivated {
		t.Errorf("%+v", r)
	}
}

func TestReferencedResultsAreNotDeactivated(t *testing.T) {
	for name, refer := range map[string]func(s *session){
		"nothing refers to it": nil,
		"a call names its path": func(s *session) {
			s.calls("p", "bash", `{"command":"wc -l src/big.go"}`)
			s.result("p", "bash", "1")
		},
		"an answer names its path": func(s *session) {
			s.calls("p", "web", `{}`)
			s.edit(`"content":[`, `"content":[{"type":"text","text":"Now (src/big.go) is next."},`)
			s.result("p", "web", "1")
		},
		"an edit quotes it": func(s *session) {
			s.calls("p", "edit", `{"path":"x","oldText":"func TheOneThatMatters() {}"}`)
			s.result("p", "edit", "1")
		},
		"a call names the directory": func(s *session) {
			s.calls("p", "bash", `{"command":"cd /home/dev && make"}`)
			s.result("p", "bash", "1")
		},
	} {
		s := reading(1)
		if refer == nil {
			refer = func(s *session) { s.step(100) }
		}
		refer(s)
		s.step(2)
		s.answer(10)
		want := 0
		if name == "nothing refers to it" || name == "a call names the directory" {
			want = 1
		}
		if r := replayed(t, fixed(s.load(t), 1000), willing(Agent{Answers: 3}), "none"); r.Deactivated != want {
			t.Errorf("%s: %d were deactivated, want %d", name, r.Deactivated, want)
		}
	}
}

func TestDeactivatedTextThatIsNeededLaterIsCounted(t *testing.T) {
	s := reading(4)
	s.calls("e", "edit", `{"path":"x","oldText":"func TheOneThatMatters() {}"}`)
	s.result("e", "edit", "done")
	s.answer(10)
	rec := fixed(s.load(t), 1000)
	if r := replayed(t, rec, willing(Agent{Answers: 2}), "none"); r.Deactivated != 1 || r.DeactivatedMissing != 1 || r.EditsMissing != 1 {
		t.Errorf("%+v", r)
	}
	if r := replayed(t, rec, willing(Agent{Answers: 2, Knows: true}), "none"); r.Deactivated != 0 || r.EditsMissing != 0 {
		t.Errorf("it knew: %+v", r)
	}
	// What is deactivated and still there is not missed.
	if r := replayed(t, rec, Policy{Name: "none"}.WithAgent("idle", Agent{Answers: 2}), "none"); r.Deactivated != 1 || r.DeactivatedMissing != 0 {
		t.Errorf("still there: %+v", r)
	}
}

// What an answer said does not count where the answer is not.
func TestADeactivationCountsOnItsBranch(t *testing.T) {
	s := reading(1)
	fork := s.at
	s.step(1)
	s.step(2)
	s.answer(10)
	s.at = fork
	s.user(10)
	s.answer(10)
	rec := fixed(s.load(t), 1000)
	r := replayed(t, rec, willing(Agent{Answers: 2}), "none")
	none := replayed(t, rec, None(), "none")
	last := len(none.Series) - 1
	if r.Deactivated != 1 || r.Series[last-1].Tokens >= none.Series[last-1].Tokens || r.Series[last].Tokens != none.Series[last].Tokens {
		t.Errorf("deactivated %d: %v, without %v", r.Deactivated, sizes(r), sizes(none))
	}
}

// Each price has its own run, and all layouts take what the rule says.
func TestEveryLayoutTakesTheRule(t *testing.T) {
	rec := fixed(working(6, 12).load(t), 1000)
	a := Agent{Answers: 2, Tools: 230}
	for _, p := range []Policy{AutoWithStates(defaultAuto()), Inline(defaultAuto()), Pools(policy.Window{})} {
		without := replayed(t, rec, p, "openai")
		with := replayed(t, rec, p.WithAgent("idle", a), "openai")
		if with.Deactivated == 0 || with.TokensSent >= without.TokensSent || with.Policy != p.Name+"+idle" {
			t.Errorf("%s: %d deactivated, %v sent, %v without", with.Policy, with.Deactivated, with.TokensSent, without.TokensSent)
		}
		both, err := rec.Run(t.Context(), p.WithAgent("idle", a), []token.Prices{prices(t, "anthropic-5m"), prices(t, "openai")}, Options{})
		if err != nil || both[1].Bill != with.Bill {
			t.Errorf("%s: %v beside other prices, %v alone: %v", p.Name, both[1].Bill, with.Bill, err)
		}
	}
}
