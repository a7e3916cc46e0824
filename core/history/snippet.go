package history

import (
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// minMatch is how many bytes of a match are shown even with little context.
const minMatch = 100

// longWord is the length in bytes from which a word is cut rather than left out.
const longWord = 24

// LineIn is LineOf for the searched text of an entry.
func LineIn(e *message.Entry, raw []byte, body string, at int) int {
	if len(e.Message.Calls) > 0 { // of which the searched text may lack some
		return LineOf(body, string(e.AppendBody(nil, raw)), at)
	}
	return LineOf(body, body[e.LabelSize(raw):], at)
}

// LineOf returns the number, from 1, of the line of the original in which an offset of the
// searched text is; 0 when the original lacks that line. The searched text has labels that
// the original lacks, and may lack calls.
func LineOf(body, original string, at int) int {
	if label := len(body) - len(original); label >= 0 && body[label:] == original {
		if at -= label; at < 0 {
			return 0
		}
		return 1 + strings.Count(original[:at], "\n")
	}
	if i := strings.Index(original, LineAt(body, at)); i >= 0 {
		return 1 + strings.Count(original[:i], "\n")
	}
	return 0
}

// LineAt returns the line of a text that contains an offset.
func LineAt(body string, at int) string {
	line, _, _ := strings.Cut(body[strings.LastIndexByte(body[:at], '\n')+1:], "\n")
	return line
}

// Snippet cuts out a match with at most reach characters on each side, between words where it
// can.
func Snippet(r Row, body string, start, end, reach int) Hit {
	from := start
	for n := 0; n < reach && from > 0; n++ {
		from = text.PrevRune(body, from)
	}
	// A match may be as long as the text, but only its beginning is shown.
	if limit := max(4*min(reach, len(body)), minMatch); end-start > limit {
		end = runeBoundary(body, start+limit)
	}
	if space := strings.IndexAny(body[from:min(start, from+longWord)], " \n"); from > 0 && space >= 0 {
		from += space + 1
	}
	to := end
	for n := 0; n < reach && to < len(body); n++ {
		to = text.NextRune(body, to)
	}
	tail := max(end, to-longWord)
	if space := strings.LastIndexAny(body[tail:to], " \n"); to < len(body) && space >= 0 {
		to = tail + space
	}
	return Hit{Row: r, Snippet: strings.Clone(body[from:to]), MatchStart: start - from, MatchEnd: end - from, CutBefore: from > 0, CutAfter: to < len(body)}
}

// Excerpt cuts out a match with reach characters on each side, or the beginning of a text
// without a match, with "…" where it is cut.
func Excerpt(body string, start, end, reach int) string {
	if end == 0 {
		reach *= 2
	}
	h := Snippet(Row{}, body, start, end, reach)
	return text.Line(h.Ellipsis(h.Snippet))
}

// Ellipsis marks with "…" where a form of the snippet is cut.
func (h Hit) Ellipsis(snippet string) string {
	if h.CutBefore {
		snippet = "…" + strings.TrimLeft(snippet, " ")
	}
	if h.CutAfter {
		snippet = strings.TrimRight(snippet, " ") + "…"
	}
	return snippet
}
