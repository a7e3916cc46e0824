package tool

import "github.com/coctostan/pictx/core/message"

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
