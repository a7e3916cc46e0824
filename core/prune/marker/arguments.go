package marker

import (
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// longArgument is the length in bytes of JSON from which on a text among the arguments of a
// call is replaced.
const longArgument = 200

// ShortArguments returns the arguments of a call with their long texts replaced, or only
// the old texts that it replaced itself: the same members in the same order.
func ShortArguments(raw []byte, entry string, old bool) []byte {
	return message.ReplaceStrings(raw, func(member string, literal []byte) (string, bool) {
		if len(literal) < longArgument || old && !tool.IsOldText(member) {
			return "", false
		}
		return argumentMarker(token.OfChars(len(literal)), entry), true
	})
}

// argumentMarker stands in the place of a long argument.
func argumentMarker(n token.Count, entry string) string {
	text := fmt.Sprintf(lineStart+"%s that this call wrote", About(n))
	if IsID(entry) {
		text += Pointer + entry
	}
	return text + "]"
}

// IsContent reports whether what replaces a message is the content itself, as JSON, and
// not the text of a marker.
func IsContent(marker string) bool { return marker == "[]" || strings.HasPrefix(marker, "[{") }

// Content is the JSON value that puts a marker in the place of a message's content.
func Content(marker string) []byte {
	if IsContent(marker) {
		return []byte(marker)
	}
	return message.TextContent(marker)
}
