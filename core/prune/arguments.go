package prune

import (
	"bytes"
	"path"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/message"
)

// members calls visit with the name and the value of each member of a JSON
// object, as they stand. It reads a call's arguments once for every plan, so it
// looks for the ends of values only; what is no object has no members.
func members(object []byte, visit func(name, value []byte)) {
	i := skipBlank(object, 0)
	if i >= len(object) || object[i] != '{' {
		return
	}
	for i++; ; {
		i = skipBlank(object, i)
		if i < len(object) && object[i] == ',' {
			i = skipBlank(object, i+1)
		}
		if i >= len(object) || object[i] != '"' {
			return
		}
		end := endOfString(object, i)
		colon := skipBlank(object, end)
		if colon >= len(object) || object[colon] != ':' {
			return
		}
		start := skipBlank(object, colon+1)
		stop := endOfValue(object, start)
		if stop <= start {
			return
		}
		visit(object[i:end], object[start:stop])
		i = stop
	}
}

func skipBlank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// endOfString returns the position after the string literal that starts at i.
func endOfString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// endOfValue returns the position after the value that starts at i.
func endOfValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = endOfString(b, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
			i++
			continue
		}
		i++
		if depth == 0 && (b[i-1] == '"' || b[i-1] == '}' || b[i-1] == ']') {
			return i
		}
	}
	return i
}

// Access is what a call of a tool does to a file, as far as its arguments say.
type Access struct {
	// Path is that of the file as pi takes it, cleaned, and absolute where the working
	// directory is known; "" when the call names none.
	Path string
	// Reads is set on a tool that returns what is in the file, Writes on one that
	// changes it, Lists on one that returns names of files, or lines with them, Shell
	// on one that runs a command.
	Reads, Writes, Lists, Shell bool
	// First is the first line that is read, from 1, and Last the last one, 0 for all.
	First, Last int
}

// AccessOf tells what a call of a tool does to a file, of the tools of pi and of what
// others call theirs.
func AccessOf(tool string, arguments []byte, cwd string) Access {
	acc, c := accessOf(arguments), classOf(tool)
	if c == classEditor {
		c = editorClass(acc.command)
	}
	a := Access{
		Reads: c == classRead, Writes: c == classEdit, Lists: c == classCommand, Shell: c == classShell,
		First: acc.from, Last: max(0, acc.to-1),
	}
	if acc.path != nil && !a.Shell {
		a.Path = cleanPath(message.Unquote(acc.path), cwd)
	}
	return a
}

// access is what a call does to files, as far as its arguments say.
type access struct {
	path    []byte // a JSON string literal, nil when there is none
	command []byte // likewise
	patch   []byte // likewise
	from    int    // first line of a read, from 1
	to      int    // after its last line, 0 for all
}

// accessOf reads the arguments of a call under the names that agents give them.
func accessOf(arguments []byte) access {
	a := access{from: 1}
	limit, last := 0, 0
	members(arguments, func(name, value []byte) {
		literal := value[0] == '"'
		switch string(name) {
		case `"path"`, `"file_path"`, `"filePath"`, `"file"`, `"filename"`, `"notebook_path"`, `"target_file"`:
			if literal && len(value) > 2 {
				a.path = value
			}
		case `"command"`, `"cmd"`:
			if literal {
				a.command = value
			}
		case `"input"`, `"patch"`, `"diff"`:
			if literal {
				a.patch = value
			}
		case `"offset"`, `"start_line"`, `"startLine"`:
			a.from = max(1, number(value))
		case `"limit"`:
			limit = number(value)
		case `"end_line"`, `"endLine"`:
			last = number(value)
		case `"view_range"`:
			a.from, last = pair(value)
		}
	})
	switch {
	case limit > 0:
		a.to = a.from + limit
	case last > 0:
		a.to = last + 1
	}
	return a
}

// number reads a JSON number, or one in a string; 0 when it is none.
func number(value []byte) int {
	text := strings.Trim(string(value), `"`)
	n, err := strconv.Atoi(text)
	if err != nil {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || f > 1<<30 {
			return 0
		}
		n = int(f)
	}
	return max(0, min(n, 1<<30))
}

// pair reads a list of two line numbers.
func pair(value []byte) (first, last int) {
	list := strings.Split(strings.Trim(string(value), "[] \n\t"), ",")
	if len(list) != 2 {
		return 1, 0
	}
	return max(1, number([]byte(strings.TrimSpace(list[0])))), number([]byte(strings.TrimSpace(list[1])))
}

// patched calls visit with the files that a patch in apply_patch's form, or a
// unified diff, names.
func patched(patch string, visit func(file string)) {
	for line := range strings.SplitSeq(patch, "\n") {
		for _, start := range [...]string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/"} {
			if file, ok := strings.CutPrefix(strings.TrimSpace(line), start); ok && file != "" {
				visit(file)
			}
		}
	}
}

// pathTable gives every file one number, however calls write its path.
type pathTable struct {
	cwd       string
	byLiteral map[string]int
	byPath    map[string]int
	clean     []string // absolute where that can be told
}

// of returns the number of the file that a JSON string literal names.
func (t *pathTable) of(literal []byte) int {
	if n, ok := t.byLiteral[string(literal)]; ok {
		return n
	}
	n := t.ofText(message.Unquote(literal))
	if t.byLiteral == nil {
		t.byLiteral = make(map[string]int)
	}
	t.byLiteral[string(literal)] = n
	return n
}

// ofText returns the number of the file that a path names.
func (t *pathTable) ofText(file string) int {
	file = cleanPath(file, t.cwd)
	n, ok := t.byPath[file]
	if !ok {
		n = len(t.clean)
		if t.byPath == nil {
			t.byPath = make(map[string]int)
		}
		t.byPath[file] = n
		t.clean = append(t.clean, file)
	}
	return n
}

// cleanPath resolves a path as a call has it. pi takes off an @ in front, which
// models copy from what the user typed.
func cleanPath(file, cwd string) string {
	file = strings.TrimPrefix(strings.TrimPrefix(file, "@"), "file://")
	if windows := len(cwd) > 1 && cwd[1] == ':'; windows || !strings.Contains(file, "/") && strings.Contains(file, `\`) {
		file, cwd = slashes(file), slashes(cwd)
	}
	if file == "" {
		return cwd
	}
	if !path.IsAbs(file) && (len(file) < 2 || file[1] != ':') && cwd != "" {
		return path.Join(cwd, file)
	}
	return path.Clean(file)
}

func slashes(file string) string { return strings.ReplaceAll(file, `\`, "/") }

// expandIDs calls visit with what a call asks pictx, or its tool, to expand.
func expandIDs(c *message.Call, visit func(id string)) {
	if !expands(c) {
		return
	}
	isHex := func(r byte) bool { return '0' <= r && r <= '9' || 'a' <= r && r <= 'f' }
	args := c.Arguments
	for i := 0; i < len(args); i++ {
		start := i
		for i < len(args) && isHex(args[i]) {
			i++
		}
		if i-start >= 8 {
			visit(string(args[start:i]))
		}
	}
}

// expands reports whether a call brings back text that was pruned: with a tool, or
// with pictx itself.
func expands(c *message.Call) bool {
	if strings.HasSuffix(c.Name, "_expand") {
		return true
	}
	return bytes.Contains(c.Arguments, []byte("pictx expand")) && classOf(c.Name) == classShell
}
