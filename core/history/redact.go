package history

import (
	"bytes"
	"regexp"

	"github.com/coctostan/pictx/core/message"
)

// Masked replaces redacted text.
const Masked = "[redacted]"

// Redact replaces what matches an expression in the texts of a line. It returns the new
// line and the number of replacements. Ids that tie entries together stay even when they
// match.
func Redact(raw []byte, re *regexp.Regexp) ([]byte, int) {
	var p message.Parser
	e, err := p.ParseEntry(raw)
	if err != nil {
		return raw, 0
	}
	from, to := 0, len(raw)
	if e.Type == message.EntryMessage {
		body := e.Body.Of(raw)
		from = bytes.Index(raw, body)
		to = from + len(body)
	}
	masked, n := redactStrings(raw[from:to], re)
	if n == 0 {
		return raw, 0
	}
	line := append(append(bytes.Clone(raw[:from]), masked...), raw[to:]...)
	after, err := p.ParseEntry(line)
	if err != nil || after.ID != e.ID || after.ParentID != e.ParentID || after.Type != e.Type {
		return raw, 0
	}
	return line, n
}

// redactStrings replaces matches in the string literals of JSON.
func redactStrings(text []byte, re *regexp.Regexp) ([]byte, int) {
	var out []byte
	n := 0
	for len(text) > 0 {
		start := bytes.IndexByte(text, '"')
		if start < 0 {
			break
		}
		end := literalEnd(text, start)
		out = append(out, text[:start]...)
		literal := text[start:end]
		value := message.Unquote(literal)
		if found := len(re.FindAllStringIndex(value, -1)); found > 0 {
			n += found
			out = message.AppendQuote(out, re.ReplaceAllLiteralString(value, Masked))
		} else {
			out = append(out, literal...)
		}
		text = text[end:]
	}
	return append(out, text...), n
}

// literalEnd is the end of the string literal that begins at start.
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
