package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

const (
	// ignored ends what is said of a mistake in a layer.
	ignored = "; ignored"
	// maxUnknown is how many unknown keys of one file are reported individually: a file of another
	// program must not fill the screen.
	maxUnknown = 20
)

// file reads the values of a configuration file.
func (r *Resolved) file(l Layer) {
	read, file := decode, ownFile
	if l.Kind.seed() {
		read, file = decodeJSON, l.Path[strings.LastIndexAny(l.Path, `/\`)+1:]
	}
	doc, broken := read(l.Data)
	if broken != nil {
		broken.Path, broken.Message = l.Path, broken.Message+"; nothing in the file counts"
		if !l.Kind.seed() {
			broken.Hint = "pictx config edit"
		}
		r.Warnings = append(r.Warnings, *broken)
		return
	}
	var wrong []Warning
	for _, n := range namesIn(file) {
		if w := r.value(n, doc, l); w.Message != "" && !slices.Contains(wrong, w) {
			wrong = append(wrong, w)
		}
	}
	rest := 0
	if !l.Kind.seed() { // the rest of other files is for other programs
		unknown := doc.unknown(nil, doc.values)
		rest = len(unknown) - maxUnknown
		wrong = append(wrong, unknown[:min(len(unknown), maxUnknown)]...)
		slices.SortStableFunc(wrong, func(a, b Warning) int { return cmp.Compare(a.Line, b.Line) })
	}
	if rest > 0 {
		wrong = append(wrong, Warning{Message: fmt.Sprintf("%d more unknown keys", rest) + ignored})
	}
	for _, w := range wrong {
		w.Path = l.Path
		r.Warnings = append(r.Warnings, w)
	}
}

// value takes the value that a file gives to a setting by a name, or returns a warning.
func (r *Resolved) value(name seedName, doc *document, l Layer) Warning {
	s, _ := find(every(), name.key)
	path := strings.Split(name.name, ".")
	value, n := doc.at(path)
	if value == nil || s.UserOnly && l.Kind == ProjectSeed {
		return Warning{}
	}
	checked, ok := s.check(value)
	if ok && n == len(path) && !(s.UserOnly && l.Kind == Project) {
		r.claim(s, checked, Origin{l.Kind, l.Path})
		return Warning{}
	}
	w := Warning{Line: doc.line(path[:n]), Key: strings.Join(path[:n], ".")}
	switch {
	case n < len(path):
		w.Message = "expected a group of settings, got " + show(value) + ignored
	case s.UserOnly && l.Kind == Project:
		w.Message = "counts only in the user's pictx.toml; ignored in a project"
	default:
		w = s.wrong(w, value)
	}
	return w
}

// wrong completes a warning about a value.
func (s *Key) wrong(w Warning, value any) Warning {
	w.Message = fmt.Sprintf("expected %s, got %s", s.expected(), show(value)) + ignored
	w.Hint = "pictx config get " + s.Name
	return w
}

// unknown returns a warning for every key of a table that is not a setting and does not lead to one.
func (d *document) unknown(prefix []string, table map[string]any) (wrong []Warning) {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		path := slices.Concat(prefix, []string{name})
		key := formatKey(path)
		sub, _ := table[name].(map[string]any)
		leads := func(s *Key) bool { return strings.HasPrefix(s.Name, key+".") }
		if _, ok := find(settings, key); ok || len(sub) == 0 && slices.ContainsFunc(settings, leads) {
			continue
		}
		if len(sub) > 0 {
			wrong = append(wrong, d.unknown(path, sub)...)
			continue
		}
		w := Warning{Line: d.line(path), Key: brief(key)}
		w.Message, w.Hint = unknown(strings.Join(path, "."), ignored)
		wrong = append(wrong, w)
	}
	return wrong
}

// decodeJSON reads a JSON object, without rounding numbers; an empty file, and null, say nothing.
func decodeJSON(data []byte) (*document, *Warning) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var root any
	err := decoder.Decode(&root)
	if err == nil && decoder.More() {
		err = errors.New("there is more than one value")
	}
	if errors.Is(err, io.EOF) { // the file is empty
		err = nil
	}
	values, ok := root.(map[string]any)
	if err == nil && root != nil && !ok {
		err = errors.New("expected an object")
	}
	if err == nil {
		return &document{values: values}, nil
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return nil, located(string(data), int(syntax.Offset)-1, err.Error())
	}
	return nil, &Warning{Message: printable(err.Error())}
}
