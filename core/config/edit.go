package config

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
)

// splice replaces a range of a text.
type splice struct {
	at, end int
	text    string
}

// Set returns a TOML document with a key set and everything else unchanged, byte for byte:
// comments, blank lines, line endings. The value is in the form a person types: true,
// 20000, auto, or a,b,c or a TOML list for a list. If the key already has the value the
// document is unchanged. The error is an *UnknownKeyError, a *ValueError, or an *EditError
// when the document cannot be edited without risk to the rest of it.
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
	return doc.set(s, want)
}

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
	if !doc.located {
		return nil, &EditError{Key: key, Cause: "the file is written in a form pictx cannot edit safely"}
	}
	return doc, nil
}

// set tries the possible positions of the key, best first, and takes the first that works:
// TOML has many rules about which tables may be reopened, and the decoder knows them all.
func (d *document) set(s spec, want any) ([]byte, error) {
	var places []splice
	if e, ok := d.pair(s.path()); ok {
		if d.remarked(e.value, e.valueEnd) {
			return nil, d.refuse(s.Name, e.start, "its value holds comments that would be lost")
		}
		places = []splice{{e.value, e.valueEnd, format(want)}}
	} else {
		places = d.places(s.path(), format(want))
	}
	for _, edit := range places {
		after, ok := d.try(s.path(), edit)
		if !ok {
			continue
		}
		if have, found := after.at(s.path()); found && s.means(have, want) {
			return []byte(after.text), nil
		}
	}
	return nil, d.refuse(s.Name, -1, "the file defines its table in a form pictx cannot edit safely")
}

// pair returns the entry that gives a key its value.
func (d *document) pair(path []string) (entry, bool) {
	i := slices.IndexFunc(d.entries, func(e entry) bool {
		return !e.header && !e.listed && slices.Equal(e.path, path)
	})
	if i < 0 {
		return entry{}, false
	}
	return d.entries[i], true
}

// remarked reports whether there is a comment between two offsets.
func (d *document) remarked(start, end int) bool {
	return slices.ContainsFunc(d.comments, func(c comment) bool { return c.start >= start && c.end <= end })
}

// refuse returns the error for an unsafe edit; a negative offset means no position.
func (d *document) refuse(key string, offset int, cause string) error {
	e := &EditError{Key: key, Cause: cause}
	if offset >= 0 {
		e.Line, e.Column = position(d.text, offset)
	}
	return e
}

// try applies edits, given last first, and reports whether every comment and every other
// key are unchanged.
func (d *document) try(path []string, edits ...splice) (*document, bool) {
	text := d.text
	for _, e := range edits {
		text = text[:e.at] + e.text + text[e.end:]
	}
	after, err := decode([]byte(text))
	if err != nil {
		return nil, false
	}
	same := reflect.DeepEqual(d.facts(path), after.facts(path)) && slices.Equal(d.remarks(), after.remarks())
	return after, same
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
	after, err := doc.unset(key, path)
	return after, err == nil, err
}

// unset removes a key that is there.
func (d *document) unset(key string, path []string) ([]byte, error) {
	e, ok := d.pair(path)
	if !ok {
		return nil, d.refuse(key, -1, "it is a table, or stands in one that pictx cannot edit safely")
	}
	if d.remarked(e.value, e.valueEnd) {
		return nil, d.refuse(key, e.start, "its value holds comments that would be lost")
	}
	after, ok := d.try(path, d.removal(e)...)
	if ok {
		_, still := after.at(path)
		ok = !still
	}
	if !ok {
		return nil, d.refuse(key, e.start, "the file defines it in a form pictx cannot edit safely")
	}
	return []byte(after.text), nil
}

// removal returns the edits that remove an entry: its line, its line up to a comment, or
// its part of an inline table, last edit first.
func (d *document) removal(e entry) []splice {
	if e.inline {
		return d.inlineRemoval(e)
	}
	for _, c := range d.comments {
		if c.start >= e.valueEnd && c.end <= e.lineEnd {
			return []splice{{e.start, c.start, ""}}
		}
	}
	return []splice{{e.lineStart, e.lineEnd, ""}}
}

// inlineRemoval removes an entry and the comma after it, or else before it.
func (d *document) inlineRemoval(e entry) []splice {
	rest := &scanner{text: d.text, pos: e.valueEnd}
	rest.blanks()
	if rest.peek() == ',' {
		comma := splice{rest.pos, rest.pos + 1, ""}
		if d.remarked(e.valueEnd, rest.pos) {
			return []splice{comma, {e.start, e.valueEnd, ""}}
		}
		rest.pos++
		rest.spaces()
		return []splice{{e.start, rest.pos, ""}}
	}
	own := splice{e.start, e.valueEnd, ""}
	if comma := d.commaBefore(e.start); comma >= 0 {
		if strings.TrimSpace(d.text[comma+1:e.start]) == "" {
			return []splice{{comma, e.valueEnd, ""}}
		}
		return []splice{own, {comma, comma + 1, ""}}
	}
	return []splice{own}
}

// commaBefore finds the comma before an entry between braces, skipping comments; -1 if
// the entry is the first.
func (d *document) commaBefore(start int) int {
	behind := d.comments
	for i := start - 1; i >= 0; i-- {
		for len(behind) > 0 && behind[len(behind)-1].start > i {
			behind = behind[:len(behind)-1]
		}
		if n := len(behind); n > 0 && i < behind[n-1].end {
			i = behind[n-1].start
			continue
		}
		switch d.text[i] {
		case ',':
			return i
		case ' ', '\t', '\r', '\n':
		default:
			return -1
		}
	}
	return -1
}
