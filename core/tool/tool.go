package tool

import (
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Class is the kind of a tool.
type Class uint8

// The classes.
const (
	Other  Class = iota // nothing says that it may be run again
	Read                // returns a file
	Edit                // changes a file
	Editor              // either, depending on its argument "command"
	List                // returns a listing or search that can be repeated
	Shell               // a command whose output has an exit status
	Code                // a query to the code index
)

// ClassOf returns the class of a tool of pi or of another agent. An unknown tool is not
// assumed to be safe to run again: it may be a sub-agent, a question to the user, or a web
// page.
func ClassOf(tool string) Class {
	if strings.HasPrefix(tool, "kota_") {
		return Code
	}
	switch strings.Map(letters, tool) {
	case "read", "readfile", "view", "viewfile", "openfile", "cat":
		return Read
	case "edit", "multiedit", "editfile", "strreplace", "strreplaceedit", "searchreplace", "applypatch", "applydiff",
		"patch", "notebookedit", "insert", "write", "writefile", "createfile", "writetofile":
		return Edit
	case "strreplaceeditor", "strreplacebasededittool", "texteditor":
		return Editor
	case "bash", "shell", "exec", "execcommand", "runcommand", "terminal", "powershell":
		return Shell
	case "grep", "ripgrep", "rg", "find", "glob", "ls", "list", "listdir", "listfiles", "listdirectory", "searchfiles":
		return List
	}
	return Other
}

// letters maps the name of a tool to its letters, in lower case.
func letters(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r == '_' || r == '-':
		return -1
	}
	return r
}

// EditorClass returns what a call of an editor does.
func EditorClass(command []byte) Class {
	if string(command) == `"view"` {
		return Read
	}
	return Edit
}

// DeclaredEntry is the type of the custom entry that records what pictx declares to the
// model from there on, as part of every request.
const DeclaredEntry = "pictx.declared"

// Declared is the data of a DeclaredEntry.
type Declared struct {
	// Names are the names of the tools, none when nothing is declared.
	Names []string `json:"names"`
	// Tokens is their size in a request.
	Tokens token.Count `json:"tokens"`
}

// Access is what a tool call does to a file, as far as its arguments show.
type Access struct {
	// Path is the cleaned path of the file, absolute if the working directory is known; ""
	// when the call names none.
	Path string
	// Reads is set for a tool that returns the content of the file, Writes for one that
	// changes it, Lists for one that returns names of files or lines of them, Shell for one
	// that runs a command.
	Reads, Writes, Lists, Shell bool
	// Command is what a shell runs, "" for other tools.
	Command string
	// First is the first line of a read, counted from 1, Last the last one, 0 for the end.
	First, Last int
}

// AccessOf returns what a call of a tool does to a file. It knows the tools of pi and
// what other agents call theirs.
func AccessOf(tool string, arguments []byte, cwd string) Access {
	acc, c := ParseArguments(arguments), ClassOf(tool)
	if c == Editor {
		c = EditorClass(acc.Command)
	}
	a := Access{
		Reads: c == Read, Writes: c == Edit, Lists: c == List, Shell: c == Shell,
		First: acc.From, Last: max(0, acc.To-1),
	}
	if a.Shell {
		a.Command = message.Unquote(acc.Command)
	} else if acc.Path != nil {
		a.Path = CleanPath(message.Unquote(acc.Path), cwd)
	}
	return a
}

// CountLines counts the lines of a file in the result of a read, without pi's note about
// what it left out.
func CountLines(text string) int {
	text, _ = WithoutNote(text)
	return strings.Count(text, "\n") + 1
}

// FileLines returns the lines of a file in the result of a read, and whether a note says that
// pi left out some.
func FileLines(text string) (lines []string, more bool) {
	text, more = WithoutNote(text)
	return strings.Split(text, "\n"), more
}

// WithoutNote cuts off pi's note about what it left out, and reports whether there was one.
func WithoutNote(text string) (string, bool) {
	text = strings.TrimRight(text, "\n")
	for _, note := range [][2]string{{"\n\n[", "]"}, {"\n\n... (", " to continue reading)"}} { // the latter until 0.20
		if !strings.HasSuffix(text, note[1]) { // searching for a note scans the whole text
			continue
		}
		if i := strings.LastIndex(text, note[0]); i >= 0 && !strings.Contains(text[i+3:], "\n") {
			return text[:i], true
		}
	}
	return text, false
}

// Outcome finds the exit status of a command and the last line of its output. pi states the
// status only of failed commands, whose results are never pruned; other agents always do.
func Outcome(text string) (exit, last string) {
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

// lastLine returns the last non-blank line of text, and what precedes it.
func lastLine(text string) (last, rest string) {
	text = strings.TrimRight(text, " \t\r\n")
	i := strings.LastIndexAny(text, "\r\n") + 1
	return strings.TrimSpace(text[i:]), text[:i]
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}
