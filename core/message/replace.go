package message

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// ReplaceStrings returns a JSON value with some of the strings in it replaced, and all
// else byte for byte as it was. by is asked about every string but the names of members,
// with the name of the last member before it; literal is the string as it stands.
func ReplaceStrings(raw []byte, by func(member string, literal []byte) (string, bool)) []byte {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var out []byte
	last, member := 0, ""
	for {
		if d.PeekKind() != jsontext.KindString {
			if _, err := d.ReadToken(); err != nil {
				return append(out, raw[last:]...)
			}
			continue
		}
		name := atName(d)
		v, err := d.ReadValue()
		if err != nil {
			return append(out, raw[last:]...)
		}
		if name {
			member = Unquote(v)
			continue
		}
		end := int(d.InputOffset())
		if text, ok := by(member, v); ok {
			out = AppendQuote(append(out, raw[last:end-len(v)]...), text)
			last = end
		}
	}
}

// atName reports whether the next value is the name of a member.
func atName(d *jsontext.Decoder) bool {
	kind, n := d.StackIndex(d.StackDepth())
	return kind == jsontext.KindBeginObject && n%2 == 0
}
