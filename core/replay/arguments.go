package replay

import (
	"strings"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/message"
)

const (
	// minOldLine is the length in characters from which on a line of old text identifies
	// its origin.
	minOldLine = 12
	// minPath is the same for a path in an argument.
	minPath = 6
	// maxArgument is how many bytes of an argument are searched for paths.
	maxArgument = 1000
)

// arguments are the references to earlier text in the arguments of a call.
type arguments struct {
	// old is the longest line of each text to be replaced, paths what looks like a file
	// path.
	old, paths []string
}

// read adds the references in the arguments of a call, which may be any JSON.
func (a *arguments) read(raw []byte) {
	for member, s := range message.Strings(raw) {
		a.text(member, message.Unquote(s.Of(raw)))
	}
}

// text extracts the references from a string.
func (a *arguments) text(name, s string) {
	switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
	case "oldtext", "oldstring", "oldstr":
		a.addOld(strings.Split(s, "\n"))
	case "edits": // models write the list as a string
		if strings.HasPrefix(strings.TrimSpace(s), "[") {
			var more arguments
			more.read([]byte(s))
			a.old = append(a.old, more.old...)
		}
	case "input", "patch", "patchtext":
		a.patch(s)
	case "content", "newtext", "newstring", "newstr", "filetext", "inserttext":
		// New text mentions many files that the model did not look up.
	default:
		a.addPaths(s)
	}
}

// patch extracts the removed and context lines of a patch.
func (a *arguments) patch(s string) {
	if !strings.HasPrefix(s, "*** Begin Patch") {
		a.addPaths(s)
		return
	}
	var hunk []string
	for _, line := range strings.Split(s, "\n") {
		switch {
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "*** "):
			a.addOld(hunk)
			hunk = nil
		case strings.HasPrefix(line, "-"), strings.HasPrefix(line, " "):
			hunk = append(hunk, line[1:])
		}
	}
	a.addOld(hunk)
}

// addOld adds the longest of lines, without its indentation, which tools show in different
// ways.
func (a *arguments) addOld(lines []string) {
	longest, length := "", 0
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if n := utf8.RuneCountInString(line); n > length {
			longest, length = line, n
		}
	}
	if length >= minOldLine {
		a.old = append(a.old, longest)
	}
}

// addPaths adds the words that look like paths (src/app.ts, go.mod) in a text, up to maxArgument
// bytes of it.
func (a *arguments) addPaths(s string) {
	if len(s) > maxArgument {
		s = strings.ToValidUTF8(s[:maxArgument], "")
	}
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return !inPath(r) }) {
		word = strings.TrimRight(strings.TrimPrefix(word, "./"), "./-")
		if len(word) >= minPath && (strings.Contains(word, "/") || hasExtension(word)) {
			a.paths = append(a.paths, word)
		}
	}
}

func inPath(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r >= utf8.RuneSelf:
		return true
	}
	return strings.ContainsRune("._/-@+~", r)
}

// hasExtension reports whether a name ends in a dot and one to five letters or digits, but
// not digits alone, which would be a number.
func hasExtension(name string) bool {
	i := strings.LastIndexByte(name, '.')
	ext := name[i+1:]
	return i > 0 && len(ext) >= 1 && len(ext) <= 5 &&
		strings.Trim(ext, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" &&
		strings.Trim(ext, "0123456789") != ""
}
