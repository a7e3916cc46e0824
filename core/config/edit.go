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
	have, set := doc.at(s.path())
	if set && s.means(have, want) {
		return bytes.Clone(text), nil
	}
	right := func(after string) bool {
		have, ok := doc.check(after, s.path())
		return ok && s.means(have, want)
	}
	inline := func(l line) bool { return l.key != nil && hasPrefix(s.path(), l.key) } // no line may add to its table
	if !set && !slices.ContainsFunc(doc.lines(), inline) {
		if after := doc.add(s.path(), format(want)); right(after) {
			return []byte(after), nil
		}
	}
	problem := unusual
	for _, p := range doc.assignments(s.path()) {
		if p.remarked {
			problem = remarked
		} else if after := doc.text[:p.value] + format(want) + doc.text[p.valueEnd:]; right(after) {
			return []byte(after), nil
		}
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
	return doc, nil
}

// assignment is where a document seems to give a key its value.
type assignment struct {
	line
	valueEnd int
	comment  int  // where the comment behind the value begins, or -1
	remarked bool // there may be comments inside the value
}

// assignments returns the lines that may give a key its value.
func (d *document) assignments(path []string) (all []assignment) {
	for _, l := range d.lines() {
		if !l.listed && slices.Equal(l.key, path) {
			if p, ok := d.assignment(l); ok {
				all = append(all, p)
			}
		}
	}
	return all
}

// maxValue is the size in bytes above which a value is not edited: it is decoded again and again.
const maxValue = 4 << 10

// assignment finds the end of the value that begins on a line: where it can be decoded by itself.
func (d *document) assignment(l line) (p assignment, ok bool) {
	const v = "v = "
	p = assignment{line: l, comment: -1}
	var value map[string]any
	for err := error(nil); ; {
		if value, err = decodeValues(v + d.text[l.value:p.end]); err == nil {
			break
		}
		if p.end == len(d.text) || p.end-l.value > maxValue {
			return p, false
		}
		p.end += lineLength(d.text[p.end:])
	}
	text := d.text[l.value:p.end]
	if len(text) > maxValue {
		return p, false
	}
	for at := range len(text) {
		if text[at] != '#' {
			continue
		}
		if same, err := decodeValues(v + text[:at]); err == nil && reflect.DeepEqual(same, value) {
			p.comment, text = l.value+at, text[:at]
			break
		}
	}
	text = strings.TrimRight(text, " \t\r\n")
	p.valueEnd = l.value + len(text)
	p.remarked = strings.Contains(text, "\n") && strings.Contains(text, "#")
	return p, true
}

// lineLength is the length of the first line of a text, with its newline.
func lineLength(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n + 1
	}
	return len(text)
}

// add writes a key as a line of its own in the closest table that has a header, else above all
// headers: below its line in a default file, where it is commented out, else behind the last key
// there.
func (d *document) add(path []string, value string) string {
	all := d.lines()
	from, to, table := 0, 0, 0 // lines, and how much of the key the table has
	for i, l := range all {
		if l.header && !l.listed && len(l.table) < len(path) && len(l.table) > table && hasPrefix(path, l.table) {
			from, table = i+1, len(l.table)
		}
	}
	for to = from; to < len(all) && !all[to].header; {
		to++
	}
	rest := formatKey(path[table:])
	at, indent := -1, ""
	for _, l := range all[from:to] {
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
		if p, ok := d.assignment(l); ok {
			at = p.end
		}
	}
	return d.insert(all, at, from, to, indent+rest+" = "+value)
}

// insert adds a line at an offset, or as the first of a table, of lines from to to, when that is
// negative.
func (d *document) insert(all []line, at, from, to int, added string) string {
	nl := "\n"
	if strings.Contains(d.text, "\r\n") {
		nl = "\r\n"
	}
	switch {
	case at >= 0:
	case from > 0: // behind the header
		at = all[from-1].end
	case to == len(all):
		at = len(d.text)
	default: // before the comment that belongs to the first header
		for to > 0 && strings.HasPrefix(strings.TrimSpace(d.text[all[to-1].start:all[to-1].end]), "#") {
			to--
		}
		at, added = all[to].start, added+nl
	}
	if before := strings.TrimPrefix(d.text[:at], "\ufeff"); before != "" && !strings.HasSuffix(before, "\n") {
		return d.text[:at] + nl + added + d.text[at:]
	}
	return d.text[:at] + added + nl + d.text[at:]
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
	for _, p := range doc.assignments(path) {
		after := doc.text[:p.start] + doc.text[p.end:]
		if p.comment >= 0 {
			own := doc.text[p.start:p.end]
			after = doc.text[:p.start+len(own)-len(strings.TrimLeft(own, " \t"))] + doc.text[p.comment:]
		}
		if p.remarked {
			problem = remarked
		} else if have, ok := doc.check(after, path); ok && have == nil {
			return []byte(after), true, nil
		}
	}
	return nil, false, &EditError{Key: key, Cause: problem, Line: doc.line(path)}
}
