package prune

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

const (
	lineStart   = "[pruned: "
	linePointer = "; full text: pictx expand "
	// lineNoPointer ends the marker of a result that has neither an entry nor a
	// text to be named by.
	lineNoPointer = "; run it again for the text"
	// maxToolBytes and maxArgumentBytes bound the name of the tool and the argument in
	// a marker.
	maxToolBytes, maxArgumentBytes = 24, 80
	// minLastLine is the room in bytes below which the last line is left out.
	minLastLine = 16
	maxID       = 40
)

// lineMarker writes the marker of the policy "auto": one line of ASCII, what it was
// first and how to get it back last.
//
//	[pruned: read src/app.ts lines 1-412 (~5100 tok), superseded by a later edit; full text: pictx expand 3f9a2c1b]
//	[pruned: bash "go test ./..." exit 0 (~3200 tok); last line: "ok x/y 0.4s"; full text: pictx expand 77ab01fe]
func lineMarker(in *Input, c Candidate) string { return allRules().marker(in, c) }

// marker is lineMarker in the words of these rules.
func (rs rules) marker(in *Input, c Candidate) string {
	f := in.fact(c.Result)
	text := ""
	if in.Situation.Text != nil && (f.class == tool.Read || f.class == tool.Shell || !isID(c.Message.EntryID)) {
		text = in.Situation.Text(c.Index)
	}
	end := pointer(c.Message.EntryID, text) + "]"
	size := " (" + about(c.Tokens) + images(c.Message.Head.Content.Images) + ")" + rs.words(c.Reason.Code).marker
	exit, last := "", ""
	if f.class == tool.Shell {
		exit, last = outcome(text)
	}
	head := lineStart + ascii(c.Message.Head.ToolName, maxToolBytes, false)
	lines := shownLines(f, text)
	room := maxLine - len(head) - len(lines) - len(exit) - len(size) - len(end)
	head += argument(f, in, min(maxArgumentBytes, room)) + lines + exit + size
	const lastLine = `; last line: "`
	if room = maxLine - len(head) - len(end) - len(lastLine) - 1; last != "" && room >= minLastLine {
		head += lastLine + ascii(last, room, false) + `"`
	}
	return head + end
}

// pointer names the result: its entry, or the hash of its text.
func pointer(entryID, text string) string {
	switch {
	case isID(entryID):
		return linePointer + entryID
	case text != "":
		sum := sha256.Sum256([]byte(text))
		return linePointer + hex.EncodeToString(sum[:6])
	}
	return lineNoPointer
}

// isID reports whether an id can stand in a command line as it is.
func isID(id string) bool {
	return id != "" && len(id) <= maxID && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	})
}

// about is a count of tokens with two digits that say something.
func about(n token.Count) string {
	unit := 1
	for int(n)/unit >= 100 {
		unit *= 10
	}
	return "~" + strconv.Itoa(int(math.Round(float64(n)/float64(unit)))*unit) + " tok"
}

func images(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return ", 1 image"
	}
	return fmt.Sprintf(", %d images", n)
}

// shownLines says which lines of a file a read returned.
func shownLines(f *fact, text string) string {
	if f.class != tool.Read || f.call == nil {
		return ""
	}
	acc := tool.ParseArguments(f.call.Arguments)
	switch {
	case text != "" && !strings.HasPrefix(text, "[image]"):
		n := countLines(text)
		return fmt.Sprintf(" lines %d-%d", acc.From, acc.From+n-1)
	case acc.To > 0:
		return fmt.Sprintf(" lines %d-%d", acc.From, acc.To-1)
	case acc.From > 1:
		return fmt.Sprintf(" lines %d-", acc.From)
	}
	return ""
}

// countLines counts the lines of a file in what a read returned, without the
// remark that pi adds of what it left out.
func countLines(text string) int {
	text = strings.TrimRight(text, "\n")
	if i := strings.LastIndex(text, "\n\n["); i >= 0 && strings.HasSuffix(text, "]") && !strings.Contains(text[i+3:], "\n") {
		text = text[:i]
	}
	return strings.Count(text, "\n") + 1
}

