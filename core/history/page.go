package history

import (
	"context"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// shown is a result to be shown, with what it is compared by.
type shown struct {
	hit   Hit
	held  uint64
	at    int    // the offset of the match in the searched text
	line  uint64 // the hash of the line in which the match begins
	print fingerprint
	ties  ties

	answer int64 // the key of the text of hit.Answer
}

// page makes the hits of the requested page of a sorted list. Results that are merged into
// an earlier one, and our own searches, are not counted.
func (s *search) page(ctx context.Context, st step, list []candidate) error {
	list, err := s.onePerSpan(ctx, list)
	if err != nil {
		return err
	}
	var all []shown
	until := s.q.Offset + s.q.Limit
	for _, c := range list {
		one, ok, err := s.show(ctx, st, c)
		if err != nil {
			return err
		}
		if !ok || absorbed(all, one) {
			continue
		}
		if len(all) == until {
			s.res.More = true
			break
		}
		if err := s.addAnswer(ctx, st, &one, all); err != nil {
			return err
		}
		all = append(all, one)
	}
	for _, one := range all[min(s.q.Offset, len(all)):] {
		if err := s.addResult(ctx, &one); err != nil {
			return err
		}
		s.res.Hits = append(s.res.Hits, one.hit)
	}
	return s.addBranchStatus(ctx)
}

// show makes a hit of a candidate. ok is false for a search of ours, and for a text that
// does not match although an older index says so.
func (s *search) show(ctx context.Context, st step, c candidate) (one shown, ok bool, err error) {
	if c.text != "" {
		one, ok = s.hit(st, c, c.text)
		one.hit.Line = lineOf(c.text, c.text, one.at)
		return one, ok, nil
	}
	raw, err := s.st.Raw(ctx, c.Row, s.room)
	if err != nil {
		return one, false, err
	}
	s.room = raw
	s.parsers.parse(raw, func(e *message.Entry, body string) {
		var own bool
		if own, err = s.ownResult(ctx, c.Row, e); own || err != nil {
			return
		}
		if one, ok = s.hit(st, c, body); ok {
			one.ties = tiesOf(e)
			one.hit.Line = lineIn(e, raw, body, one.at)
		}
	})
	return one, ok && err == nil, err
}

// hit makes a hit of a candidate whose searched text is body. It keeps nothing of body.
func (s *search) hit(st step, c candidate, body string) (one shown, ok bool) {
	// What reading the text has found, unless only the index was asked.
	if one.held = c.held; one.held == 0 {
		one.held = st.held(body)
	}
	if one.held == 0 {
		return one, false
	}
	one.print = s.fingerprintOf(body)
	start, end := st.place(body, s.q.Context)
	one.at = start
	one.hit = snippet(c.Row, body, start, end, s.q.Context)
	one.hit.Spill = c.spill
	one.line = s.hashOf(lineAt(body, start))
	return one, true
}

// lineIn is lineOf for the searched text of an entry.
func lineIn(e *message.Entry, raw []byte, body string, at int) int {
	if len(e.Message.Calls) > 0 { // of which the searched text may lack some
		return lineOf(body, string(e.AppendBody(nil, raw)), at)
	}
	return lineOf(body, body[e.LabelSize(raw):], at)
}

// lineOf returns the number, from 1, of the line of the original in which an offset of the
// searched text is; 0 when the original lacks that line. The searched text has labels that
// the original lacks, and may lack calls.
func lineOf(body, original string, at int) int {
	if label := len(body) - len(original); label >= 0 && body[label:] == original {
		if at -= label; at < 0 {
			return 0
		}
		return 1 + strings.Count(original[:at], "\n")
	}
	if i := strings.Index(original, lineAt(body, at)); i >= 0 {
		return 1 + strings.Count(original[:i], "\n")
	}
	return 0
}

// lineAt returns the line of a text that contains an offset.
func lineAt(body string, at int) string {
	line, _, _ := strings.Cut(body[strings.LastIndexByte(body[:at], '\n')+1:], "\n")
	return line
}

// snippet cuts out a match with reach characters on each side.
func snippet(r Row, body string, start, end, reach int) Hit {
	from := start
	for n := 0; n < reach && from > 0; n++ {
		from = text.PrevRune(body, from)
	}
	// A match may be as long as the text, but only its beginning is shown.
	if limit := max(4*min(reach, len(body)), minMatch); end-start > limit {
		end = runeBoundary(body, start+limit)
	}
	to := end
	for n := 0; n < reach && to < len(body); n++ {
		to = text.NextRune(body, to)
	}
	return Hit{Row: r, Snippet: strings.Clone(body[from:to]), MatchStart: start - from, MatchEnd: end - from}
}
