package dialog_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/dialog"
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
	seen    []dialog.Question
}

// Ask implements dialog.Asker.
func (a *asked) Ask(_ context.Context, questions ...dialog.Question) ([]string, error) {
	a.t.Helper()
	a.seen = append(a.seen, questions...)
	if len(questions) > len(a.answers) {
		a.t.Fatalf("it asks %+v", questions)
	}
	said := a.answers[:len(questions):len(questions)]
	a.answers = a.answers[len(questions):]
	for i, q := range questions {
		if len(q.Choices) > 0 && said[i] == "" {
			said[i] = q.Choices[0].Value
		}
	}
	return said, nil
}

// ids joins the ids of the questions in order.
func (a *asked) ids() string {
	var out []string
	for _, q := range a.seen {
		out = append(out, q.ID)
	}
	return strings.Join(out, " ")
}

func TestSupersedingAsksForMissingAnswers(t *testing.T) {
	s := stateOf(t, "Use tabs", "Keep logs")
	p := &asked{t: t, answers: []string{s.Present()[0].ID, "Use spaces", "the editor"}}
	said := dialog.Supersession{Reason: "it is late"}
	if err := said.Complete(t.Context(), p, s); err != nil || said != (dialog.Supersession{ID: s.Present()[0].ID, Text: "Use spaces", Reason: "the editor"}) {
		t.Fatalf("%+v, %v", said, err)
	}
	if p.ids() != "which text why" || len(p.seen[0].Choices) != 2 || !strings.Contains(p.seen[0].Choices[0].Label, "Keep logs") {
		t.Fatalf("it asks %+v", p.seen)
	}
	text, why := p.seen[1], p.seen[2]
	if !strings.Contains(text.About, "Use tabs") || !text.Required || !strings.Contains(why.Title, said.ID) || why.Default != "it is late" {
		t.Errorf("it asks %+v and %+v", text, why)
	}
	p = &asked{t: t, answers: []string{"the editor"}}
	if err := said.Complete(t.Context(), p, s); err != nil || p.ids() != "why" {
		t.Errorf("told the rest, it asks %s: %v", p.ids(), err)
	}
}

func TestConflictingAsksForTwoDecisions(t *testing.T) {
	s := stateOf(t, "Use tabs", "Use spaces")
	p := &asked{t: t, answers: []string{"", ""}}
	both, err := dialog.Conflicting(t.Context(), p, s)
	if err != nil || len(both) != 2 || both[0] == both[1] || p.ids() != "which other" || !strings.Contains(p.seen[1].About, both[0]) {
		t.Errorf("%q, %v: it asks %+v", both, err, p.seen)
	}
	if _, err := dialog.Conflicting(t.Context(), p, stateOf(t)); !errors.Is(err, dialog.ErrNoChoice) {
		t.Errorf("an empty log: %v", err)
	}
}

func TestAddingAsksWhatToDoAboutTheClosestDecisions(t *testing.T) {
	closest := stateOf(t, "Use tabs", "Use spaces").Present()
	id := closest[0].ID
	for do, c := range map[string]struct {
		reason string
		more   []string
		want   dialog.Addition
	}{
		dialog.Add:       {"", nil, dialog.Addition{Do: dialog.Add}},
		dialog.Cancel:    {"", nil, dialog.Addition{Do: dialog.Cancel}},
		dialog.Mark:      {"", []string{""}, dialog.Addition{Do: dialog.Mark, ID: id}},
		dialog.Supersede: {"", []string{"", "why"}, dialog.Addition{Do: dialog.Supersede, ID: id, Reason: "why"}},
		dialog.Update:    {"told", []string{""}, dialog.Addition{Do: dialog.Update, ID: id, Reason: "told"}},
	} {
		p := &asked{t: t, answers: append([]string{do}, c.more...)}
		if got, err := dialog.Adding(t.Context(), p, closest, c.reason); err != nil || got != c.want || len(p.answers) > 0 {
			t.Errorf("%s: %+v, %v", do, got, err)
		}
	}
}
