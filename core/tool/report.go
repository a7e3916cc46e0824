package tool

import (
	"slices"
	"strings"
)

// IsOldText reports whether a member of the arguments of an edit is the text to be
// replaced, which no file has after the edit.
func IsOldText(member string) bool {
	name := strings.ReplaceAll(strings.ToLower(member), "_", "")
	return slices.Contains([]string{"oldtext", "oldstring", "oldstr"}, name)
}

// Reports reports whether a tool, by its name, returns the report of a sub-agent or text
// from the web: long texts that are not part of the project, and that a model reads once to
// draw its conclusions.
func Reports(tool string) bool {
	name := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(tool))
	return slices.Contains([]string{"task", "agent", "subagent", "delegate", "websearch", "webfetch", "fetch", "fetchurl", "browse"}, name)
}
