package marker

import (
	"bytes"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/tool"
)

const (
	kotaStart = "(Pruned) "
	kotaEnd   = ". Re-run with narrower parameters to rehydrate."
	// kotaArguments bounds the arguments in a marker, in bytes.
	kotaArguments = 120
)

// Kota writes the marker of pi-kota's design: the call, and how to have it
// again.
//
//	(Pruned) read(path="src/app.ts", offset=10). Re-run with narrower parameters to rehydrate.
func Kota(r Result) string {
	text, room := "", kotaArguments
	if r.Call != nil {
		tool.Members(r.Call.Arguments, func(name, value []byte) {
			if room <= 0 {
				return
			}
			one := kotaArgument(name, value, room)
			if text != "" {
				text += ", "
			}
			text += one
			room -= len(one)
		})
	}
	return kotaStart + ascii(r.Tool, maxToolBytes, false) + "(" + text + ")" + kotaEnd
}

// kotaArgument writes one argument of a call.
func kotaArgument(name, value []byte, room int) string {
	text := ascii(message.Unquote(name), maxToolBytes, false) + "="
	room = max(maxToolBytes, room-len(text))
	if value[0] == '"' {
		return text + `"` + ascii(message.Unquote(value), room, false) + `"`
	}
	return text + ascii(string(value), room, false)
}

// isKotaLiteral reports whether a JSON string is the marker that Kota writes
// for a result of the tool.
func isKotaLiteral(literal []byte, tool string) bool {
	if !bytes.HasPrefix(literal, []byte(`"`+kotaStart)) {
		return false
	}
	text := message.Unquote(literal)
	return strings.HasPrefix(text, kotaStart+ascii(tool, maxToolBytes, false)+"(") && strings.HasSuffix(text, ")"+kotaEnd) &&
		!strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f })
}
