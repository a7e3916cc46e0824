package decision

import "slices"

// Same returns the first decision of some statuses that says the same as a text, nil if there is
// none.
func (s *State) Same(text string, status Status, or ...Status) *Decision {
	key := TextKey(text)
	for _, d := range s.Decisions {
		if !d.Removed && (d.Status == status || slices.Contains(or, d.Status)) && TextKey(d.Text) == key {
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

// Compared lists decisions to compare a text with below a head, "" without any.
func Compared(head string, closest []*Decision) string {
	if len(closest) == 0 {
		return ""
	}
	for _, d := range closest {
		head += "\n" + d.Line()
	}
	return head
}

// askModel is said to a model that proposed a decision.
const askModel = "These active decisions are closest. Tell the user if one contradicts it or says the same:"

// Propose adds a draft on behalf of a model. It returns its id and what to compare it with.
// The error is a RefusedError when an active decision or a draft says the same.
func (e *Editor) Propose(body, reason string) (id, compared string, err error) {
	if d := e.State.Same(body, Draft); d != nil {
		return "", "", SaysTheSame(d)
	}
	id, err = e.Add(New{Text: body, Reason: reason, Status: Draft}, false)
	return id, Compared(askModel, e.State.Closest(body, nil)), err
}
