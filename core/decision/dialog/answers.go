package dialog

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
)

// Answers are the answers so far in a dialog about superseding a decision or about two
// conflicting ones. Their JSON must be small: the agent keeps it between two questions.
type Answers struct {
	IDs    []string `json:"ids,omitempty"`
	Text   string   `json:"text,omitempty"`
	Reason string   `json:"reason,omitempty"`
	Note   string   `json:"-"`
	// Suggested is the initial text for the reason.
	Suggested string `json:"-"`

	noted bool
}

// The questions of a dialog.
const (
	askWhich = "which"
	askText  = "text"
	askWhy   = "why"
	askNote  = "note"
)

// IDs lists the ids of the required questions of Superseding and Conflicting.
func IDs() []string { return []string{askWhich, askText, askWhy} }

// Take stores the answer to a question.
func (a *Answers) Take(id, said string) {
	switch id {
	case askWhich:
		a.IDs = append(a.IDs, said)
	case askText:
		a.Text = said
	case askWhy:
		a.Reason = said
	case askNote:
		a.Note, a.noted = said, true
	}
}

// Superseding returns the next questions about superseding a decision, none when all are
// answered. limit is the maximum length of a text in bytes. The error is ErrNoChoice.
func (a *Answers) Superseding(s *decision.State, limit int) ([]Question, error) {
	if len(a.IDs) == 0 {
		q, err := a.which(s, "Which decision is superseded?")
		return []Question{q}, err
	}
	var out []Question
	if strings.TrimSpace(a.Text) == "" {
		q := textQuestion("New decision", limit)
		if old, err := s.Find(a.IDs[0]); err == nil {
			q.About = "Replaces: " + old.Summary()
			q.Spoken = "It says: " + old.Summary() + "\n"
		}
		q.Alone = "New decision, replacing " + brief(s, a.IDs[0])
		out = append(out, q)
	}
	if strings.TrimSpace(a.Reason) == "" {
		why := Why(a.IDs[0])
		why.Default = a.Suggested
		out = append(out, why)
	}
	return out, nil
}

// Conflicting returns the next questions about two conflicting decisions, none when all are
// answered. The error is ErrNoChoice.
func (a *Answers) Conflicting(s *decision.State) ([]Question, error) {
	q := Question{ID: askNote, Kind: WriteLine, Title: "Note", About: "What the conflict is; may be left empty.", Optional: true}
	var err error
	switch len(a.IDs) {
	case 0:
		q, err = a.which(s, "Which decision is in conflict with another?")
	case 1:
		q, err = a.which(s, "With which one?")
		q.Alone = "With which one is this in conflict: " + brief(s, a.IDs[0])
	default:
		if a.noted {
			return nil, nil
		}
	}
	return []Question{q}, err
}

// which asks for an active decision that was not chosen yet, offering the latest first.
func (a *Answers) which(s *decision.State, title string) (Question, error) {
	q := Question{ID: askWhich, Kind: ChooseOne, Title: title}
	for _, d := range slices.Backward(s.With(decision.Active)) {
		if !slices.Contains(a.IDs, d.ID) {
			q.Choices = append(q.Choices, Choice{Value: d.ID, Label: d.Summary(), Short: d.Brief()})
		}
	}
	if len(q.Choices) == 0 {
		return q, ErrNoChoice
	}
	return q, nil
}
