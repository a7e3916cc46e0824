// Package dialog asks a person about decisions: what a terminal and the dialogs of an agent
// have to ask, and in which order.
//
// It must not know how a question is drawn: whoever implements Asker draws it.
package dialog

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
)

// Asker asks a person: a form in a terminal, or the dialogs of an agent.
type Asker interface {
	// Ask returns the answers to questions, in their order.
	Ask(ctx context.Context, questions ...Question) ([]string, error)
}

// Question is a question to a person, as data.
type Question struct {
	// ID identifies the question within its dialog.
	ID string
	// Title is the question, About an explanation shown next to it.
	Title, About string
	// Choices are the answers to choose from. Without any, the answer is typed.
	Choices []Choice
	// Default is the initial answer.
	Default string
	// Required rejects an empty answer.
	Required bool
}

// Choice is one of the answers to choose from: the answer and its text.
type Choice struct{ Value, Label string }

// ErrNoChoice is returned when there is no active decision to offer.
var ErrNoChoice = errors.New("there is no active decision to choose")

// askWhich identifies the question which decision is meant.
const askWhich = "which"

// Supersession says which decision is superseded, by what text and why.
type Supersession struct{ ID, Text, Reason string }

// Complete asks for the id and the text when they are missing, and for the reason, offering
// the one that is given. The error is ErrNoChoice or that of p.
func (a *Supersession) Complete(ctx context.Context, p Asker, s *decision.State) error {
	if a.ID == "" {
		id, err := choose(ctx, p, s, Question{ID: askWhich, Title: "Which decision is superseded?"})
		if err != nil {
			return err
		}
		a.ID = id
	}
	questions := []Question{why(a.ID, a.Reason)}
	if a.Text == "" {
		q := Question{ID: "text", Title: "New decision", Required: true}
		if old, err := s.Find(a.ID); err == nil {
			q.About = "It replaces " + old.Brief()
		}
		questions = []Question{q, questions[0]}
	}
	said, err := p.Ask(ctx, questions...)
	if err != nil {
		return err
	}
	if a.Text == "" {
		a.Text = said[0]
	}
	a.Reason = said[len(said)-1]
	return nil
}

// why asks why the decision with the id is superseded, offering a reason.
func why(id, reason string) Question {
	return Question{ID: "why", Title: "Reason for superseding " + id, Default: reason, Required: true}
}

// Conflicting asks which two decisions conflict, beginning with those of the given ids. The
// error is ErrNoChoice or that of p.
func Conflicting(ctx context.Context, p Asker, s *decision.State, ids ...string) (both []string, err error) {
	for len(ids) < 2 {
		q := Question{ID: askWhich, Title: "Which decision is in conflict with another?"}
		if len(ids) == 1 {
			q = Question{ID: "other", Title: "With which one is it in conflict?"}
			if d, err := s.Find(ids[0]); err == nil {
				q.About = d.Brief()
			}
		}
		id, err := choose(ctx, p, s, q, ids...)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// Addition says what to do about a new decision: one of the answers below, and for some of
// them the id of an existing decision and why that is superseded.
type Addition struct{ Do, ID, Reason string }

// What to do about a new decision.
const (
	Add       = "add"       // it is added unchanged
	Supersede = "supersede" // it supersedes one of the closest
	Mark      = "mark"      // both stay and are marked as conflicting
	Update    = "update"    // one of the closest gets its text
	Cancel    = "cancel"
)

// Adding asks what to do about a new decision with this reason, "" for none, given the active
// decisions closest to it.
func Adding(ctx context.Context, p Asker, closest []*decision.Decision, reason string) (Addition, error) {
	var about strings.Builder
	for _, d := range closest {
		about.WriteString(d.Summary() + "\n")
	}
	do, err := p.Ask(ctx, Question{
		ID: "closest", Title: "Does it contradict one of these, or say the same?", About: about.String(), Default: Add,
		Choices: []Choice{
			{Add, "Neither: add it"},
			{Supersede, "It contradicts one: supersede that (recommended)"},
			{Mark, "It contradicts one: keep both and mark the conflict"},
			{Update, "It says the same as one: update that with this text"},
			{Cancel, "Cancel"},
		},
	})
	if err != nil || do[0] == Add || do[0] == Cancel {
		return Addition{Do: append(do, Cancel)[0]}, err
	}
	which, err := p.Ask(ctx, OneOf(Question{ID: askWhich, Title: "Which one?"}, closest))
	if err != nil {
		return Addition{}, err
	}
	a := Addition{do[0], which[0], reason}
	if a.Do == Supersede && reason == "" {
		said, err := p.Ask(ctx, why(a.ID, ""))
		if err != nil {
			return Addition{}, err
		}
		a.Reason = said[0]
	}
	return a, nil
}

// choose asks for an active decision except some, offering the latest first.
func choose(ctx context.Context, p Asker, s *decision.State, q Question, except ...string) (string, error) {
	active := s.With(decision.Active)
	slices.Reverse(active)
	q = OneOf(q, slices.DeleteFunc(active, func(d *decision.Decision) bool { return slices.Contains(except, d.ID) }))
	if len(q.Choices) == 0 {
		return "", ErrNoChoice
	}
	said, err := p.Ask(ctx, q)
	if err != nil {
		return "", err
	}
	return said[0], nil
}

// OneOf returns a question with decisions as its choices.
func OneOf(q Question, list []*decision.Decision) Question {
	for _, d := range list {
		q.Choices = append(q.Choices, Choice{d.ID, d.Brief()})
	}
	return q
}
