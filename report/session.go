package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/replay"
)

// session is a session on the page.
type session struct {
	*replay.SessionResult
	page *replayPage
	// ID is a prefix of the session's id that is distinct from the others, Anchor that of its
	// chart, "" when it has none.
	ID, Anchor string
	// None and Best are the session without pruning and under the best policy, nil when that was
	// not run.
	None, Best *policyCourse
	// Full is its cost without pruning, Saved what the best policy saves of it, negative
	// when that costs more. Both are in dollars when the sessions of the page have prices,
	// else in tokens. They are 0 when unknown.
	Full, Saved float64
}

// session returns a session prepared for the page.
func (p *replayPage) session(r *replay.SessionResult, id string) *session {
	s := &session{SessionResult: r, page: p, ID: id}
	s.None, s.Best = s.Under(p.None), s.Under(p.Best)
	amount := func(c *policyCourse) float64 {
		if p.Result.Priced() {
			return c.Bill.Dollars.Billed
		}
		return c.Bill.Tokens.Billed
	}
	if s.None != nil {
		s.Full = amount(s.None)
	}
	if s.None != nil && s.Best != nil {
		s.Saved = s.Full - amount(s.Best)
	}
	return s
}

// Cost formats the cost of the session on a course, a dash when only others have prices.
func (s *session) Cost(c *policyCourse) string {
	if c == nil {
		return unknown
	}
	if p := s.page.Result.Priced(); c.Bill.Priced() == p || p && c.Bill.Dollars.Requests > 0 {
		return Amount(c.Bill.Shown().Billed, p)
	}
	return unknown
}

// Savings formats what the best policy saves.
func (s *session) Savings() string {
	if !s.Priced() {
		return unknown
	}
	return Amount(s.Saved, s.page.Result.Priced())
}

// Priced reports whether the cost of the session is comparable with that of others.
func (s *session) Priced() bool {
	return !s.page.Result.Priced() || len(s.Policies) > 0 && s.Policies[0].Bill.Priced()
}

// policyCourse is a session under a policy.
type policyCourse struct {
	*replay.Run
	Policy *policyResult
}

// Under returns the session under a policy, nil when it was not run.
func (s *session) Under(p *policyResult) *policyCourse {
	for i := range s.Policies {
		if own := &s.Policies[i]; p != nil && own.Policy == p.Name {
			return &policyCourse{own, p}
		}
	}
	return nil
}

// After returns the session under the best policy, nil when nothing was pruned.
func (s *session) After() *policyCourse {
	if s.Best == nil || s.Best.FirstPrune == 0 {
		return nil
	}
	return s.Best
}

// Courses returns the session without pruning and under the policies with a column.
func (s *session) Courses() []*policyCourse {
	var out []*policyCourse
	for _, p := range slices.Concat([]*policyResult{s.page.None}, s.page.Columns) {
		if c := s.Under(p); c != nil {
			out = append(out, c)
		}
	}
	return out
}

// series returns the points of a course, reduced to limit.
func (c *policyCourse) series(limit int) []replay.Point {
	if c == nil {
		return nil
	}
	return thin(c.Series, limit)
}

// Name is the project of the session, or its file.
func (s *session) Name() string {
	return fence.OneLine(cmp.Or(folderName(s.CWD), folderName(s.File), "session"), 48)
}

// folderName returns the last element of a path. A folder with a name like "2" gets its
// parent as well, because the name says little alone.
func folderName(dir string) string {
	const telling = 4
	parts := strings.FieldsFunc(dir, func(r rune) bool { return r == '/' || r == '\\' })
	n := len(parts)
	switch {
	case n == 0:
		return ""
	case n > 1 && len(parts[n-1]) < telling:
		return parts[n-2] + "/" + parts[n-1]
	}
	return parts[n-1]
}

// hasSeries reports whether the session has anything to draw.
func (s *session) hasSeries() bool {
	return slices.ContainsFunc(s.Policies, func(p replay.Run) bool { return len(p.Series) > 0 })
}
