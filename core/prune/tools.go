package prune

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// class is what kind of tool a result is of.
type class uint8

const (
	classOther   class = iota // nothing says that it may be run again
	classRead                 // returns a file
	classEdit                 // changes a file
	classEditor               // one or the other, by its argument "command"
	classCommand              // returns what can be had again
	classShell                // a command whose output has an exit status
	classKota                 // a query to the code index
)

// impactTool is the tool of the code index whose results are pinned.
const impactTool = "kota_impact"

// KeptByName reports whether the results of a tool stay for its name alone, when the
// setting prune.kota.pin_impact says so, until somebody takes that back.
func KeptByName(tool string) bool { return tool == impactTool }

// classOf knows the tools of pi and what others call theirs. What it does not know
// is not taken for one that can be run again: a sub-agent, a question to the user,
// a page of the web.
func classOf(tool string) class {
	if strings.HasPrefix(tool, "kota_") {
		return classKota
	}
	switch strings.Map(letters, tool) {
	case "read", "readfile", "view", "viewfile", "openfile", "cat":
		return classRead
	case "edit", "multiedit", "editfile", "strreplace", "strreplaceedit", "searchreplace", "applypatch", "applydiff",
		"patch", "notebookedit", "insert", "write", "writefile", "createfile", "writetofile":
		return classEdit
	case "strreplaceeditor", "strreplacebasededittool", "texteditor":
		return classEditor
	case "bash", "shell", "exec", "execcommand", "runcommand", "terminal", "powershell":
		return classShell
	case "grep", "ripgrep", "rg", "find", "glob", "ls", "list", "listdir", "listfiles", "listdirectory", "searchfiles":
		return classCommand
	}
	return classOther
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

// editorClass is what a call of an editor does.
func editorClass(command []byte) class {
	if string(command) == `"view"` {
		return classRead
	}
	return classEdit
}

// matchAny reports whether one of the globs matches a name. A glob that is none
// matches nothing.
func matchAny(globs []string, name string) bool {
	for _, g := range globs {
		if ok, err := doublestar.Match(g, name); ok && err == nil {
			return true
		}
	}
	return false
}

// matchPath reports whether one of the globs matches a file, as KeepPaths says.
func matchPath(globs []string, file, cwd string) bool {
	if len(globs) == 0 {
		return false
	}
	relative := file
	if cwd != "" {
		if rest, ok := strings.CutPrefix(file, strings.TrimSuffix(slashes(cwd), "/")+"/"); ok {
			relative = rest
		}
	}
	base := file[strings.LastIndexByte(file, '/')+1:]
	for _, g := range globs {
		g = strings.TrimPrefix(g, "./")
		switch {
		case strings.HasPrefix(g, "/"):
			if matchAny([]string{g}, file) {
				return true
			}
		case !strings.Contains(g, "/"):
			if matchAny([]string{g}, base) {
				return true
			}
		case matchAny([]string{g}, relative), matchAny([]string{g}, file):
			return true
		}
	}
	return false
}
