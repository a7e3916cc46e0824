package history

import (
	"context"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// Answerer is a SearchStore that knows what came of an entry.
type Answerer interface {
	// Answers returns the last replies between an entry and the next prompt of its session
	// that a filter admits, at most a few, the last one first.
	Answers(ctx context.Context, entry Row, f Filter) ([]Row, error)
	// Results returns the results of the calls in an entry that a filter admits, in order.
	Results(ctx context.Context, call Row, f Filter) ([]Row, error)
}

// Answer is the reply with which the turn of an entry ended. The prompt of a question often
// has its words, and the reply to it none: "yes, both". A remark on the way has them too, and
// the reply says what came of it.
type Answer struct {
	EntryID string
	// Text is the part of the reply that matches the query, else its beginning, with "…"
	// where it is cut.
	Text string
	// Line is the line, from 1, in which Text begins to match, in the text that Expand
	// returns; 0 when that text lacks it.
	Line int
}

// Around returns the range of lines around the match, as Expand takes it; "" when the line
// is unknown.
func (a Answer) Around() string { return Hit{Line: a.Line}.Around() }

// Answered says what the Answer of a hit is to it.
func (h Hit) Answered() string {
	if h.Role == message.RoleUser {
		return "answered by"
	}
	return "its turn ended with"
}

// answerReach is how many characters of an answer are shown on each side of its match, and
// twice as many of its beginning.
const answerReach = 80

// concluded is how many results, prompts aside, are shown with the reply that their turn
// ended with. Further down it would take more room than it is worth.
const concluded = 3

// answerer returns what knows what came of a result, nil if that is not to be shown: for an
// order other than by relevance, and if certain entries were asked for.
func (s *search) answerer(h Hit) Answerer {
	src, _ := s.st.(Answerer)
	if f := s.q.Filter; !s.res.Ranked || h.Role == RoleSummary || h.Spill != "" || len(f.Roles) > 0 || f.Tool != "" {
		return nil
	}
	return src
}

// addResult names the result of a call that did not match itself: of several calls, that of
// the first which failed.
func (s *search) addResult(ctx context.Context, one *shown) error {
	src := s.answerer(one.hit)
	if src == nil || len(one.ties.calls) == 0 || one.hit.Other != "" {
		return nil
	}
	rows, err := src.Results(ctx, one.hit.Row, s.q.Filter)
	if len(rows) > 0 {
		failed := slices.IndexFunc(rows, func(r Row) bool { return r.IsError })
		one.hit.Other = rows[max(0, failed)].EntryID
	}
	return err
}

// addAnswer adds to a prompt, and to each of the best results, the reply that its turn ended
// with, unless that is shown above.
func (s *search) addAnswer(ctx context.Context, st step, one *shown, above []shown) error {
	src := s.answerer(one.hit)
	if src == nil || one.hit.Role != message.RoleUser && len(above) >= concluded {
		return nil
	}
	rows, err := src.Answers(ctx, one.hit.Row, s.q.Filter)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if slices.ContainsFunc(above, func(a shown) bool { return a.hit.Content == r.Content || a.answer == r.Content }) {
			return nil
		}
		if err := s.readAnswer(ctx, st, one, r); one.hit.Answer != nil || err != nil {
			return err
		}
	}
	return nil
}

// readAnswer takes a reply for the answer to an entry, unless the turn went on after it.
func (s *search) readAnswer(ctx context.Context, st step, one *shown, r Row) error {
	raw, err := s.st.Raw(ctx, r, s.room)
	if err != nil {
		return err
	}
	s.room = raw
	s.parsers.parse(raw, func(e *message.Entry, body string) {
		if len(e.Message.Calls) > 0 || strings.TrimSpace(body) == "" {
			return
		}
		var start, end int
		if st.held(body) != 0 {
			start, end = st.place(body, answerReach)
		}
		one.hit.Answer = &Answer{EntryID: r.EntryID, Text: excerpt(body, start, end, answerReach), Line: lineIn(e, raw, body, start)}
		one.answer = r.Content
	})
	return nil
}

// excerpt cuts out a match with reach characters on each side, or the beginning of a text
// without a match, with "…" where it is cut.
func excerpt(body string, start, end, reach int) string {
	if end == 0 {
		reach *= 2
	}
	h := snippet(Row{}, body, start, end, reach)
	out := h.Snippet
	if from := start - h.MatchStart; from > 0 {
		out = "…" + strings.TrimLeft(out, " ")
	}
	if start-h.MatchStart+len(h.Snippet) < len(body) {
		out = strings.TrimRight(out, " ") + "…"
	}
	return text.Line(out)
}