// outcome finds the exit status of a command and the last line it printed. pi
// names the status only of commands that failed, whose results are kept; others
// name it always.
func outcome(text string) (exit, last string) {
	if strings.TrimSpace(text) == "" {
		return "", ""
	}
	last, rest := lastLine(text)
	for _, said := range [...]string{"Command exited with code ", "Exit code: ", "Exit code "} {
		if code, ok := strings.CutPrefix(last, said); ok && isNumber(code) {
			last, _ = lastLine(rest)
			return " exit " + code, last
		}
	}
	return " exit 0", last
}

// lastLine returns the last line of text that is not blank, and what is before it.
func lastLine(text string) (last, rest string) {
	text = strings.TrimRight(text, " \t\r\n")
	i := strings.LastIndexAny(text, "\r\n") + 1
	return strings.TrimSpace(text[i:]), text[:i]
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}

// argument distinguishes the call from others of its tool: the path of a file as it
// is, anything else in quotes.
func argument(f *fact, in *Input, room int) string {
	if f.call == nil || room < 8 {
		return ""
	}
	if f.class == tool.Read || f.class == tool.Edit {
		if acc := tool.ParseArguments(f.call.Arguments); acc.Path != nil {
			return " " + ascii(message.Unquote(acc.Path), room-1, true)
		}
	}
	name, value, ok := in.argument(f.call)
	switch {
	case !ok:
		return ""
	case name == "path" && f.class == tool.List:
		if pattern := in.arguments(f.call.Arguments)[2]; len(pattern) > 0 { // of a grep or a find
			value = message.Unquote(pattern)
		}
	}
	return ` "` + ascii(value, room-3, false) + `"`
}

// ascii writes text with at most limit bytes of ASCII and no line end or quote
// that could end something. What is too long loses its end, or its start; a
// character is never cut, and neither is an escape.
func ascii(text string, limit int, keepEnd bool) string {
	if len(text) > 8*limit { // what is far away is never shown
		if keepEnd {
			text = text[len(text)-8*limit:]
		} else {
			text = text[:8*limit]
		}
	}
	if len(text) <= limit && plainASCII(text) {
		return text
	}
	clusters := escapedClusters(text)
	total := 0
	for _, c := range clusters {
		total += len(c)
	}
	if total <= limit {
		return strings.Join(clusters, "")
	}
	room := limit - len(ellipsis)
	if keepEnd {
		i := len(clusters)
		for ; i > 0 && len(clusters[i-1]) <= room; i-- {
			room -= len(clusters[i-1])
		}
		return ellipsis + strings.Join(clusters[i:], "")
	}
	i := 0
	for ; i < len(clusters) && len(clusters[i]) <= room; i++ {
		room -= len(clusters[i])
	}
	return strings.Join(clusters[:i], "") + ellipsis
}

// plainASCII reports whether nothing of text needs an escape.
func plainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '"' {
			return false
		}
	}
	return true
}

// escapedClusters returns the characters of text as a reader sees them, each in
// ASCII.
func escapedClusters(text string) []string {
	var out []string
	var before rune
	for _, r := range text {
		escaped := escape(r)
		if joins(before, r) && len(out) > 0 {
			out[len(out)-1] += escaped
		} else {
			out = append(out, escaped)
		}
		before = r
	}
	return out
}

// escape writes a rune in ASCII.
func escape(r rune) string {
	switch {
	case r == '"':
		return `\"`
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r >= ' ' && r < 0x7f:
		return string(r)
	case r > 0xffff:
		hi, lo := utf16.EncodeRune(r)
		return fmt.Sprintf(`\u%04x\u%04x`, hi, lo)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// isLineLiteral reports whether a JSON string is the marker that lineMarker writes
// for a result of the tool.
func isLineLiteral(literal []byte, tool string) bool {
	return bytes.HasPrefix(literal, []byte(`"`+lineStart)) && isLine(message.Unquote(literal), tool)
}

// isLine reports whether text is such a marker.
func isLine(text, tool string) bool {
	rest, ok := strings.CutPrefix(text, lineStart+ascii(tool, maxToolBytes, false)+" ")
	if !ok || len(text) > maxLine || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
		return false
	}
	if !strings.Contains(rest, "(~") || !strings.Contains(rest, " tok") {
		return false
	}
	rest, ok = strings.CutSuffix(rest, "]")
	if !ok || strings.HasSuffix(rest, lineNoPointer) {
		return ok
	}
	i := strings.LastIndex(rest, linePointer)
	return i >= 0 && isID(rest[i+len(linePointer):])
}
