package object

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// edit replaces a text of a file that it has once.
type edit struct {
	Old string `json:"oldText"`
	New string `json:"newText"`
}

// edits are the edits of a call. Models also write them as a string of JSON, or as one edit.
type edits []edit

// UnmarshalJSON implements json.Unmarshaler.
func (e *edits) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		data = []byte(text)
	}
	var one edit
	if json.Unmarshal(data, &one) == nil {
		*e = edits{one}
		return nil
	}
	return json.Unmarshal(data, (*[]edit)(e))
}

// span is a part of a text, in bytes, and what replaces it.
type span struct {
	from, to int
	text     string
}

// byteOrderMark is what some files begin with; edits do not see it.
const byteOrderMark = "\ufeff"

// edited returns a text after edits, as pi's own tool makes them: all are matched against the text as it was,
// with any kind of line break and, when one does not match otherwise, whatever blanks, quotes and dashes it
// has. ok is false for edits that pi refuses.
func edited(whole string, list edits) (text string, ok bool) {
	if !utf8.ValidString(whole) { // the tool would read other text
		return "", false
	}
	whole, hasMark := strings.CutPrefix(whole, byteOrderMark)
	lines := lineFeeds(whole)
	base, loose := lines, false
	for _, e := range list {
		loose = loose || !strings.Contains(lines, lineFeeds(e.Old))
	}
	if loose {
		base = plain(lines)
	}
	var spans []span
	for _, e := range list {
		s, ok := find(base, lineFeeds(e.Old))
		if !ok {
			return "", false
		}
		s.text = lineFeeds(e.New)
		spans = append(spans, s)
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(spans); i++ {
		if spans[i-1].to > spans[i].from {
			return "", false
		}
	}
	if loose {
		spans = wholeLines(lines, base, spans)
	}
	if text = replaced(whole, spans); hasMark {
		text = byteOrderMark + text
	}
	return text, true
}

// find returns the only place of a text.
func find(base, old string) (span, bool) {
	loose := plain(old)
	if loose == "" || strings.Count(plain(base), loose) != 1 {
		return span{}, false
	}
	if at := strings.Index(base, old); at >= 0 {
		return span{from: at, to: at + len(old)}, true
	}
	at := strings.Index(base, loose)
	return span{from: at, to: at + len(loose)}, at >= 0
}

// lineFeeds returns a text with a line feed as every line break.
func lineFeeds(s string) string { return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s) }

// plain returns a text without blanks at the ends of lines, with plain quotes and dashes, and with characters
// that stand for others, as ligatures and blanks of other widths do, replaced by those.
func plain(s string) string {
	lines := strings.Split(norm.NFKC.String(s), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRightFunc(l, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '\u2018' && r <= '\u201b':
			return '\''
		case r >= '\u201c' && r <= '\u201f':
			return '"'
		case r >= '\u2010' && r <= '\u2015', r == '\u2212':
			return '-'
		}
		return r
	}, strings.Join(lines, "\n"))
}

// wholeLines converts spans of base, which is the plain form of text, to spans of text: lines that they touch
// are replaced as a whole, and become plain.
func wholeLines(text, base string, spans []span) []span {
	var out []span
	for i := 0; i < len(spans); {
		from := strings.LastIndexByte(base[:spans[i].from], '\n') + 1
		var b strings.Builder
		at, to := from, from
		for ; i < len(spans) && (spans[i].from < to || to == from); i++ {
			b.WriteString(base[at:spans[i].from] + spans[i].text)
			at = spans[i].to
			to = lineEnd(base, max(at-1, spans[i].from))
		}
		b.WriteString(base[at:to])
		first, last := strings.Count(base[:from], "\n"), strings.Count(base[:to], "\n")
		end := len(text)
		if to < len(base) || strings.HasSuffix(base, "\n") {
			end = lineStart(text, last)
		}
		out = append(out, span{lineStart(text, first), end, b.String()})
	}
	return out
}

// lineEnd returns the offset behind the line with an offset.
func lineEnd(s string, at int) int {
	if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(s)
}

// lineStart returns the offset of the n-th line.
func lineStart(s string, n int) int {
	at := 0
	for range n {
		at = lineEnd(s, at)
	}
	return at
}

// replaced applies spans of a text with line feeds to the text with its own line breaks. What is new gets the
// line break of its line.
func replaced(whole string, spans []span) string {
	var b strings.Builder
	at, feeds := 0, 0 // offsets in whole, and in the text with line feeds
	seek := func(to int) int {
		from := at
		for ; feeds < to; feeds++ {
			if strings.HasPrefix(whole[at:], "\r\n") {
				at++
			}
			at++
		}
		return from
	}
	for _, s := range spans {
		from := seek(s.from)
		b.WriteString(whole[from:at])
		b.WriteString(strings.ReplaceAll(s.text, "\n", breakAt(whole, at)))
		seek(s.to)
	}
	b.WriteString(whole[at:])
	return b.String()
}

// breakAt returns the line break of the line with an offset, or of the one before it.
func breakAt(s string, at int) string {
	i := strings.IndexByte(s[at:], '\n')
	if i >= 0 {
		i += at
	} else if i = strings.LastIndexByte(s[:at], '\n'); i < 0 {
		if strings.Contains(s, "\r") {
			return "\r"
		}
		return "\n"
	}
	if i > 0 && s[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
