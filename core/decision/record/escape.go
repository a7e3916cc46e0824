package record

import (
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// escaped is a text as paragraphs of a record: outside of code blocks, a line that would
// be a heading of at most a level, our last line, or a code block that nothing ends, gets
// a backslash.
func escaped(s string, level int) string {
	lines := strings.Split(s, "\n")
	for i := 0; i < len(lines); i++ {
		t := strings.TrimSpace(lines[i])
		if fence := text.CodeFence(t); fence != "" {
			end := slices.IndexFunc(lines[i+1:], func(l string) bool { return closes(strings.TrimSpace(l), fence) })
			if end >= 0 {
				i += end + 1
				continue
			}
		} else if signs := len(t) - len(strings.TrimLeft(t, "#")); !strings.HasPrefix(t, sealMark) && !startsEscape(t) &&
			(signs == 0 || signs > level || !strings.HasPrefix(t[signs:], " ")) {
			continue
		}
		at := strings.Index(lines[i], t)
		lines[i] = lines[i][:at] + `\` + t
	}
	return strings.Join(lines, "\n")
}

// startsEscape reports whether a line begins with a backslash that reading would take out.
func startsEscape(t string) bool {
	return len(t) > 1 && t[0] == '\\' && strings.IndexByte("\\#<`~", t[1]) >= 0
}

// unescaped is a line of a record without the backslash that escapes its beginning.
func unescaped(line string) string {
	t := strings.TrimSpace(line)
	if !startsEscape(t) {
		return line
	}
	at := strings.Index(line, t)
	return line[:at] + line[at+1:]
}

// quoted is a value of front matter, in quotes where YAML needs them.
func quoted(v string) string {
	plain := v != "" && strings.IndexFunc(v, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" ,.-_/()", r))
	}) < 0
	if plain && v[0] != '-' && v[0] != ' ' && v[0] != ',' {
		return v
	}
	return strconv.Quote(v)
}

// unquoted is a value of front matter without its quotes.
func unquoted(v string) string {
	v = strings.TrimSpace(v)
	if plain, err := strconv.Unquote(v); err == nil && strings.HasPrefix(v, `"`) {
		return plain
	}
	if len(v) > 1 && (v[0] == '\'' || v[0] == '"') && v[len(v)-1] == v[0] {
		return v[1 : len(v)-1]
	}
	return v
}
