package tool

import "strings"

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
