package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// document is a TOML text with its values and their locations.
type document struct {
	text     string
	values   map[string]any
	located  bool // whether entries and comments are known
	entries  []entry
	comments []comment
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
	found, complete := scan(text)
	if found.tooDeep {
		line, column := position(text, found.pos)
		return nil, &syntaxError{line, column, "nested too deeply"}
	}
	values, err := decodeValues(text)
	if err != nil {
		return nil, locate(text, err)
	}
	doc := &document{text: text, values: values, located: complete}
	if complete {
		doc.entries, doc.comments = found.entries, found.comments
	}
	return doc, nil
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
	bom := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	line, column := position(text[bom:], parse.Position.Start)
	return &syntaxError{line, column, printable(parse.Message)}
}

// position is the line and the column in characters of a byte offset.
func position(text string, offset int) (line, column int) {
	before := text[:min(max(offset, 0), len(text))]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, len([]rune(before[start:])) + 1
}

// line is the line of a key, or of the first key in a table; 0 when unknown.
func (d *document) line(path []string) int {
	i := slices.IndexFunc(d.entries, func(e entry) bool { return hasPrefix(e.path, path) })
	if i < 0 {
		return 0
	}
	line, _ := position(d.text, d.entries[i].start)
	return line
}

// at returns the value of a key.
func (d *document) at(path []string) (any, bool) {
	var value any = d.values
	for _, part := range path {
		table, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = table[part]; !ok {
			return nil, false
		}
	}
	return value, true
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

// facts describes the document for comparison: every key but the one at path, with its
// value and type. Empty tables around path are left out, because editing path may make
// or remove them.
func (d *document) facts(path []string) map[string]string {
	facts := map[string]string{}
	for _, l := range d.leaves(func([]string) bool { return false }) {
		_, isTable := l.value.(map[string]any)
		if slices.Equal(l.path, path) || isTable && hasPrefix(path, l.path) {
			continue
		}
		facts[formatKey(l.path)] = fmt.Sprintf("%T %#v", l.value, l.value)
	}
	return facts
}

// remarks lists the texts of the document's comments, sorted.
func (d *document) remarks() []string {
	texts := make([]string, len(d.comments))
	for i, c := range d.comments {
		texts[i] = d.text[c.start:c.end]
	}
	slices.Sort(texts)
	return texts
}

// formatKey writes a key with quotes where TOML needs them.
func formatKey(path []string) string {
	parts := make([]string, len(path))
	for i, part := range path {
		parts[i] = part
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return r > 127 || !bareChar(byte(r)) }) {
			parts[i] = quote(part)
		}
	}
	return strings.Join(parts, ".")
}

// splitKey reads a dotted key as a person types it, with or without quotes.
func splitKey(key string) []string {
	s := &scanner{text: key}
	if path, ok := s.key(); ok && s.pos == len(key) {
		return path
	}
	return strings.Split(key, ".")
}

// labelKey is formatKey for a message, cut so that a file cannot fill the screen.
func labelKey(path []string) string {
	text := []rune(formatKey(path))
	if len(text) > 80 {
		return string(text[:80]) + "..."
	}
	return string(text)
}
