package tool

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
)

// ShowsFile reports whether a shell command prints files, or a range of their lines, as they are:
// cat a.ts, sed -n 10,20p a.ts | nl.
func ShowsFile(c *message.Call) bool {
	command := message.Unquote(ParseArguments(c.Arguments).Command)
	split := func(r rune) bool { return r == ';' || r == '&' || r == '\n' || r == '(' || r == ')' }
	return slices.ContainsFunc(strings.FieldsFunc(command, split), func(one string) bool {
		first, _, _ := strings.Cut(one, "|") // what follows filters it
		words := strings.Fields(first)
		for len(words) > 0 && (strings.Contains(words[0], "=") || words[0] == "sudo" || words[0] == "command") {
			words = words[1:]
		}
		if len(words) < 2 || strings.Contains(first, "<<") {
			return false
		}
		switch name := words[0][strings.LastIndexByte(words[0], '/')+1:]; name {
		case "cat", "bat", "batcat", "less", "more", "head", "tail", "nl", "tac":
			return true
		case "sed":
			return slices.Contains(words, "-n")
		case "awk":
			return strings.Contains(first, "NR")
		}
		return false
	})
}

// NamesPath reports whether a word of a shell command is the path of a file that one of the
// globs matches, with regard to the directory of a cd before it.
func NamesPath(globs []string, command, cwd string) bool {
	ends := func(g string) bool { return strings.Contains(command, g[strings.LastIndexAny(g, `*?[]{}/\`)+1:]) }
	if !slices.ContainsFunc(globs, ends) { // most commands
		return false
	}
	dir, last := cwd, ""
	for _, w := range strings.FieldsFunc(command, func(r rune) bool { return r <= ' ' || strings.ContainsRune(";&|()<>\"'`=:,$", r) }) {
		file := CleanPath(w, dir)
		if MatchPath(globs, file, cwd) {
			return true
		}
		if last == "cd" {
			dir = file
		}
		last = w
	}
	return false
}
