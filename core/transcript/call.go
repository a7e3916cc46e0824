package transcript

import (
	"path"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/tool"
)

// newCall reads a tool call from its arguments, a JSON object.
func newCall(name string, arguments []byte, cwd string) *Call {
	c := &Call{Tool: name}
	args := tool.ParseArguments(arguments)
	kind := tool.AccessOf(name, arguments, cwd)
	switch {
	case kind.Shell:
		c.command(message.Unquote(args.Command))
	case kind.Path != "" && kind.Reads:
		c.Subject = relative(kind.Path, cwd) + lineRange(args)
	case kind.Path != "" && kind.Writes:
		c.Subject = relative(kind.Path, cwd)
		c.Input = changes(arguments, c.Subject)
	case args.Patch != nil && kind.Writes:
		var files []string
		patch := message.Unquote(args.Patch)
		tool.Patched(patch, func(file string) { files = append(files, file) })
		c.Subject, c.Input = strings.Join(files, ", "), Code{"diff", patch}
	default:
		c.fields(arguments)
	}
	if c.Subject == "" && c.Input.Text == "" {
		c.fields(arguments)
	}
	return c
}

// command shows a single-line command as the subject, and a longer one below it.
func (c *Call) command(line string) {
	line = strings.TrimRight(line, "\n")
	first, rest, more := strings.Cut(line, "\n")
	c.Subject = first
	if more && strings.TrimSpace(rest) != "" {
		c.Input = Code{"bash", line}
	}
}

// lineRange formats the lines of a read, "" for the whole file.
func lineRange(a tool.Arguments) string {
	switch {
	case a.To > 0:
		return ":" + strconv.Itoa(a.From) + "-" + strconv.Itoa(a.To-1)
	case a.From > 1:
		return ":" + strconv.Itoa(a.From) + "-"
	}
	return ""
}

// relative makes a path relative to its project.
func relative(file, cwd string) string {
	if rest, ok := strings.CutPrefix(file, strings.TrimSuffix(cwd, "/")+"/"); ok && cwd != "" {
		return rest
	}
	return file
}

// changes shows what an edit does to a file: a diff of each replacement, or the content
// that it writes.
func changes(arguments []byte, file string) Code {
	var diff strings.Builder
	var before, content string
	add := func(name, value []byte) {
		switch member := strings.Trim(string(name), `"`); {
		case tool.IsOldText(member):
			before = message.Unquote(value)
		case member == "newText" || member == "new_string" || member == "new_str" || member == "newString" || member == "replace":
			writeDiff(&diff, before, message.Unquote(value))
			before = ""
		case member == "content" || member == "file_text" || member == "contents":
			content = message.Unquote(value)
		}
	}
	tool.Members(arguments, func(name, value []byte) {
		if string(name) == `"edits"` {
			var p message.Parser
			for _, edit := range p.List(value) {
				tool.Members(edit, add)
			}
			return
		}
		add(name, value)
	})
	if diff.Len() == 0 {
		return Code{strings.TrimPrefix(path.Ext(file), "."), content}
	}
	return Code{"diff", diff.String()}
}

// writeDiff writes a replacement, the old lines before the new ones.
func writeDiff(b *strings.Builder, before, after string) {
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	for _, side := range [...]struct{ sign, text string }{{"-", before}, {"+", after}} {
		for line := range strings.Lines(side.text) {
			b.WriteString(side.sign + strings.TrimRight(line, "\r\n") + "\n")
		}
	}
}

// fields shows the arguments of any other tool: a single short one as the subject, else one
// per line.
func (c *Call) fields(arguments []byte) {
	var lines []string
	only := ""
	tool.Members(arguments, func(name, value []byte) {
		shown := string(value)
		if value[0] == '"' {
			shown = message.Unquote(value)
		}
		only = shown
		lines = append(lines, message.Unquote(name)+": "+shown)
	})
	if len(lines) == 1 && !strings.Contains(only, "\n") {
		c.Subject = only
		return
	}
	c.Input = Code{"", strings.Join(lines, "\n")}
}

// language returns that of the result: for a read file, by its name.
func (c *Call) language() string {
	if tool.ClassOf(c.Tool) != tool.Read {
		return ""
	}
	name, _, _ := strings.Cut(path.Base(c.Subject), ":")
	return strings.TrimPrefix(path.Ext(name), ".")
}

// integer reads a JSON number, 0 for anything else.
func integer(value []byte) int64 {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return 0
	}
	return max(0, n)
}
