package marker

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// longArgument is the length in bytes of JSON from which on a string among the
// arguments of a call is replaced.
const longArgument = 200

// WithoutReplaced returns the arguments of a call with the long strings that it replaced in a
// file replaced by markers. Members keep their order.
func WithoutReplaced(raw []byte, entry string) []byte {
	return message.ReplaceStrings(raw, func(member string, literal []byte) (string, bool) {
		if len(literal) < longArgument || !tool.IsOldText(member) {
			return "", false
		}
		text := fmt.Sprintf(Start+"%s that this call replaced", About(token.OfChars(len(literal))))
		if IsID(entry) {
			text += Pointer + entry
		}
		return text + "]", true
	})
}

// InArguments returns the marker that a string among the arguments of a call is, or one within
// what it writes that names an entry of the session, "" without any. known reports whether
// an id does; a file may hold others.
func InArguments(raw []byte, known func(id string) bool) string {
	form := regexp.MustCompile(regexp.QuoteMeta(Start) + `[^\n]*?` + regexp.QuoteMeta(Pointer) + `([\w-]+)\]`)
	for member, s := range message.Strings(raw) {
		text := strings.TrimSpace(message.Unquote(s.Of(raw)))
		if isReference(text) || IsExcerpt(text) {
			return text[strings.LastIndexByte(text, '\n')+1:]
		}
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			if isReference(m[0]) && !tool.IsOldText(member) && known(m[1]) {
				return m[0]
			}
		}
	}
	return ""
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
