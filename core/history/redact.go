package history

import (
	"bytes"
	"strings"

	"github.com/coctostan/pictx/core/message"
)

// Masked replaces redacted text.
const Masked = "[redacted]"

// Finder finds what must be masked in a text, like a regular expression.
type Finder interface {
	// FindAllStringIndex returns the ranges to mask, in order and without overlap, at most
	// n unless n is negative.
	FindAllStringIndex(text string, n int) [][]int
}

// Redactor masks what must not be stored, such as keys.
type Redactor interface {
	Finder
	// Suspect reports whether a line may contain anything to mask. It is called for every
	// line, so it must be fast.
	Suspect(line []byte) bool
}

// Redact masks the texts of a line. It returns the new line and the number of replacements.
// Ids that connect entries are kept even when they match.
func Redact(raw []byte, f Finder) ([]byte, int) {
	var p message.Parser
	e, err := p.ParseEntry(raw)
	if err != nil {
		return raw, 0
	}
	return redactEntry(&e, raw, f)
}

// Matches reports whether Redact would mask anything in a line, or the searchable text of
// the line contains anything to mask.
func Matches(p *message.Parser, raw []byte, f Finder) bool {
	e, err := p.ParseEntry(raw)
	if err != nil {
		return false
	}
	_, n := redactEntry(&e, raw, f)
	return n > 0 || Finds(f, SearchText(&e, raw))
}

// redactEntry is Redact for a parsed line.
func redactEntry(e *message.Entry, raw []byte, f Finder) ([]byte, int) {
	from, to := 0, len(raw)
	if e.Type == message.EntryMessage {
		body := e.Body.Of(raw)
		from = bytes.Index(raw, body)
		to = from + len(body)
	}
	masked, n := redactStrings(raw[from:to], f)
	if n == 0 {
		return raw, 0
	}
	line := append(append(bytes.Clone(raw[:from]), masked...), raw[to:]...)
	var p message.Parser // not that of e, which is needed after this
	after, err := p.ParseEntry(line)
	if err != nil || after.ID != e.ID || after.ParentID != e.ParentID || after.Type != e.Type {
		return raw, 0
	}
	return line, n
}

// Finds reports whether a text contains anything to mask.
func Finds(f Finder, text string) bool { return len(f.FindAllStringIndex(text, 1)) > 0 }

// FindsInJSON reports whether JSON contains anything to mask, in its source or in one of
// its decoded strings, names of members included.
func FindsInJSON(f Finder, text []byte) bool {
	_, n := redactStrings(text, f)
	return n > 0 || Finds(f, string(text))
}

// RedactText masks a text.
func RedactText(text string, f Finder) string { return maskAt(text, f.FindAllStringIndex(text, -1)) }

// maskAt masks ranges of a text.
func maskAt(text string, places [][]int) string {
	if len(places) == 0 {
		return text
	}
	var b strings.Builder
	last := 0
	for _, at := range places {
		b.WriteString(text[last:at[0]])
		b.WriteString(Masked)
		last = at[1]
	}
	b.WriteString(text[last:])
	return b.String()
}

// redactStrings masks the string literals of JSON.
func redactStrings(text []byte, f Finder) ([]byte, int) {
	var out []byte
	n, copied := 0, 0
	for at := 0; ; {
		start := bytes.IndexByte(text[at:], '"')
		if start < 0 {
			break
		}
		start += at
		at = literalEnd(text, start)
		value := message.Unquote(text[start:at])
		if found := f.FindAllStringIndex(value, -1); len(found) > 0 {
			n += len(found)
			out = message.AppendQuote(append(out, text[copied:start]...), maskAt(value, found))
			copied = at
		}
	}
	if n == 0 {
		return text, 0
	}
	return append(out, text[copied:]...), n
}

// literalEnd returns the end of the string literal that begins at start.
func literalEnd(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
