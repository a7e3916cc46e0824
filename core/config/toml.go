package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Limits on the input of the decoder, whose running time grows with the square of the
// length of a key.
const (
	maxDepth = 32      // brackets inside brackets, and dots of a key
	maxBytes = 1 << 18 // bytes of a pictx.toml
)

// document is a TOML text with its values and their locations.
type document struct {
	text   string
	values map[string]any
	lines  []line
	named  bool // whether the keys of the lines are known
}

// line is a logical line of a document: a value may go on for several. Offsets are bytes.
type line struct {
	start, end int // with the newline
	// table is the path of the table that the line is in, nil at the top. In a list of tables,
	// where one path names many places, listed is set.
	table  []string
	listed bool
	// path is the whole key that the line gives a value, or the table that a header opens.
	// Other lines have none.
	path   []string
	header bool
	// text ends before a comment and the space before it.
	key, value, textEnd int
	comment             int  // where the comment behind the text begins, or -1
	remarked            bool // there is a comment inside the value
}

// syntaxError says why a text is not a TOML document.
type syntaxError struct {
	line, column int
	message      string
}

// decode reads a TOML text.
func decode(data []byte) (*document, *syntaxError) {
	if len(data) > maxBytes {
		return nil, &syntaxError{message: fmt.Sprintf("the file is larger than %d bytes", maxBytes)}
	}
	text := string(data)
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return nil, &syntaxError{1, 1, "the file must be UTF-8, not UTF-16"}
	}
	lines, deep := divide(text)
	if deep >= 0 {
		at, column := position(text, deep)
		return nil, &syntaxError{at, column, "nested too deeply"}
	}
	values, err := decodeValues(text)
	if err != nil {
		return nil, locate(text, err)
	}
	return &document{text: text, values: values, lines: lines}, nil
}

// decodeValues runs the decoder. It panics on some of its own mistakes, which
// must not end a hook.
func decodeValues(text string) (values map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil {
			values, err = nil, fmt.Errorf("decode toml: %v", r)
		}
	}()
	_, err = toml.Decode(text, &values)
	return values, err
}

// locate finds the line and column of a decoder's error.
func locate(text string, err error) *syntaxError {
	var parse toml.ParseError
	if !errors.As(err, &parse) {
		return &syntaxError{message: printable(err.Error())}
	}
	// The decoder counts from after a byte order mark.
	line, column := position(strings.TrimPrefix(text, "\ufeff"), parse.Position.Start)
	return &syntaxError{line, column, printable(parse.Message)}
}

// position is the line and the column in characters of a byte offset.
func position(text string, offset int) (line, column int) {
	before := text[:min(max(offset, 0), len(text))]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, len([]rune(before[start:])) + 1
}

// divide finds the logical lines of a text, and where it is nested too deeply, or -1. It does
// not judge the text: the decoder does, and every edit is decoded again.
func divide(text string) (lines []line, deep int) {
	at := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	for at < len(text) {
		l := lineAt(text, at)
		if l.end < 0 {
			return lines, l.textEnd
		}
		lines, at = append(lines, l), l.end
	}
	return lines, -1
}

// lineAt is the logical line that begins at an offset. It has no end if it is nested too deeply.
func lineAt(text string, at int) line {
	l := line{start: at, key: at, value: -1, textEnd: at, comment: -1}
	depth, dots := 0, 0
	for ; at < len(text) && max(depth, dots) <= maxDepth; at++ {
		switch c := text[at]; c {
		case ' ', '\t', '\r':
			continue
		case '\n':
			if depth == 0 {
				l.end = at + 1
				return l
			}
			continue
		case '"', '\'':
			at = stringEnd(text, at) - 1
		case '#':
			l.remarked = l.remarked || depth > 0
			if depth == 0 {
				l.comment = at
			}
			at = lineEnd(text, at) - 1
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '=', ',':
			if dots = 0; c == '=' && l.value < 0 {
				l.value = at + 1
			}
		case '.':
			dots++
		}
		if l.comment < 0 {
			l.textEnd = at + 1
		}
	}
	l.end = len(text)
	if max(depth, dots) > maxDepth {
		l.end = -1
	}
	return l
}

// peek is the byte at an offset, or 0 behind the text.
func peek(text string, at int) byte {
	if at >= len(text) {
		return 0
	}
	return text[at]
}

