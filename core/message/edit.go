package message

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendWithContent appends the message raw, whose head is h, with its content replaced.
// Every other byte is copied unchanged; a message without content gets it as its last
// member, where JavaScript would put it.
func AppendWithContent(dst, raw []byte, h *Head, content []byte) []byte {
	if s := h.Content.Span; s.End > 0 {
		dst = append(dst, raw[:s.Start]...)
		dst = append(dst, content...)
		return append(dst, raw[s.End:]...)
	}
	end := len(raw) - 1
	for end > 0 && raw[end] != '}' {
		end--
	}
	dst = append(dst, raw[:end]...)
	if !emptyObject(raw[:end]) {
		dst = append(dst, ',')
	}
	dst = append(dst, `"content":`...)
	dst = append(dst, content...)
	return append(dst, raw[end:]...)
}

// emptyObject reports whether head, an object cut before its closing brace, has no
// members.
func emptyObject(head []byte) bool {
	for i := len(head) - 1; i >= 0; i-- {
		switch head[i] {
		case ' ', '\t', '\r', '\n':
		case '{':
			return true
		default:
			return false
		}
	}
	return true
}

// TextContent returns the content of a message that is one block of text, as
// JavaScript's JSON.stringify writes it.
func TextContent(text string) []byte {
	return append(AppendQuote([]byte(`[{"type":"text","text":`), text), '}', ']')
}

// AppendQuote appends text as a JSON string literal, without the HTML escapes of
// encoding/json.
func AppendQuote(dst []byte, text string) []byte {
	// The only error is invalid UTF-8, which is replaced by U+FFFD.
	dst, _ = jsontext.AppendQuote(dst, text)
	return dst
}

// Strings yields the strings of a JSON value, by their place, each with the name of the last
// member before it. Names of members are not among them. It ends where the value is not JSON.
func Strings(raw []byte) iter.Seq2[string, Span] {
	return func(yield func(string, Span) bool) {
		d := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient()...)
		member := ""
		for {
			if d.PeekKind() != jsontext.KindString {
				if _, err := d.ReadToken(); err != nil {
					return
				}
				continue
			}
			kind, n := d.StackIndex(d.StackDepth())
			v, err := d.ReadValue()
			if err != nil {
				return
			}
			if kind == jsontext.KindBeginObject && n%2 == 0 {
				member = Unquote(v)
			} else if end := int(d.InputOffset()); !yield(member, Span{end - len(v), end}) {
				return
			}
		}
	}
}

// ReplaceStrings returns a JSON value with some of its Strings replaced; all other bytes are
// unchanged. by gets a string as a literal.
func ReplaceStrings(raw []byte, by func(member string, literal []byte) (string, bool)) []byte {
	var out []byte
	last := 0
	for member, s := range Strings(raw) {
		if text, ok := by(member, s.Of(raw)); ok {
			out, last = AppendQuote(append(out, raw[last:s.Start]...), text), s.End
		}
	}
	return append(out, raw[last:]...)
}
