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
// already has the value the document is unchanged. The error is an *UnknownKeyError, a
// *ValueError, or an *EditError with the line to write by hand when the document has another
// form, such as an inline table.
func Set(text []byte, key, value string) ([]byte, error) {
	s, err := lookup(key)
	if err != nil {
		return nil, err
	}
	want, err := s.parse(value)
	if err != nil {
		return nil, err
	}
	doc, err := open(text, key)
	if err != nil {
		return nil, err
	}
	if have, ok := doc.at(s.path()); ok && s.means(have, want) {
		return bytes.Clone(text), nil
	}
	after, problem := doc.set(s.path(), format(want))
	if problem == "" {
		if have, ok := doc.check(after, s.path()); ok && s.means(have, want) {
			return []byte(after), nil
		}
		problem = unusual
	}
	return nil, &EditError{Key: key, Cause: problem, Line: doc.line(s.path()), ByHand: key + " = " + format(want)}
}

// Reasons to refuse an edit.
const (
	unusual  = "the file has a form that pictx does not edit"
	remarked = "its value holds comments that would be lost"
)

// means reports whether a decoded value equals the wanted one.
func (s spec) means(have, want any) bool {
	checked, ok := s.check(have)
	return ok && reflect.DeepEqual(checked, want)
}

// open decodes a document for an edit of a key.
func open(text []byte, key string) (*document, error) {
	doc, syntax := decode(text)
	if syntax != nil {
		return nil, &EditError{Key: key, Line: syntax.line, Column: syntax.column, Cause: syntax.message}
	}
	doc.name()
	return doc, nil
}

// set returns the text with a value for a key, or what prevents that.
func (d *document) set(path []string, value string) (after, problem string) {
	if i := d.find(path); i >= 0 {
		l := d.lines[i]
		if l.remarked {
			return "", remarked
		}
		return d.text[:l.value] + value + d.text[l.textEnd:], ""
	}
	inside := func(l line) bool { return !l.header && l.path != nil && hasPrefix(path, l.path) }
	if slices.ContainsFunc(d.lines, inside) {
		return "", unusual // a part of the key is an inline table
	}
	return d.add(path, value), ""
}

// find returns the index of the line that gives a key its value, or -1.
func (d *document) find(path []string) int {
	return slices.IndexFunc(d.lines, func(l line) bool {
		return !l.header && !l.listed && slices.Equal(l.path, path)
	})
}

// add writes a key as a line of its own in the closest table that has a header, else above all
// headers: below its line in a default file, where it is commented out, else behind the key that
// is most like it.
func (d *document) add(path []string, value string) string {
	from, to, table := d.table(path)
	rest := formatKey(path[len(table):])
	at, indent, like, template := -1, "", -1, false
	for _, l := range d.lines[from:to] {
		text := d.text[l.start:l.end]
		switch own := strings.TrimLeft(text, " \t"); {
		case l.path == nil && strings.HasPrefix(own, "#"):
			key, _, _ := strings.Cut(strings.TrimLeft(own, "# \t"), "=")
			if template || strings.TrimSpace(key) != rest {
				continue
			}
			template = true
		case template || l.path == nil || common(l.path, path) < like:
			continue
		}
		at, like = l.end, common(l.path, path)
		indent = text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	}
	nl := "\n"
	if strings.Contains(d.text, "\r\n") {
		nl = "\r\n"
	}
	added := indent + rest + " = " + value
	if at < 0 {
		at = d.opening(to)
		if to < len(d.lines) {
			added += nl
		}
	}
	if before := strings.TrimPrefix(d.text[:at], "\ufeff"); before != "" && !strings.HasSuffix(before, "\n") {
		return d.text[:at] + nl + added + d.text[at:]
	}
	return d.text[:at] + added + nl + d.text[at:]
}

// table returns the lines of the closest table of a key that has a header, the header included,
// or of the top of the document.
func (d *document) table(path []string) (from, to int, table []string) {
	for i, l := range d.lines {
		if l.header && !l.listed && len(l.path) < len(path) && len(l.path) > len(table) && hasPrefix(path, l.path) {
			from, table = i, l.path
		}
	}
	begin := from
	if table != nil {
		begin++
	}
	if n := slices.IndexFunc(d.lines[begin:], func(l line) bool { return l.header }); n >= 0 {
		return from, begin + n, table
	}
	return from, len(d.lines), table
}

// common is how many parts two keys have in common at their beginning.
func common(a, b []string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// opening is where the first line above the header with an index goes: before the comment that
// belongs to the header, and at the end of a document without one.
func (d *document) opening(header int) int {
	if header == len(d.lines) {
		return len(d.text)
	}
	for header > 0 && d.lines[header-1].comment >= 0 {
		header--
	}
	return d.lines[header].start
}

// check decodes a changed text and returns the key's value in it, nil if it has none. It reports
// false if it is not TOML, or if anything but the key changed.
func (d *document) check(text string, path []string) (any, bool) {
	before, err := decodeValues(d.text)
	after, syntax := decode([]byte(text))
	if err != nil || syntax != nil {
		return nil, false
	}
	value, _ := after.at(path)
	remove(before, path)
	remove(after.values, path)
	return value, reflect.DeepEqual(before, after.values)
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

// Unset returns a TOML document without a key, and everything else byte for
// byte as it was; a comment behind the value stays on a line of its own. It
// reports whether the document had the key. A key that is not a setting can be removed,
// too. The error is an *UnknownKeyError when the key is neither a setting nor in the
// document, or an *EditError.
func Unset(text []byte, key string) ([]byte, bool, error) {
	doc, err := open(text, key)
	if err != nil {
		return nil, false, err
	}
	path := splitKey(key)
	if _, ok := doc.at(path); !ok {
		_, err := lookup(key)
		return bytes.Clone(text), false, err
	}
	problem := unusual
	if i := doc.find(path); i >= 0 {
		l := doc.lines[i]
		after := doc.text[:l.start] + doc.text[l.end:]
		if l.comment >= 0 {
			after = doc.text[:l.key] + doc.text[l.comment:]
		}
		if l.remarked {
			problem = remarked
		} else if have, ok := doc.check(after, path); ok && have == nil {
			return []byte(after), true, nil
		}
	}
	return nil, false, &EditError{Key: key, Cause: problem, Line: doc.line(path)}
}
