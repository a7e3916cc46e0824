package marker

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
	plain "github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/tool"
)

const markerStart = "[output pruned — ~"

// argumentNames are the arguments that tell calls apart, the most distinctive first.
func argumentNames() [4]string { return [...]string{"path", "command", "pattern", "query"} }

// Seed writes pi-context-pruning's marker, as its README shows it:
//
//	[output pruned — ~12,500 tokens | read path="src/components/App.tsx"]
func Seed(r Result) string {
	text := markerStart + r.Tokens.String() + " tokens | " + plain.Quoted(r.Tool)
	if name, value, ok := distinctive(r.Call); ok {
		text += " " + name + `="` + plain.Quoted(value) + `"`
	}
	return text + "]"
}

// distinctive returns the argument to show in a marker: the first of argumentNames that
// the call has and that is not null, if it is a non-empty string. As in
// pi-context-pruning, an argument that is not a string hides the ones after it.
func distinctive(call *message.Call) (name, value string, ok bool) {
	if call == nil {
		return "", "", false
	}
	found := arguments(call.Arguments)
	for i, name := range argumentNames() {
		if len(found[i]) > 0 {
			value := message.Unquote(found[i])
			return name, value, value != ""
		}
	}
	return "", "", false
}

// arguments returns the values of argumentNames in a call's arguments, as slices of
// them. An absent or null argument has no value. When a name is repeated the last value
// counts, as in JavaScript.
func arguments(object jsontext.Value) (found [4][]byte) {
	names := argumentNames()
	tool.Members(object, func(name, value []byte) {
		switch at := slices.Index(names[:], message.Unquote(name)); {
		case at < 0:
		case string(value) == "null":
			found[at] = nil
		default:
			found[at] = value
		}
	})
	return found
}

// isSeedLiteral reports whether a JSON string is a marker that Seed writes for a result
// of the tool. Hardly any string is; most are rejected without being decoded.
func isSeedLiteral(literal []byte, tool string) bool {
	return bytes.HasPrefix(literal, []byte(`"[output pruned`)) && isMarker(message.Unquote(literal), tool)
}

// isMarker is isSeedLiteral for decoded text.
func isMarker(text, tool string) bool {
	rest, ok := strings.CutPrefix(text, markerStart)
	if !ok {
		return false
	}
	number, rest, ok := strings.Cut(rest, " tokens | ")
	if !ok || number == "" || strings.Trim(number, "0123456789,") != "" {
		return false
	}
	rest, ok = strings.CutPrefix(rest, plain.Quoted(tool))
	if !ok || !utf8.ValidString(rest) {
		return false
	}
	if rest == "]" {
		return true
	}
	for _, name := range argumentNames() {
		if value, ok := strings.CutPrefix(rest, " "+name+`="`); ok {
			value, ok = strings.CutSuffix(value, `"]`)
			return ok && !strings.ContainsFunc(value, plain.Hidden)
		}
	}
	return false
}

const (
	kotaStart = "(Pruned) "
	kotaEnd   = ". Re-run with narrower parameters to rehydrate."
	// kotaArguments bounds the arguments in a marker, in bytes.
	kotaArguments = 120
)

// Kota writes the marker of pi-kota's design: the call, and how to run it again.
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
	return kotaStart + plain.ASCII(r.Tool, maxToolBytes, false) + "(" + text + ")" + kotaEnd
}

// kotaArgument writes one argument of a call in at most room bytes, or maxToolBytes if
// that is more.
func kotaArgument(name, value []byte, room int) string {
	text := plain.ASCII(message.Unquote(name), maxToolBytes, false) + "="
	room = max(maxToolBytes, room-len(text))
	if value[0] == '"' {
		return text + `"` + plain.ASCII(message.Unquote(value), room, false) + `"`
	}
	return text + plain.ASCII(string(value), room, false)
}

// isKotaLiteral reports whether a JSON string is a marker that Kota writes for a result
// of the tool.
func isKotaLiteral(literal []byte, tool string) bool {
	if !bytes.HasPrefix(literal, []byte(`"`+kotaStart)) {
		return false
	}
	text := message.Unquote(literal)
	return strings.HasPrefix(text, kotaStart+plain.ASCII(tool, maxToolBytes, false)+"(") && strings.HasSuffix(text, ")"+kotaEnd) &&
		!strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f })
}
