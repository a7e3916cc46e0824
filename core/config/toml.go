package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Limits on the input of the decoder, whose time and memory grow with the third power of the depth
// of a key.
const (
	maxBytes    = 1 << 18 // bytes of a pictx.toml
	maxDots     = 256     // on a line
	maxBrackets = 1000    // that begin something
)

// document is the values of a file, and the text of a TOML file.
type document struct {
	text   string
	values map[string]any
	parts  []line // once they are asked for
}

// decode reads a TOML text. The decoder panics on some of its own mistakes, which must not end a
// hook.
func decode(data []byte) (d *document, wrong *Warning) {
	defer func() {
		if r := recover(); r != nil {
			d, wrong = nil, &Warning{Message: fmt.Sprint("the decoder failed: ", r)}
		}
	}()
	d = &document{text: string(data)}
	deep := func(line string) bool { return strings.Count(line, ".") > maxDots }
	switch lines := slices.Collect(strings.Lines(d.text)); {
	case len(data) > maxBytes:
		return nil, &Warning{Message: fmt.Sprintf("the file is larger than %d bytes", maxBytes)}
	case slices.ContainsFunc(lines, deep):
		return nil, &Warning{Line: 1 + slices.IndexFunc(lines, deep), Message: "nested too deeply"}
	case strings.Count(d.text, "[")+strings.Count(d.text, "{") > maxBrackets:
		return nil, &Warning{Message: "nested too deeply"}
	}
	_, err := toml.Decode(d.text, &d.values)
	var parse toml.ParseError
	if errors.As(err, &parse) {
		// The decoder counts from after a byte order mark, and its lines differ at the end of one.
		return nil, located(strings.TrimPrefix(d.text, "\ufeff"), parse.Position.Start, parse.Message)
	}
	return d, nil
}

// located is a mistake at a byte offset of a text.
func located(text string, offset int, message string) *Warning {
	before := text[:min(max(offset, 0), len(text))]
	start := strings.LastIndexByte(before, '\n') + 1
	return &Warning{Line: strings.Count(before, "\n") + 1, Column: len([]rune(before[start:])) + 1, Message: printable(message)}
}

// line is a line of a document as far as it can be read by itself: one inside a text of several
// lines may look like another. So every edit is decoded again.
type line struct {
	start, end int      // bytes, with the newline
	table      []string // that the line is in, or opens
	header     bool     // it opens a table
	key        []string // with that of the table, if the line sets one
	value      int      // where its value begins
	valueEnd   int      // and where it ends, once that was looked for
}

// lines divides the text. Only edits and warnings need it.
func (d *document) lines() []line {
	if d.parts != nil {
		return d.parts
	}
	at := len(d.text) - len(strings.TrimPrefix(d.text, "\ufeff"))
	l := line{}
	for text := range strings.Lines(d.text[at:]) {
		l = line{start: at, end: at + len(text), table: l.table}
		at = l.end
		bare := strings.TrimSpace(text)
		name, _, sets := strings.Cut(bare, "=")
		switch {
		case strings.HasPrefix(bare, "["):
			name, _, _ = strings.Cut(bare, "#")
			l.table, l.header = splitKey(strings.Trim(name, "[] \t")), true
		case sets && !strings.HasPrefix(bare, "#"):
			l.key = slices.Concat(l.table, splitKey(name))
			l.value = l.start + strings.IndexByte(text, '=') + 1
			l.value += len(d.text[l.value:]) - len(strings.TrimLeft(d.text[l.value:], " \t"))
		}
		d.parts = append(d.parts, l)
	}
	return d.parts
}

// line is the number of the line of a key, or of the first key in a table; 0 when unknown.
func (d *document) line(path []string) int {
	return 1 + slices.IndexFunc(d.lines(), func(l line) bool {
		if l.header {
			return hasPrefix(l.table, path)
		}
		return l.key != nil && (hasPrefix(l.key, path) || hasPrefix(path, l.key))
	})
}

// at returns the value at a path, nil if there is none. Where a part of the path is not a table it
// returns that, and how many parts lead to it.
func (d *document) at(path []string) (value any, parts int) {
	table := d.values
	for i, part := range path {
		value = table[part]
		sub, isTable := value.(map[string]any)
		if value == nil || !isTable {
			return value, i + 1
		}
		table = sub
	}
	return value, len(path)
}

// splitKey reads a dotted key, nil if it is none.
func splitKey(key string) (path []string) {
	if !strings.ContainsAny(key, "\"'\n#=") { // most keys; decoding takes longer
		return strings.FieldsFunc(key, func(r rune) bool { return strings.ContainsRune(" \t.", r) })
	}
	d, wrong := decode([]byte(key + " = 0"))
	if wrong != nil {
		return nil
	}
	for table := d.values; len(table) == 1; {
		for name, value := range table {
			path = append(path, name)
			table, _ = value.(map[string]any)
		}
	}
	return path
}

// formatKey writes a key with quotes where TOML needs them.
func formatKey(path []string) string { return toml.Key(path).String() }

// hasPrefix reports whether path begins with prefix, or is it.
func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}
