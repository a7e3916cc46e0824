package decision

import (
	"strings"
)

// Same returns the active decision that says the same as a text, nil if there is none.
func (s *State) Same(text string) *Decision {
	key := TextKey(text)
	for _, d := range s.Decisions {
		if d.Status == Active && !d.Removed && TextKey(d.Text) == key {
			return d
		}
	}
	return nil
}

// The bounds of Closest: how many decisions it returns, and how many it compares at most,
// the latest ones of a very long log.
const (
	maxClosest  = 5
	maxCompared = 2000
)

// Closest lists the active decisions whose texts have most in common with a text, closest
// first, without except, and with also, which are about to become active. Whoever reads
// them judges whether one says the same or contradicts it: the words alone do not tell.
func (s *State) Closest(text string, except *Decision, also ...*Decision) []*Decision {
	active := s.filter(func(d *Decision) bool { return d.Status == Active && !d.Removed && d != except })
	active = append(active, also...)
	active = active[max(0, len(active)-maxCompared):]
	texts := make([]string, len(active))
	for i, d := range active {
		texts[i] = d.Text
	}
	var out []*Decision
	for _, i := range closest(text, texts, maxClosest) {
		out = append(out, active[i])
	}
	return out
}

// Compared tells a model which active decisions to compare a text with, "" when none has
// anything in common with it.
func (s *State) Compared(text string) string {
	var lines []string
	for _, d := range s.Closest(text, nil) {
		lines = append(lines, d.Line())
	}
	if len(lines) == 0 {
		return ""
	}
	return "These active decisions are closest. Tell the user if one contradicts it or says the same:\n" + strings.Join(lines, "\n")
}

// Propose adds a draft on behalf of a model. It returns its id and what to compare it with.
// The error is a RefusedError when an active decision or a draft says the same.
func (e *Editor) Propose(body, reason string) (id, compared string, err error) {
	key := TextKey(body)
	for _, d := range e.State.With(Draft) {
		if TextKey(d.Text) == key {
			return "", "", SaysTheSame(d)
		}
	}
	id, err = e.Add(New{Text: body, Reason: reason, Status: Draft}, false)
	return id, e.State.Compared(body), err
}
