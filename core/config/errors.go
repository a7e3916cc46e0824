package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Error is why a setting cannot be read or changed.
type Error struct {
	// Unknown is set when the key is not a setting.
	Unknown bool
	message string
	hint    string
}

// Error implements error.
func (e *Error) Error() string { return e.message }

// Hint is a command that helps.
func (e *Error) Hint() string { return e.hint }

// editError is about a file that cannot be edited without risk to the rest of it.
func editError(key string, w Warning, more string) *Error {
	return &Error{message: "edit " + printable(key) + ": " + w.String() + more, hint: "pictx config edit"}
}

// Warning is a fault of the configuration that does not stop it from being used.
type Warning struct {
	// Path is the file, the environment variable or the flag.
	Path string
	// Line and Column count from 1; 0 when not known.
	Line, Column int
	// Key is the setting as the file spells it, or empty for a whole file.
	Key string
	// Message describes the mistake and how it was handled.
	Message string
	// Hint is a suggestion, or empty.
	Hint string
}

// String is "path:line:column: key: message", without unknown parts.
func (w Warning) String() string {
	var place []string
	if w.Path != "" {
		place = append(place, w.Path)
	}
	for _, n := range []int{w.Line, w.Column} {
		if n > 0 {
			place = append(place, strconv.Itoa(n))
		}
	}
	parts := []string{strings.Join(place, ":"), w.Key, w.Message}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ": ")
}

// printable escapes control characters, which a terminal would obey.
func printable(text string) string {
	quoted := strconv.Quote(text)
	return strings.ReplaceAll(strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`), `\\`, `\`)
}

// brief is printable for a message, cut so that a file cannot fill the screen.
func brief(text string) string {
	const most = 80
	runes := []rune(printable(text))
	if len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return string(runes)
}

// unknown says that a name is not a setting, what became of it or what was probably meant, and a
// command that helps, "" without a suggestion. ignored is how it was handled.
func unknown(name, ignored string) (message, hint string) {
	if now := former(name, strings.Clone); now != "" {
		return "no longer a setting" + ignored + ": " + now, "remove it from the file"
	}
	message = "unknown key" + ignored
	if near := suggest(name); near != "" {
		return message + "; did you mean " + near + "?", "pictx config get " + near
	}
	return message, ""
}

// suggest returns the setting that a name probably means, also one of the original extensions, or
// "". Comparing takes time quadratic in the length: names longer than every setting have none.
func suggest(name string) string {
	const longest = 80
	if len(name) > longest {
		return ""
	}
	for _, n := range seedNames {
		if _, ok := find(settings, n.key); ok && name == n.name && (n.file == "" || n.file == settingsFile) {
			return n.key
		}
	}
	names := make([]string, len(settings))
	for i, s := range settings {
		names[i] = s.Name
	}
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	allowed := min(3, max(1, len(name)/4)) // letters may differ; short keys are all similar
	return text.Closest(name, names, allowed)
}
