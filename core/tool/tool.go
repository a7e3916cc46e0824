package tool

import (
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Class is what kind of tool a result is of.
type Class uint8

// The classes.
const (
	Other  Class = iota // nothing says that it may be run again
	Read                // returns a file
	Edit                // changes a file
	Editor              // either of them, as its argument "command" says
	List                // returns what can be had again
	Shell               // a command whose output has an exit status
	Code                // a query to the code index
)

// ClassOf knows the tools of pi and what others call theirs. An unknown tool is not
// assumed to be safe to run again: a sub-agent, a question to the user,
// a page of the web.
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

// letters leaves the small letters of a tool's name.
func letters(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r == '_' || r == '-':
		return -1
	}
	return r
}

// EditorClass is what a call of an editor does.
func EditorClass(command []byte) Class {
	if string(command) == `"view"` {
		return Read
	}
	return Edit
}

// DeclaredEntry is the type of the custom entry that says what pictx declares to the
// model from there on. Every request that follows carries it, and pays for it.
const DeclaredEntry = "pictx.declared"

// Declared is the data of a DeclaredEntry.
type Declared struct {
	// Names are those of the tools and sections, none when nothing is declared.
	Names []string `json:"names"`
	// Tokens is their size in a request.
	Tokens token.Count `json:"tokens"`
}

// Access is what a tool call does to a file, as far as its arguments show.
type Access struct {
	// Path is that of the file as pi takes it, cleaned, and absolute where the working
	// directory is known; "" when the call names none.
	Path string
	// Reads is set on a tool that returns the contents of the file, Writes on one that
	// changes it, Lists on one that returns names of files, or lines with them, Shell
	// on one that runs a command.
	Reads, Writes, Lists, Shell bool
	// First is the first line that is read, from 1, and Last the last one, 0 for all.
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
	if acc.Path != nil && !a.Shell {
		a.Path = CleanPath(message.Unquote(acc.Path), cwd)
	}
	return a
}

// CountLines counts the lines of a file in what a read returned, without the
// remark that pi adds of what it left out.
func CountLines(text string) int {
	text = strings.TrimRight(text, "\n")
	if strings.HasSuffix(text, "]") { // only then: looking for a remark goes through the whole text
		if i := strings.LastIndex(text, "\n\n["); i >= 0 && !strings.Contains(text[i+3:], "\n") {
			text = text[:i]
		}
	}
	return strings.Count(text, "\n") + 1
}

// Outcome finds the exit status of a command and the last line it printed. pi
// names the status only of commands that failed, whose results are kept; others
// name it always.
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
