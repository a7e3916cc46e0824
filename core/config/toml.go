package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Limits on the input of the decoder, whose running time grows with the third power of the depth
// of a key.
const (
	maxBytes    = 1 << 18 // bytes of a pictx.toml
	maxDots     = 256     // on a line
	maxBrackets = 1000    // that begin something
)

// document is a TOML text with its values.
type document struct {
	text   string
	values map[string]any
	parts  []line // once they are asked for
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
	if strings.Count(text, "[")+strings.Count(text, "{") > maxBrackets {
		return nil, &syntaxError{message: "nested too deeply"}
	}
	number := 0
	for line := range strings.Lines(text) {
		if number++; strings.Count(line, ".") > maxDots {
			return nil, &syntaxError{number, 1, "nested too deeply"}
		}
	}
	values, err := decodeValues(text)
	if err != nil {
		return nil, locate(text, err)
	}
	return &document{text: text, values: values}, nil
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

// line is a line of a document as far as it can be read by itself: one inside a text of several
// lines may look like another. So every edit is decoded again.
type line struct {
	start, end int      // bytes, with the newline
	table      []string // that the line is in, or opens
	header     bool     // it opens a table
	listed     bool     // the table is an element of a list
	key        []string // with that of the table, if the line sets one
	value      int      // where its value begins
}

// lines divides the text. Only edits and warnings need it.
func (d *document) lines() []line {
	if d.parts != nil {
		return d.parts
	}
	at := len(d.text) - len(strings.TrimPrefix(d.text, "\ufeff"))
	l := line{}
	for text := range strings.Lines(d.text[at:]) {
		l = line{start: at, end: at + len(text), table: l.table, listed: l.listed}
		at = l.end
		bare := strings.TrimSpace(text)
		name, _, sets := strings.Cut(bare, "=")
		switch {
		case strings.HasPrefix(bare, "["):
			name, _, _ = strings.Cut(bare, "#")
			l.table, l.header, l.listed = splitKey(strings.Trim(name, "[] \t")), true, strings.HasPrefix(bare, "[[")
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
	if strings.ContainsAny(key, `"'`) {
		if d, err := decode([]byte(key + " = 0")); err == nil {
			if found := d.leaves(func([]string) bool { return false }); len(found) == 1 {
				return found[0].path
			}
		}
	}
	parts := strings.Split(key, ".")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
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
