package decision

import (
	"context"
	"strings"
)

// Asker asks a person: a form in a terminal, or a dialog of an agent.
type Asker interface {
	// Ask returns the answer to a question.
	Ask(ctx context.Context, q Question) (string, error)
}

// Question is a question to a person, as data.
type Question struct {
	// ID identifies the question within its dialog.
	ID string
	// Title is the question, About an explanation shown next to it.
	Title, About string
	// Choices are the answers to choose from. Without any, the answer is typed.
	Choices []Choice
}

// Choice is one of the answers to choose from: the answer and its text.
type Choice struct{ Value, Label string }

// OneOf returns a question with decisions as its choices.
func OneOf(q Question, list []*Decision) Question {
	for _, d := range list {
		q.Choices = append(q.Choices, Choice{d.ID, d.Brief()})
	}
	return q
}

// Why asks why the decision with an id is superseded.
func Why(id string) Question { return Question{ID: "why", Title: "Reason for superseding " + id} }

// Addition says what to do about a new decision: one of the answers below, and for some of
// them the id of an existing decision and why that is superseded.
type Addition struct{ Do, ID, Reason string }

// What to do about a new decision.
const (
	DoAdd       = "add"       // it is added unchanged
	DoSupersede = "supersede" // it supersedes one of the closest
	DoMark      = "mark"      // both stay and are marked as conflicting
	DoUpdate    = "update"    // one of the closest gets its text
	DoCancel    = "cancel"
)

// AskClosest asks what to do about a new decision with this reason, "" for none, given the
// active decisions closest to it.
func AskClosest(ctx context.Context, p Asker, closest []*Decision, reason string) (Addition, error) {
	var about strings.Builder
	for _, d := range closest {
		about.WriteString(d.Summary() + "\n")
	}
	a := Addition{Reason: reason}
	var err error
	a.Do, err = p.Ask(ctx, Question{
		ID: "closest", Title: "Does it contradict one of these, or say the same?", About: about.String(),
		Choices: []Choice{
			{DoAdd, "Neither: add it"},
			{DoSupersede, "It contradicts one: supersede that (recommended)"},
			{DoMark, "It contradicts one: keep both and mark the conflict"},
			{DoUpdate, "It says the same as one: update that with this text"},
			{DoCancel, "Cancel"},
		},
	})
	if err != nil || a.Do == DoAdd || a.Do == DoCancel {
		return a, err
	}
	if a.ID, err = p.Ask(ctx, OneOf(Question{ID: "which", Title: "Which one?"}, closest)); err == nil && a.Do == DoSupersede && reason == "" {
		a.Reason, err = p.Ask(ctx, Why(a.ID))
	}
	return a, err
}
