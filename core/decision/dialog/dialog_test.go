package dialog_test

import (
	"bytes"
	"errors"
	"slices"
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

// ids joins the ids of questions in order.
func ids(open []dialog.Question) string {
	var out []string
	for _, q := range open {
		out = append(out, q.ID)
	}
	return strings.Join(out, " ")
}

func TestSupersedingAsksForMissingAnswers(t *testing.T) {
	s := stateOf(t, "Use tabs", "Keep logs")
	said := dialog.Answers{Suggested: "it is late"}
	open, err := said.Superseding(s, 0)
	if err != nil || ids(open) != "which" || len(open[0].Choices) != 2 || !strings.Contains(open[0].Choices[0].Label, "Keep logs") {
		t.Fatalf("%+v, %v", open, err)
	}
	said.Take("which", open[0].Choices[1].Value)
	open, err = said.Superseding(s, 100)
	if err != nil || ids(open) != "text why" || !strings.Contains(open[0].Alone, "Use tabs") || open[1].Default != "it is late" {
		t.Fatalf("%+v, %v", open, err)
	}
	if open[0].Check("") == nil || open[0].Check(strings.Repeat("x", 101)) == nil || open[0].Check("Use spaces") != nil {
		t.Error("the text is not checked")
	}
	said.Take("text", "Use spaces")
	said.Take("why", "the editor")
	if open, err = said.Superseding(s, 0); err != nil || len(open) != 0 {
		t.Errorf("%+v, %v", open, err)
	}
}

func TestConflictingAsksForTwoDecisions(t *testing.T) {
	s := stateOf(t, "Use tabs", "Use spaces")
	var said dialog.Answers
	for _, want := range []string{"which", "which", "note", ""} {
		open, err := said.Conflicting(s)
		if err != nil || ids(open) != want {
			t.Fatalf("%+v, want %s: %v", open, want, err)
		}
		if want == "which" {
			said.Take(want, open[0].Choices[0].Value)
		} else if want == "note" {
			said.Take(want, "")
		}
	}
	if len(slices.Compact(said.IDs)) != 2 {
		t.Errorf("%q", said.IDs)
	}
	alone := dialog.Answers{}
	if _, err := alone.Conflicting(stateOf(t)); !errors.Is(err, dialog.ErrNoChoice) {
		t.Errorf("an empty log: %v", err)
	}
}
