package marker

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/message"
	plain "github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

const (
	// Start begins every marker of the policy "auto".
	Start = "[pruned: "
	// Pointer precedes the id with which the pruned text can be read again.
	Pointer = "; full text: pictx expand "
	// lineNoPointer ends the marker of a result that has neither an entry nor a text to
	// hash.
	lineNoPointer = "; run it again for the text"
	// maxToolBytes and maxArgumentBytes bound the name of the tool and the argument in
	// a marker.
	maxToolBytes, maxArgumentBytes = 24, 80
	// maxTitleBytes bounds the argument in a title.
	maxTitleBytes = 44
	// minLastLine is the room in bytes below which the last line of the output is left
	// out.
	minLastLine = 16
	maxID       = 40
	// maxLine bounds a marker, in bytes: not much more than half of the smallest result
	// that is pruned.
	maxLine = 200
)

// Line writes the marker of the policy "auto", one line of ASCII: first what the output
// was, last how to get it back. words follow the size and say why it was pruned. text
// is that of the result; when it is "" the marker says less.
//
//	[pruned: read src/app.ts lines 1-412 (~5100 tok), superseded by a later edit; full text: pictx expand 3f9a2c1b]
//	[pruned: bash "go test ./..." exit 0 (~3200 tok); last line: "ok x/y 0.4s"; full text: pictx expand 77ab01fe]
func Line(r Result, words, text string) string {
	end := pointer(r.Entry, text) + "]"
	size := " (" + About(r.Tokens) + images(r.Images) + ")" + words
	exit, last := "", ""
	if r.Class == tool.Shell {
		exit, last = tool.Outcome(text)
	}
	head := Start + plain.ASCII(r.Tool, maxToolBytes, false)
	lines := shownLines(r, text)
	room := maxLine - len(head) - len(lines) - len(exit) - len(size) - len(end)
	head += argument(r, min(maxArgumentBytes, room)) + lines + exit + size
	const lastLine = `; last line: "`
	if room = maxLine - len(head) - len(end) - len(lastLine) - 1; last != "" && room >= minLastLine {
		head += lastLine + plain.ASCII(last, room, false) + `"`
	}
	return head + end
}

// Title names a tool and the main argument of a call of it, which may be nil: read
// src/app.ts, bash "go test ./...".
func Title(name string, call *message.Call) string {
	return plain.ASCII(name, maxToolBytes, false) + argument(Result{Class: tool.ClassOf(name), Call: call}, maxTitleBytes)
}

// pointer names the result by its entry or, without one, by the hash of its text.
func pointer(entryID, text string) string {
	switch {
	case IsID(entryID):
		return Pointer + entryID
	case text != "":
		sum := sha256.Sum256([]byte(text))
		return Pointer + hex.EncodeToString(sum[:6])
	}
	return lineNoPointer
}

// IsID reports whether an id needs no quoting in a command line.
func IsID(id string) bool {
	return id != "" && len(id) <= maxID && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	})
}

// About formats a count of tokens rounded to two significant digits: ~5100 tok.
func About(n token.Count) string {
	unit := 1
	for int(n)/unit >= 100 {
		unit *= 10
	}
	return "~" + strconv.Itoa(int(math.Round(float64(n)/float64(unit)))*unit) + " tok"
}

func images(n int) string {
	if n == 0 {
		return ""
	}
	return ", " + plain.CountPlain(n, "image")
}

// shownLines says which lines of a file a read returned, as in " lines 10-25".
func shownLines(r Result, text string) string {
	if r.Class != tool.Read || r.Call == nil {
		return ""
	}
	acc := tool.ParseArguments(r.Call.Arguments)
	switch {
	case text != "" && !strings.HasPrefix(text, "[image]"):
		n := tool.CountLines(text)
		return fmt.Sprintf(" lines %d-%d", acc.From, acc.From+n-1)
	case acc.To > 0:
		return fmt.Sprintf(" lines %d-%d", acc.From, acc.To-1)
	case acc.From > 1:
		return fmt.Sprintf(" lines %d-", acc.From)
	}
	return ""
}

// argument returns the main argument of the call: the path of a file as it is, anything
// else in quotes.
func argument(r Result, room int) string {
	if r.Call == nil || room < 8 {
		return ""
	}
	if r.Class == tool.Read || r.Class == tool.Edit {
		if acc := tool.ParseArguments(r.Call.Arguments); acc.Path != nil {
			return " " + plain.ASCII(message.Unquote(acc.Path), room-1, true)
		}
	}
	name, value, ok := distinctive(r.Call)
	switch {
	case !ok:
		return ""
	case name == "path" && r.Class == tool.List:
		if pattern := arguments(r.Call.Arguments)[2]; len(pattern) > 0 { // of a grep or a find
			value = message.Unquote(pattern)
		}
	}
	return ` "` + plain.ASCII(value, room-3, false) + `"`
}

// isLineLiteral reports whether a JSON string is a marker that Line writes for a result
// of the tool.
func isLineLiteral(literal []byte, tool string) bool {
	if !bytes.HasPrefix(literal, []byte(`"`+Start)) {
		return false
	}
	text := message.Unquote(literal)
	rest, ok := strings.CutPrefix(text, Start+plain.ASCII(tool, maxToolBytes, false)+" ")
	if !ok || len(text) > maxLine || !strings.Contains(rest, "(~") || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
		return false
	}
	return isReference(text) || strings.Contains(rest, " tok") && strings.HasSuffix(rest, lineNoPointer+"]")
}
