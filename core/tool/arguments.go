package tool

import (
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/message"
)

// Arguments are the parts of a call's arguments that concern files. Texts are raw JSON
// string literals, nil for none.
type Arguments struct {
	// Path names the file, Command is what an editor or a shell should do, Patch a patch to
	// apply.
	Path, Command, Patch []byte
	// From is the first line of a read, counted from 1, To the one after its last, 0 for
	// the end.
	From, To int
}

// ParseArguments reads the arguments of a call under the names that various agents use.
func ParseArguments(arguments []byte) Arguments {
	a := Arguments{From: 1}
	limit, last := 0, 0
	Members(arguments, func(name, value []byte) {
		literal := value[0] == '"'
		switch string(name) {
		case `"path"`, `"file_path"`, `"filePath"`, `"file"`, `"filename"`, `"notebook_path"`, `"target_file"`:
			if literal && len(value) > 2 {
				a.Path = value
			}
		case `"command"`, `"cmd"`:
			if literal {
				a.Command = value
			}
		case `"input"`, `"patch"`, `"diff"`:
			if literal {
				a.Patch = value
			}
		case `"offset"`, `"start_line"`, `"startLine"`:
			a.From = max(1, number(value))
		case `"limit"`:
			limit = number(value)
		case `"end_line"`, `"endLine"`:
			last = number(value)
		case `"view_range"`:
			a.From, last = pair(value)
		}
	})
	switch {
	case limit > 0:
		a.To = a.From + limit
	case last > 0:
		a.To = last + 1
	}
	return a
}

// MainArgument returns the argument that tells a call apart from others of its tool, "" for
// none: the path of a read, the command of a shell.
func MainArgument(arguments []byte) string {
	var p message.Parser
	for _, name := range [...]string{"path", "file_path", "file", "command", "pattern", "query", "url"} {
		if s := p.StringMember(arguments, name); s != "" {
			return s
		}
	}
	return ""
}

// number reads a JSON number, or one in a string; 0 for anything else.
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

// Patched calls visit with the files named by a patch in the format of apply_patch, or by a
// unified diff.
func Patched(patch string, visit func(file string)) {
	for line := range strings.SplitSeq(patch, "\n") {
		for _, start := range [...]string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/"} {
			if file, ok := strings.CutPrefix(strings.TrimSpace(line), start); ok && file != "" {
				visit(file)
			}
		}
	}
}

// Members calls visit with the raw name and value of each member of a JSON object. It is
// called for every call in every plan, so it only finds the ends of values. Anything but an
// object has no members.
func Members(object []byte, visit func(name, value []byte)) {
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
