package history

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"time"

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

// Redact masks the strings of a line. It returns the new line and the number of replacements.
// Ids that connect entries, their times and kinds are kept even when they match.
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
	line, n := redactStrings(raw, f, (&members{line: raw}).connects)
	if n == 0 {
		return raw, 0
	}
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
	_, n := RedactJSON(text, f)
	return n > 0 || Finds(f, string(text))
}

// RedactJSON masks the strings of JSON, names of members included.
func RedactJSON(text []byte, f Finder) ([]byte, int) { return redactStrings(text, f, nil) }

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

// members walks the members of an entry, from one string literal to the next.
type members struct {
	line      []byte
	at, depth int
	name      string
}

// connects reports whether the literal at an offset is the name of a member, or says which
// entry it is and how it is connected. Offsets must not decrease: a line may have many.
func (m *members) connects(literal int) bool {
	for ; m.at < literal; m.at++ {
		switch m.line[m.at] {
		case '{', '[':
			m.depth++
		case '}', ']':
			m.depth--
		case ',':
			if m.depth == 1 {
				m.name = ""
			}
		case '"':
			end := literalEnd(m.line, m.at)
			if m.depth == 1 {
				m.name = string(m.line[m.at:end])
			}
			m.at = end - 1
		}
	}
	switch m.name {
	case "", `"type"`, `"id"`, `"parentId"`, `"targetId"`, `"fromId"`, `"firstKeptEntryId"`, `"cwd"`:
		return m.depth == 1
	case `"timestamp"`:
		_, err := time.Parse(time.RFC3339, message.Unquote(m.line[literal:literalEnd(m.line, literal)]))
		return m.depth == 1 && err == nil
	}
	return false
}

// redactStrings masks the string literals of JSON, except those at the offsets that keep
// reports.
func redactStrings(text []byte, f Finder, keep func(at int) bool) ([]byte, int) {
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
		if found := f.FindAllStringIndex(value, -1); len(found) > 0 && (keep == nil || !keep(start)) {
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

// RedactedStore returns a store that keeps masked what r finds. Without a redactor it returns st.
func RedactedStore(st Store, r Redactor) Store {
	if r == nil {
		return st
	}
	return redacting{st, r}
}

type redacting struct {
	Store
	redactor Redactor
}

// Encode implements Store.
func (s redacting) Encode(b *Batch) error {
	redactBatch(b, s.redactor)
	return s.Store.Encode(b)
}

// redactBatch masks the lines of a batch, and what was derived from them.
func redactBatch(b *Batch, r Redactor) {
	var p message.Parser
	for i := range b.Records {
		rec := &b.Records[i]
		if !r.Suspect(rec.Raw) {
			continue
		}
		line, n := Redact(rec.Raw, r)
		if n == 0 {
			continue
		}
		e, err := p.ParseEntry(line)
		if err != nil {
			continue // cannot happen: Redact parsed it
		}
		rec.Unmasked, rec.Hash, rec.Raw = rec.Hash, sha256.Sum256(line), line
		rec.Name, rec.Text = e.Name, SearchText(&e, line)
	}
}
