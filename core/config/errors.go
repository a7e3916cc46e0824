package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// UnknownKeyError is returned for a key that is not a setting.
type UnknownKeyError struct {
	Key string
	// Suggestion is the setting that was probably meant, or empty.
	Suggestion string
	// Former says what took the place of a setting that is no more, or is empty.
	Former string
}

// Error implements error.
func (e *UnknownKeyError) Error() string {
	text := "find setting " + printable(e.Key) + ": unknown key"
	if e.Former != "" {
		return "find setting " + printable(e.Key) + ": no longer a setting: " + e.Former
	}
	if e.Suggestion != "" {
		text += "; did you mean " + e.Suggestion + "?"
	}
	return text
}

// Hint is a command that helps.
func (e *UnknownKeyError) Hint() string {
	if e.Suggestion != "" {
		return "pictx config get " + e.Suggestion
	}
	return "pictx config list"
}

// ValueError is returned for a value that a setting cannot have.
type ValueError struct {
	Key, Value string
	// Expected says what the value must be.
	Expected string
}

// Error implements error.
func (e *ValueError) Error() string {
	return fmt.Sprintf("set %s: expected %s, got %s", e.Key, e.Expected, show(e.Value))
}

// Hint is a command that helps.
func (e *ValueError) Hint() string { return "pictx config get " + e.Key }

// EditError is returned for a file that cannot be edited without risk to the rest of it.
// Line and Column count from 1 and are 0 when there is no place to name.
type EditError struct {
	Key          string
	Line, Column int
	Cause        string
	// ByHand is the line to write by hand, or empty.
	ByHand string
}

// Error implements error.
func (e *EditError) Error() string {
	text := "edit " + printable(e.Key) + ": " + place("", e.Line, e.Column) + e.Cause
	if e.ByHand != "" {
		text += "; write " + e.ByHand + " by hand"
	}
	return text
}

// Hint is a command that helps.
func (e *EditError) Hint() string { return "pictx config edit" }

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
	text := place(w.Path, w.Line, w.Column)
	if w.Key != "" {
		text += w.Key + ": "
	}
	return text + w.Message
}

// place is "path:line:column: ", without unknown parts.
func place(path string, line, column int) string {
	var parts []string
	if path != "" {
		parts = append(parts, path)
	}
	for _, n := range []int{line, column} {
		if n > 0 {
			parts = append(parts, strconv.Itoa(n))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ":") + ": "
}

// printable escapes control characters, which a terminal would obey.
func printable(text string) string {
	quoted := strconv.Quote(text)
	return strings.ReplaceAll(strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`), `\\`, `\`)
}

// maxName exceeds the length of all keys and variables. Longer names get no suggestion,
// because comparing takes time quadratic in the length.
const maxName = 80

// suggest returns the known key that name probably means, or "".
func suggest(name string) string {
	if len(name) > maxName {
		return ""
	}
	if found := originalName(name); found != "" {
		return found
	}
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	allowed := min(3, max(1, len(name)/4)) // letters may differ; short keys are all similar
	if best := text.Closest(name, names(func(s spec) string { return s.Name }), allowed); best != "" {
		return best
	}
	return sameEnding(name)
}

// suggestVariable returns the environment variable of a key that differs from name in at
// most two letters, or ""; the first alphabetically of several equally close ones.
func suggestVariable(name string) string {
	const near = 2
	if len(name) > maxName {
		return ""
	}
	return text.Closest(name, slices.Sorted(slices.Values(names(spec.variable))), near)
}

// isVariable reports whether name is the environment variable of a key.
func isVariable(name string) bool {
	return slices.ContainsFunc(settings, func(s spec) bool { return s.variable() == name })
}

// names applies of to every setting.
func names(of func(spec) string) []string {
	out := make([]string, len(settings))
	for i, s := range settings {
		out[i] = of(s)
	}
	return out
}

// originalName returns the key whose name or variable in pi or one of the original
// extensions was used, or "".
func originalName(name string) string {
	for _, n := range seedNames {
		if _, ok := find(n.key); ok && name == n.name && (n.file == "" || n.file == settingsFile) {
			return n.key
		}
	}
	return ""
}

// sameEnding returns the only key with the same last part and the same first word as name,
// for example prune.seed.minimum for prune.minimum.
func sameEnding(name string) string {
	first, last := name[:strings.Index(name+".", ".")], name[strings.LastIndex(name, ".")+1:]
	found := ""
	for _, s := range settings {
		if !strings.HasPrefix(s.Name, first+".") || !strings.HasSuffix(s.Name, "."+last) {
			continue
		}
		if found != "" {
			return ""
		}
		found = s.Name
	}
	return found
}
