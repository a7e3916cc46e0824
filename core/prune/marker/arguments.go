package marker

import (
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// longArgument is the length in bytes of JSON from which on a string among the
// arguments of a call is replaced.
const longArgument = 200

// ShortArguments returns the arguments of a call with long strings replaced by markers;
// with old, only the strings that the call replaced in a file. Members keep their
// order.
func ShortArguments(raw []byte, entry string, old bool) []byte {
	return message.ReplaceStrings(raw, func(member string, literal []byte) (string, bool) {
		if len(literal) < longArgument || old && !tool.IsOldText(member) {
			return "", false
		}
		return argumentMarker(token.OfChars(len(literal)), entry, tool.IsOldText(member)), true
	})
}

// argumentMarker writes the marker of a long argument.
func argumentMarker(n token.Count, entry string, old bool) string {
	did := "wrote"
	if old {
		did = "replaced"
	}
	text := fmt.Sprintf(Start+"%s that this call %s", About(n), did)
	if IsID(entry) {
		text += Pointer + entry
	}
	return text + "]"
}

// InArguments returns the marker that a string among the arguments of a call is, "" without
// one.
func InArguments(raw []byte) (found string) {
	message.ReplaceStrings(raw, func(_ string, literal []byte) (string, bool) {
		if text := strings.TrimSpace(message.Unquote(literal)); found == "" && isReference(text) {
			found = text
		}
		return "", false
	})
	return found
}

// isReference reports whether a text has the form of a marker that names what it stands for.
func isReference(text string) bool {
	rest, ok := strings.CutPrefix(text, Start)
	if !ok || len(text) > maxLine || !strings.Contains(rest, " tok") {
		return false
	}
	rest, ok = strings.CutSuffix(rest, "]")
	i := strings.LastIndex(rest, Pointer)
	return ok && i >= 0 && IsID(rest[i+len(Pointer):])
}

// IsContent reports whether a replacement is the content itself, as JSON, rather than
// the text of a marker.
func IsContent(marker string) bool { return marker == "[]" || strings.HasPrefix(marker, "[{") }

// Content returns the JSON value that replaces a message's content by a marker.
func Content(marker string) []byte {
	if IsContent(marker) {
		return []byte(marker)
	}
	return message.TextContent(marker)
}