// lineEnd is the offset of the newline after an offset, or the end of the text.
func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// stringEnd is the end of the string that begins at an offset.
func stringEnd(text string, at int) int {
	mark := text[at : at+1]
	if long := strings.Repeat(mark, 3); strings.HasPrefix(text[at:], long) {
		mark = long
	}
	for i := at + len(mark); i < len(text); i++ {
		switch {
		case text[i] == '\\' && mark[0] == '"':
			i++
		case text[i] == '\n' && len(mark) == 1:
			return i
		case strings.HasPrefix(text[i:], mark):
			end := i + len(mark)
			for len(mark) == 3 && end < i+5 && peek(text, end) == mark[0] {
				end++ // quotes that belong to the string
			}
			return end
		}
	}
	return len(text)
}

// name finds the keys of the lines. Only edits and warnings need them.
func (d *document) name() {
	if d.named {
		return
	}
	d.named = true
	var table []string
	listed := false
	lists := map[string]bool{} // the lists of tables so far
	for i := range d.lines {
		l := &d.lines[i]
		text := d.text[l.start:l.textEnd]
		bare := strings.TrimLeft(text, " \t")
		l.key = l.start + len(text) - len(bare)
		switch {
		case strings.HasPrefix(bare, "["):
			path := splitKey(strings.Trim(bare, "[]"))
			if strings.HasPrefix(bare, "[[") {
				lists[formatKey(path)] = true
			}
			table, listed = path, false
			for n := range path {
				listed = listed || lists[formatKey(path[:n+1])]
			}
			l.header, l.path = true, path
		case l.value >= 0:
			l.path = slices.Concat(table, splitKey(d.text[l.key:l.value-1]))
			l.value += len(d.text[l.value:]) - len(strings.TrimLeft(d.text[l.value:], " \t"))
		}
		l.table, l.listed = table, listed
	}
}

// line is the number of the line of a key, or of the first key in a table; 0 when unknown.
func (d *document) line(path []string) int {
	d.name()
	i := slices.IndexFunc(d.lines, func(l line) bool {
		return l.path != nil && (hasPrefix(l.path, path) || !l.header && hasPrefix(path, l.path))
	})
	if i < 0 {
		return 0
	}
	number, _ := position(d.text, d.lines[i].key)
	return number
}

// at returns the value of a key.
func (d *document) at(path []string) (any, bool) {
	table := d.values
	for i, part := range path {
		value, ok := table[part]
		if !ok || i == len(path)-1 {
			return value, ok
		}
		table, _ = value.(map[string]any)
	}
	return nil, false
}

// leaf is a key with a value that is not a table, or is an empty table.
type leaf struct {
	path  []string
	value any
}

// leaves lists the values of a document, in the order of their keys. Known keys are
// leaves even when their value is a table.
func (d *document) leaves(known func(path []string) bool) []leaf {
	var found []leaf
	var walk func(prefix []string, table map[string]any)
	walk = func(prefix []string, table map[string]any) {
		for _, name := range slices.Sorted(maps.Keys(table)) {
			path := slices.Concat(prefix, []string{name})
			sub, isTable := table[name].(map[string]any)
			if !isTable || len(sub) == 0 || known(path) {
				found = append(found, leaf{path, table[name]})
				continue
			}
			walk(path, sub)
		}
	}
	walk(nil, d.values)
	return found
}

// formatKey writes a key with quotes where TOML needs them.
func formatKey(path []string) string { return toml.Key(path).String() }

// splitKey reads a dotted key, with or without quotes.
func splitKey(key string) []string {
	if !strings.ContainsAny(key, `"'`) {
		parts := strings.Split(key, ".")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		return parts
	}
	if d, err := decode([]byte(key + " = 0")); err == nil {
		if found := d.leaves(func([]string) bool { return false }); len(found) == 1 {
			return found[0].path
		}
	}
	return strings.Split(key, ".")
}

// labelKey is formatKey for a message, cut so that a file cannot fill the screen.
func labelKey(path []string) string {
	text := []rune(printable(formatKey(path)))
	if len(text) > 80 {
		return string(text[:80]) + "..."
	}
	return string(text)
}

// hasPrefix reports whether path begins with prefix, or is it.
func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}
