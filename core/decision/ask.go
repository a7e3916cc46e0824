package decision

import (
	"context"
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/text"
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
	// Choices are the answers to choose from. Without any, the answer is typed, or with Sure
	// it is yes: any other is an error.
	Choices []Choice
	Sure    bool
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

// Addition says what to do about a text that is to become an active decision: one of the
// answers below, and for some of them the id of an active decision and why that is replaced.
type Addition struct{ Do, ID, Reason string }

// What to do about a text that is to become an active decision.
const (
	DoAdd       = "add"       // it becomes active unchanged
	DoSupersede = "supersede" // it supersedes one of the closest
	DoMark      = "mark"      // both stay and are marked as conflicting
	DoUpdate    = "update"    // one of the closest gets its text
	DoDraft     = "draft"     // it becomes a draft
	DoCancel    = "cancel"
)

// Entrant is a text that is to become an active decision, and the active decisions closest
// to it.
type Entrant struct {
	Text    string
	Closest []*Decision
	// Reason is why it was decided, "" to ask for a reason when it supersedes one of them.
	Reason string
}

// AskClosest asks what to do about a text that is to become an active decision. Every way
// into the log asks this, so that no contradiction comes in unseen by one of them.
func AskClosest(ctx context.Context, p Asker, n Entrant) (Addition, error) {
	key := Candidate(n.Text).ID() // a dialog may be about several texts
	about := "new: " + CutWord(text.LogLine(n.Text), 200) + "\n"
	for _, d := range n.Closest {
		about += d.Summary() + "\n"
	}
	a := Addition{Reason: n.Reason}
	var err error
	a.Do, err = p.Ask(ctx, Question{
		ID: "closest " + key, Title: "Does it contradict one of these, or say the same?", About: about,
		Choices: []Choice{
			{DoAdd, "Neither: add it"},
			{DoSupersede, "It contradicts one: replace that (recommended)"},
			{DoMark, "It contradicts one: keep both and mark the conflict"},
			{DoUpdate, "It says the same as one: update that with this text"},
			{DoCancel, "Cancel"},
		},
	})
	if err != nil || a.Do == DoAdd || a.Do == DoCancel {
		return a, err
	}
	a.ID, err = p.Ask(ctx, OneOf(Question{ID: "which " + key, Title: "Which one?"}, n.Closest))
	if err == nil && a.Do == DoSupersede && n.Reason == "" {
		why := Why(a.ID)
		why.ID += " " + key
		a.Reason, err = p.Ask(ctx, why)
	}
	return a, err
}

// AskAdopted asks once about records that are accepted where they come from, and shows the
// active decision closest to each. The answer is DoAdd, DoDraft or DoCancel.
func AskAdopted(ctx context.Context, p Asker, all []Entrant) (string, error) {
	const shown = 20
	near := slices.DeleteFunc(slices.Clone(all), func(n Entrant) bool { return len(n.Closest) == 0 })
	about := fmt.Sprintf("%d of %s have an active decision close to them.\n", len(near), text.Count(len(all), "accepted record"))
	for _, n := range near[:min(len(near), shown)] {
		about += "new: " + CutWord(text.LogLine(n.Text), 100) + "\n" + n.Closest[0].Summary() + "\n"
	}
	return p.Ask(ctx, Question{
		ID: "adopted", Title: "Does one of them contradict an active decision, or say the same?", About: about,
		Choices: []Choice{
			{DoAdd, "Neither: make all active"},
			{DoDraft, "Perhaps: add them as drafts, and ask about each when it is accepted"},
			{DoCancel, "Cancel"},
		},
	})
}

// Enter adds a decision as a person answered, and returns its id, or that of the decision
// that got its text. Its errors are those of Add and Edit.
func (e *Editor) Enter(n New, a Addition, force bool) (string, error) {
	switch a.Do {
	case DoSupersede:
		n.Supersedes, n.Reason = a.ID, a.Reason
	case DoMark:
		n.Conflicts = append(n.Conflicts, a.ID)
	case DoUpdate:
		old, err := e.State.Find(a.ID)
		if err != nil {
			return "", err
		}
		return old.ID, e.Edit(old, Change{Text: &n.Text})
	}
	return e.Add(n, force)
}

// Accept makes a decision active as a person answered, and returns its id. When another got
// its text, it is removed, and that one's id returned. The errors are those of Turn, Clash
// and Edit.
func (e *Editor) Accept(id string, a Addition) (string, error) {
	d, err := e.State.Find(id)
	if err == nil {
		err = present(d, "accept")
	}
	var old *Decision
	if err == nil && a.ID != "" {
		old, err = e.State.Find(a.ID)
	}
	switch {
	case err != nil:
		return "", err
	case a.Do == DoUpdate:
		if err = e.Remove(d, "its text is that of "+old.ID); err == nil {
			err = e.Edit(old, Change{Text: &d.Text})
		}
		return old.ID, err
	case a.Do == DoMark:
		if err = e.Clash(d, old, ""); err != nil {
			return "", err
		}
		old = nil
	}
	return d.ID, e.turn(d, Data{Status: new(Active)}, a.Reason, old)
}
