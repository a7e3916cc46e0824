package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxUnknown is how many unknown keys of one file are reported individually.
const maxUnknown = 20

// tomlFile reads the values of a pictx.toml.
func (r *Resolved) tomlFile(layer Layer) {
	doc, err := decode(layer.Data)
	if err != nil {
		r.warn(Warning{
			Path: layer.Path, Line: err.line, Column: err.column,
			Message: err.message + "; nothing in the file counts", Hint: "pictx config edit",
		})
		return
	}
	var wrong []Warning
	for _, l := range doc.leaves(known) {
		w, ok := Warning{Path: layer.Path, Key: labelKey(l.path)}, true
		switch s, found := find(strings.Join(l.path, ".")); {
		case !found || !known(l.path):
			w, ok = unknown(w, l)
		case s.UserOnly && layer.Kind.project():
			w.Message, ok = "counts only in the user's pictx.toml; ignored in a project", false
		default:
			w, ok = r.value(s, l.value, layer, w)
		}
		if ok {
			continue
		}
		w.Line = doc.line(l.path)
		wrong = append(wrong, w)
	}
	slices.SortStableFunc(wrong, func(a, b Warning) int { return cmp.Compare(a.Line, b.Line) })
	r.warnAll(layer, wrong)
}

// value takes the value of a key in a file, or completes the warning about it.
func (r *Resolved) value(s spec, value any, layer Layer, w Warning) (Warning, bool) {
	checked, ok := s.check(value)
	if !ok {
		return s.wrong(w, value), false
	}
	r.claim(s, checked, Origin{layer.Kind, layer.Path})
	return w, true
}

// warnAll warns of the mistakes in a file, but only of the first unknown keys by name: a file of
// another program must not fill the screen.
func (r *Resolved) warnAll(layer Layer, wrong []Warning) {
	unnamed := 0
	for _, w := range wrong {
		if strings.HasPrefix(w.Message, unknownKey) {
			if unnamed++; unnamed > maxUnknown {
				continue
			}
		}
		r.warn(w)
	}
	if rest := unnamed - maxUnknown; rest > 0 {
		r.warn(Warning{Path: layer.Path, Message: fmt.Sprintf("%d more unknown keys; ignored", rest)})
	}
}

// known reports whether path is a setting. A quoted part with a dot in it never is.
func known(path []string) bool {
	return slices.ContainsFunc(settings, func(s spec) bool { return slices.Equal(s.path(), path) })
}

// wrong completes a warning about a value.
func (s spec) wrong(w Warning, value any) Warning {
	w.Message = fmt.Sprintf("expected %s, got %s; ignored", s.expected(), show(value))
	w.Hint = "pictx config get " + s.Name
	return w
}

// unknown completes the warning about a key that does not exist, or names a table. An empty
// table of settings is right.
func unknown(w Warning, l leaf) (Warning, bool) {
	if !slices.ContainsFunc(settings, func(s spec) bool { return hasPrefix(s.path(), l.path) }) {
		return unknownName(w, strings.Join(l.path, ".")), false
	}
	_, isTable := l.value.(map[string]any)
	w.Message = "expected a table, got " + show(l.value) + "; ignored"
	return w, isTable
}

const unknownKey = "unknown key; ignored"

// unknownName completes a warning about a key that does not exist.
func unknownName(w Warning, name string) Warning {
	if now := former(name); now != "" {
		w.Message, w.Hint = "no longer a setting; ignored: "+now, "remove it from the file"
		return w
	}
	w.Message = unknownKey
	if near := suggest(name); near != "" {
		w.Message += "; did you mean " + near + "?"
		w.Hint = "pictx config get " + near
	}
	return w
}

// seedFile reads the known keys of a file of the original extensions. The rest of such a file is
// for other programs.
func (r *Resolved) seedFile(layer Layer) {
	root, broken := object(layer)
	if broken != nil {
		r.warn(*broken)
		return
	}
	file := settingsFile
	for _, name := range []string{kotaFile, memoFile} {
		if strings.HasSuffix(layer.Path, name) {
			file = name
		}
	}
	told := "" // a section of several keys is warned about once
	for _, n := range seedNames {
		s, _ := findIn(r.every, n.key)
		if n.file != file || s.UserOnly && layer.Kind.project() {
			continue
		}
		value, section := within(root, strings.Split(n.name, "."))
		w := Warning{Path: layer.Path, Key: n.name}
		switch _, isObject := value.(map[string]any); {
		case value == nil:
			continue
		case section != "" && !isObject:
			w.Key, w.Message = section, "expected an object, got "+show(value)+"; ignored"
			if told != section {
				r.warn(w)
			}
			told = section
			continue
		case s.both && value == false:
		case s.both && r.offIn(s, layer.Kind):
			continue // two extensions controlled this, and both had to be on
		}
		if w, ok := r.value(s, value, layer, w); !ok {
			r.warn(w)
		}
	}
}

// within returns the value at a path, nil if there is none, or the value of the section on the
// way to it that is not an object, with its name.
func within(table map[string]any, path []string) (value any, section string) {
	for i, part := range path {
		value = table[part]
		if i == len(path)-1 || value == nil {
			return value, ""
		}
		sub, ok := value.(map[string]any)
		if !ok {
			return value, strings.Join(path[:i+1], ".")
		}
		table = sub
	}
	return nil, ""
}

// offIn reports whether a file of the kind has switched the key off already.
func (r *Resolved) offIn(s spec, kind Kind) bool {
	return slices.ContainsFunc(r.claims[s.Name], func(c claim) bool { return c.origin.Kind == kind && c.value == false })
}

// object decodes a JSON file, without rounding numbers; an empty one, and null, say nothing.
func object(l Layer) (map[string]any, *Warning) {
	data := bytes.TrimPrefix(l.Data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	w := &Warning{Path: l.Path, Message: "expected an object; nothing in the file counts"}
	var raw json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			w.Line, w.Column = position(string(data), int(syntax.Offset)-1)
		}
		w.Message = printable(err.Error()) + "; nothing in the file counts"
		return nil, w
	}
	var root any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	_ = decoder.Decode(&root) // it is valid
	table, ok := root.(map[string]any)
	if !ok && root != nil {
		return nil, w
	}
	return table, nil
}
