package decision

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision/likeness"
)

// Relation is a decision that a new text is related to.
type Relation struct {
	Decision *Decision
	likeness.Likeness
}

// Equal returns the active decision that says the same as a text, nil if there is none.
func (s *State) Equal(text string) *Decision {
	t := likeness.New(text)
	for _, d := range s.Decisions {
		if d.Status == Active && !d.Removed && t.Equals(d.Text) {
			return d
		}
	}
	return nil
}

// Related lists the active decisions that a text is related to, nearest first, without
// except.
func (s *State) Related(text string, except *Decision) []Relation {
	t := likeness.New(text)
	var out []Relation
	for _, i := range t.Nearest(s.activeTexts(except)) {
		if l, ok := t.Compare(s.Decisions[i].Text); ok {
			out = append(out, Relation{s.Decisions[i], l})
		}
	}
	slices.SortStableFunc(out, func(a, b Relation) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// maxClosest is the number of decisions that a model compares a text with.
const maxClosest = 5

// Closest lists the active decisions closest to a text besides those that it is related to
// and except. Relations are guessed from words alone, and miss contradictions that a model
// sees.
func (s *State) Closest(text string, related []Relation, except *Decision) []*Decision {
	var out []*Decision
	for _, i := range likeness.New(text).Closest(s.activeTexts(except), maxClosest) {
		d := s.Decisions[i]
		if !slices.ContainsFunc(related, func(r Relation) bool { return r.Decision == d }) {
			out = append(out, d)
		}
	}
	return out
}

// Compared tells a model which active decisions to compare a text with, "" when none has
// anything in common with it.
func (s *State) Compared(text string) string {
	related := s.Related(text, nil)
	related = related[:min(len(related), maxClosest)]
	var lines []string
	for _, r := range related {
		lines = append(lines, r.Decision.Line()+" ("+string(r.Class)+"?)")
	}
	for _, d := range s.Closest(text, related, nil) {
		lines = append(lines, d.Line())
	}
	if len(lines) == 0 {
		return ""
	}
	return "Closest active decisions. Tell the user if one contradicts it or says the same:\n" +
		strings.Join(lines[:min(len(lines), maxClosest)], "\n")
}

// activeTexts yields the indexes and texts of the active decisions, without except.
func (s *State) activeTexts(except *Decision) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i, d := range s.Decisions {
			if d.Status == Active && !d.Removed && d != except && !yield(i, d.Text) {
				return
			}
		}
	}
}

// Same returns the active decision that equals a text, else the nearest likely duplicate,
// nil if there is none.
func (s *State) Same(text string) *Decision {
	if d := s.Equal(text); d != nil {
		return d
	}
	for _, r := range s.Related(text, nil) {
		if r.Class == likeness.Duplicate {
			return r.Decision
		}
	}
	return nil
}

// Propose adds a draft on behalf of a model. It returns its id and what to compare it with.
// The error is an EqualError when an active decision or a draft says the same.
func (e *Editor) Propose(body, reason string) (id, compared string, err error) {
	for _, d := range e.State.With(Draft) {
		if likeness.Normal(d.Text) == likeness.Normal(body) {
			return "", "", &EqualError{Decision: d}
		}
	}
	id, err = e.Add(New{Text: body, Reason: reason, Status: Draft}, false)
	return id, e.State.Compared(body), err
}
