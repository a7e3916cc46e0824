package decision_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/decision"
)

// stateOf returns a log with one decision per text.
func stateOf(t *testing.T, texts ...string) *decision.State {
	t.Helper()
	var events []decision.Event
	for i, body := range texts {
		e := &decision.Editor{State: decision.Replay(events), Now: time.Unix(int64(i), 0), Random: bytes.NewReader(bytes.Repeat([]byte{byte(10 + i)}, 64)), Actor: "user"}
		if _, err := e.Add(decision.New{Text: body}, true); err != nil {
			t.Fatal(err)
		}
		events = append(events, e.Events()...)
	}
	return decision.Replay(events)
}

// asked answers questions by what was put down for them, the first choice where that is "".
type asked struct {
	t       *testing.T
	answers []string
}

// Ask implements decision.Asker.
func (a *asked) Ask(_ context.Context, q decision.Question) (string, error) {
	a.t.Helper()
	if len(a.answers) == 0 {
		a.t.Fatalf("it asks %+v", q)
	}
	said := a.answers[0]
	a.answers = a.answers[1:]
	if len(q.Choices) > 0 && said == "" {
		said = q.Choices[0].Value
	}
	return said, nil
}

func TestAddingAsksWhatToDoAboutTheClosestDecisions(t *testing.T) {
	closest := stateOf(t, "Use tabs", "Use spaces").Present()
	id := closest[0].ID
	for do, c := range map[string]struct {
		reason string
		more   []string
		want   decision.Addition
	}{
		decision.DoAdd:       {"", nil, decision.Addition{Do: decision.DoAdd}},
		decision.DoCancel:    {"", nil, decision.Addition{Do: decision.DoCancel}},
		decision.DoMark:      {"", []string{""}, decision.Addition{Do: decision.DoMark, ID: id}},
		decision.DoSupersede: {"", []string{"", "why"}, decision.Addition{Do: decision.DoSupersede, ID: id, Reason: "why"}},
		decision.DoUpdate:    {"told", []string{""}, decision.Addition{Do: decision.DoUpdate, ID: id, Reason: "told"}},
	} {
		p := &asked{t: t, answers: append([]string{do}, c.more...)}
		if got, err := decision.AskClosest(t.Context(), p, decision.Entrant{Text: "Use three spaces", Closest: closest, Reason: c.reason}); err != nil || got != c.want || len(p.answers) > 0 {
			t.Errorf("%s: %+v, %v", do, got, err)
		}
	}
}
