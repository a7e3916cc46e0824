package config

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
)

// Set returns a TOML document with a key set and everything else unchanged, byte for byte:
// comments, blank lines, line endings. It changes the key's value, or adds a line. The value is
// in the form a person types: true, 20000, auto, or a,b,c or a TOML list for a list. If the key
// already has the value the document is unchanged. The error is an *Error: of a document of another
// form, such as an inline table, it has the line to write by hand.
func Set(text []byte, key, value string) ([]byte, error) {
	s, err := lookup(key)
	if err != nil {
		return nil, err
	}
	want, err := s.parse(value)
	if err != nil {
		return nil, err
	}
	doc, wrong := decode(text)
	if wrong != nil {
		return nil, editError(key, *wrong, "")
	}
	path := s.path()
	right := func(have any) bool {
		checked, ok := s.check(have)
		return ok && reflect.DeepEqual(checked, want)
	}
	have, _ := doc.at(path)
	if right(have) {
		return bytes.Clone(text), nil
	}
	inline := func(l line) bool { return l.key != nil && hasPrefix(path, l.key) } // no line may add to its table
	if have == nil && !slices.ContainsFunc(doc.lines(), inline) {
		if after := doc.add(path, format(want)); doc.becomes(after, path, right) {
			return []byte(after), nil
		}
	}
	for _, a := range doc.assignments(path) {
		if after := doc.text[:a.value] + format(want) + doc.text[a.valueEnd:]; doc.becomes(after, path, right) {
			return []byte(after), nil
		}
	}
	return nil, editError(key, Warning{Line: doc.line(path), Message: unusual}, "; write "+key+" = "+format(want)+" by hand")
}

// unusual is why an edit is refused.
const unusual = "the file has a form that pictx does not edit"

// Unset returns a TOML document without a key, and everything else byte for
// byte as it was; a comment behind the value stays on a line of its own. It
// reports whether the document had the key. A key that is not a setting can be removed,
// too. The error is an *Error, also when the key is neither a setting nor in the document.
func Unset(text []byte, key string) ([]byte, bool, error) {
	doc, wrong := decode(text)
	if wrong != nil {
		return nil, false, editError(key, *wrong, "")
	}
	path := splitKey(key)
	if have, n := doc.at(path); have == nil || n < len(path) {
		_, err := lookup(key)
		return bytes.Clone(text), false, err
	}
	gone := func(have any) bool { return have == nil }
	for _, a := range doc.assignments(path) {
		own := doc.text[a.start:a.end]
		after := doc.text[:a.start] + doc.text[a.end:]
		if remark := strings.TrimLeft(doc.text[a.valueEnd:a.end], " \t"); strings.HasPrefix(remark, "#") {
			after = doc.text[:a.start+len(own)-len(strings.TrimLeft(own, " \t"))] + remark + doc.text[a.end:]
		}
		if doc.becomes(after, path, gone) {
			return []byte(after), true, nil
		}
	}
	return nil, false, editError(key, Warning{Line: doc.line(path), Message: unusual}, "")
}

// assignments returns the lines that may give a key its value.
func (d *document) assignments(path []string) (all []line) {
	for _, l := range d.lines() {
		if !slices.Equal(l.key, path) {
			continue
		}
		if a, ok := d.assignment(l); ok {
			all = append(all, a)
		}
	}
	return all
}

// maxValue is the size in bytes above which a value is not edited: it is decoded again and again.
const maxValue = 4 << 10

// assignment finds the end of the value that begins on a line: where it can be decoded by itself.
// It fails for a list of several lines with comments, which would be lost.
func (d *document) assignment(l line) (line, bool) {
	const v = "v = "
	whole, wrong := decode([]byte(v + d.text[l.value:l.end]))
	for wrong != nil {
		if l.end == len(d.text) || l.end-l.value > maxValue {
			return l, false
		}
		next, _, _ := strings.Cut(d.text[l.end:], "\n")
		l.end = min(l.end+len(next)+1, len(d.text))
		whole, wrong = decode([]byte(v + d.text[l.value:l.end]))
	}
	text := d.text[l.value:l.end]
	for at := range len(text) {
		if text[at] != '#' {
			continue
		}
		if same, wrong := decode([]byte(v + text[:at])); wrong == nil && reflect.DeepEqual(same.values, whole.values) {
			text = text[:at]
			break
		}
	}
	text = strings.TrimRight(text, " \t\r\n")
	l.valueEnd = l.value + len(text)
	return l, len(text) <= maxValue && !(strings.Contains(text, "\n") && strings.Contains(text, "#"))
}

// add writes a key as a line of its own in the closest table that has a header, else above all
// headers: below its line in a default file, where it is commented out, else behind the last key
// there, else first.
func (d *document) add(path []string, value string) string {
	all := d.lines()
	from, table := 0, 0 // a line, and how much of the key the table has
	at, indent := len(d.text)-len(strings.TrimPrefix(d.text, "\ufeff")), ""
	for i, l := range all {
		if l.header && len(l.table) < len(path) && len(l.table) > table && hasPrefix(path, l.table) {
			from, table, at = i+1, len(l.table), l.end
		}
	}
	rest := formatKey(path[table:])
	for _, l := range all[from:] {
		if l.header {
			break
		}
		text := d.text[l.start:l.end]
		own := strings.TrimLeft(text, " \t")
		commented, _, _ := strings.Cut(strings.TrimLeft(own, "# \t"), "=")
		template := strings.HasPrefix(own, "#") && strings.TrimSpace(commented) == rest
		if l.key == nil && !template || l.start < at {
			continue
		}
		at, indent = l.end, text[:len(text)-len(own)]
		if template {
			break
		}
		if a, ok := d.assignment(l); ok {
			at = a.end
		}
	}
	nl := "\n"
	if strings.Contains(d.text, "\r\n") {
		nl = "\r\n"
	}
	added := indent + rest + " = " + value
	if before := strings.TrimPrefix(d.text[:at], "\ufeff"); before != "" && !strings.HasSuffix(before, "\n") {
		return d.text[:at] + nl + added + d.text[at:]
	}
	return d.text[:at] + added + nl + d.text[at:]
}

// becomes reports whether a changed text is TOML in which nothing but a key changed, and its value
// is right.
func (d *document) becomes(text string, path []string, right func(have any) bool) bool {
	before, wrong := decode([]byte(d.text))
	after, changed := decode([]byte(text))
	if wrong != nil || changed != nil {
		return false
	}
	value, _ := after.at(path)
	remove(before.values, path)
	remove(after.values, path)
	return right(value) && reflect.DeepEqual(before.values, after.values)
}

// remove deletes a key, and the tables that become empty.
func remove(table map[string]any, path []string) {
	if sub, ok := table[path[0]].(map[string]any); ok && len(path) > 1 {
		if remove(sub, path[1:]); len(sub) > 0 {
			return
		}
	}
	delete(table, path[0])
}
