package dialog

import (
	"context"
	"slices"

	"github.com/coctostan/pictx/core/decision"
)

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
	why := Why(a.ID)
	why.Default = a.Reason
	questions := []Question{why}
	if a.Text == "" {
		q := textQuestion("New decision")
		if old, err := s.Find(a.ID); err == nil {
			q.About = "Replaces: " + old.Summary()
			q.Alone = "New decision, replacing " + old.Brief()
		}
		questions = []Question{q, why}
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

// Conflicting asks which two decisions conflict, beginning with those of the given ids, and
// for a note. The error is ErrNoChoice or that of p.
func Conflicting(ctx context.Context, p Asker, s *decision.State, ids ...string) (both []string, note string, err error) {
	for len(ids) < 2 {
		q := Question{ID: askWhich, Title: "Which decision is in conflict with another?"}
		if len(ids) == 1 {
			q = Question{ID: "other", Title: "With which one?", Alone: "With which one is this in conflict: " + brief(s, ids[0])}
		}
		id, err := choose(ctx, p, s, q, ids...)
		if err != nil {
			return nil, "", err
		}
		ids = append(ids, id)
	}
	said, err := p.Ask(ctx, Question{ID: "note", Kind: WriteLine, Title: "Note", About: "The note says what the conflict is; it may be left empty.", Optional: true})
	if err != nil {
		return nil, "", err
	}
	return ids, said[0], nil
}

// Addition says what to do about a new decision: one of the answers to Closest, and for some
// of them the id of an existing decision and why that is superseded.
type Addition struct{ Do, ID, Reason string }

// Adding asks what to do about a new decision with this reason, "" for none, given the active
// decisions closest to it.
func Adding(ctx context.Context, p Asker, closest []*decision.Decision, reason string) (Addition, error) {
	do, err := p.Ask(ctx, Closest(closest))
	if err != nil || do[0] == Add || do[0] == Cancel {
		return Addition{Do: append(do, Cancel)[0]}, err
	}
	which, err := p.Ask(ctx, OneOf(Question{ID: askWhich, Title: "Which one?"}, closest))
	if err != nil {
		return Addition{}, err
	}
	a := Addition{do[0], which[0], reason}
	if a.Do == Supersede && reason == "" {
		why, err := p.Ask(ctx, Why(a.ID))
		if err != nil {
			return Addition{}, err
		}
		a.Reason = why[0]
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
		q.Choices = append(q.Choices, Choice{Value: d.ID, Label: d.Summary(), Short: d.Brief()})
	}
	return q
}
