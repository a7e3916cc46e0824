package history

import (
	"context"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// Answerer is a SearchStore that knows how a prompt was answered.
type Answerer interface {
	// Answers returns the last replies between a prompt and the next one in its session that
	// a filter admits, at most a few, the last one first.
	Answers(ctx context.Context, prompt Row, f Filter) ([]Row, error)
}

// Answer is the reply with which the turn of a prompt ended. The prompt of a question often
// has its words, and the reply to it none: "yes, both".
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

// answerReach is how many characters of an answer are shown on each side of its match, and
// twice as many of its beginning.
const answerReach = 80

// addAnswer adds to a prompt the reply to it, unless a search for certain entries was asked
// for or the reply is a hit above.
func (s *search) addAnswer(ctx context.Context, st step, one *shown, above []shown) error {
	src, ok := s.st.(Answerer)
	f := s.q.Filter
	if prompt := one.hit; !ok || !s.res.Ranked || prompt.Role != message.RoleUser || prompt.Spill != "" || len(f.Roles) > 0 || f.Tool != "" {
		return nil
	}
	rows, err := src.Answers(ctx, one.hit.Row, f)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if slices.ContainsFunc(above, func(a shown) bool { return a.hit.Content == r.Content }) {
			return nil
		}
		if err := s.readAnswer(ctx, st, one, r); one.hit.Answer != nil || err != nil {
			return err
		}
	}
	return nil
}

// readAnswer takes a reply for the answer to a prompt, unless the turn went on after it.
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
