package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	var unknown []leaf
	for _, l := range byLine(doc, doc.leaves(known)) {
		if s, ok := find(strings.Join(l.path, ".")); ok && known(l.path) {
			r.tomlValue(layer, doc, s, l)
		} else if !l.emptySection() {
			unknown = append(unknown, l)
		}
	}
	r.warnUnknown(layer, doc, unknown)
}

// known reports whether path is a setting. A quoted part with a dot in it never is.
func known(path []string) bool {
	return slices.ContainsFunc(settings, func(s spec) bool { return slices.Equal(s.path(), path) })
}

// byLine sorts leaves by their position.
func byLine(doc *document, leaves []leaf) []leaf {
	lines := map[string]int{}
	for i, e := range doc.entries {
		if _, seen := lines[formatKey(e.path)]; !seen {
			lines[formatKey(e.path)] = i
		}
	}
	slices.SortStableFunc(leaves, func(a, b leaf) int {
		return cmp.Compare(lines[formatKey(a.path)], lines[formatKey(b.path)])
	})
	return leaves
}

// tomlValue reads the value of a known key.
func (r *Resolved) tomlValue(layer Layer, doc *document, s spec, l leaf) {
	warning := Warning{Path: layer.Path, Line: doc.line(l.path), Key: s.Name}
	if s.UserOnly && layer.Kind.project() {
		warning.Message = "counts only in the user's pictx.toml; ignored in a project"
		r.warn(warning)
		return
	}
	value, ok := s.check(l.value)
	if !ok {
		r.warn(s.wrong(warning, l.value))
		return
	}
	r.claim(s, value, Origin{layer.Kind, layer.Path})
}

// wrong completes a warning about a value.
func (s spec) wrong(w Warning, value any) Warning {
	w.Message = fmt.Sprintf("expected %s, got %s; ignored", s.expected(), show(value))
	w.Hint = "pictx config get " + s.Name
	return w
}

// unknown is the warning about a key that does not exist, or names a table.
func (r *Resolved) unknown(layer Layer, doc *document, l leaf) Warning {
	w := Warning{Path: layer.Path, Line: doc.line(l.path), Key: labelKey(l.path)}
	if section(l.path) {
		w.Message = "expected a table, got " + show(l.value) + "; ignored"
		return w
	}
	return r.unknownKey(w, strings.Join(l.path, "."))
}

// unknownKey completes a warning about a key that does not exist.
func (r *Resolved) unknownKey(w Warning, name string) Warning {
	w.Message = "unknown key; ignored"
	if gone(name) {
		w.Message = "no longer a setting: it did not make sessions cheaper; ignored"
		w.Hint = "remove it from the file"
		return w
	}
	if near := suggest(name); near != "" {
		w.Message += "; did you mean " + near + "?"
		w.Hint = "pictx config get " + near
	}
	return w
}

// gone reports whether a name is that of a former setting, of pruning when a context was
// almost full, which saved nothing.
func gone(name string) bool { return name == "prune.max_context" || name == "prune.reserve" }

// section reports whether path is a table of keys.
func section(path []string) bool {
	return slices.ContainsFunc(settings, func(s spec) bool { return hasPrefix(s.path(), path) })
}

// emptySection reports whether a leaf is a table of keys with nothing in it.
func (l leaf) emptySection() bool {
	_, isTable := l.value.(map[string]any)
	return isTable && section(l.path)
}

// warnUnknown warns of unknown keys, by name only of the first ones: a file of another
// program must not fill the screen.
func (r *Resolved) warnUnknown(layer Layer, doc *document, unknown []leaf) {
	shown := min(len(unknown), maxUnknown)
	for _, l := range unknown[:shown] {
		r.warn(r.unknown(layer, doc, l))
	}
	if rest := len(unknown) - shown; rest > 0 {
		r.warn(Warning{Path: layer.Path, Message: fmt.Sprintf("%d more unknown keys; ignored", rest)})
	}
}

// The settings files of those original extensions that have their own; the settings of
// the others are in pi's settings.json.
const (
	kotaFile = "pi-kota.json"
	memoFile = "decision-memory.config.json"
)

// inFile returns the dotted name of a key in a file of the original extensions, "" when it
// has none there.
func (s spec) inFile(path string) string {
	if strings.HasSuffix(path, kotaFile) {
		return s.kota
	}
	if strings.HasSuffix(path, memoFile) {
		return s.memo
	}
	return s.seed
}

// settingsFile reads the known keys of a settings.json of pi, a pi-kota.json or a
// decision-memory.config.json. The rest of such a file is for other programs.
func (r *Resolved) settingsFile(layer Layer) {
	data := bytes.TrimPrefix(layer.Data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		return
	}
	root, err := object(data)
	if err != nil {
		r.warn(jsonWarning(layer.Path, data, err))
		return
	}
	told := map[string]bool{}
	for _, s := range settings {
		if name := s.inFile(layer.Path); name != "" && (!s.UserOnly || !layer.Kind.project()) {
			r.seedValue(layer, s, name, root, told)
		}
	}
}

// seedValue reads the value of one key. told has the objects that were warned about
// already, because several keys may be in one.
func (r *Resolved) seedValue(layer Layer, s spec, name string, table map[string]json.RawMessage, told map[string]bool) {
	parts := strings.Split(name, ".")
	for i, part := range parts[:len(parts)-1] {
		raw, section := table[part], strings.Join(parts[:i+1], ".")
		if raw == nil {
			return
		}
		var err error
		if table, err = object(raw); err != nil {
			r.notObject(layer, section, raw, told)
			return
		}
	}
	raw := table[parts[len(parts)-1]]
	if raw == nil || isNull(raw) {
		return
	}
	value, ok := s.check(decodeJSON(raw))
	if !ok {
		r.warn(s.wrong(Warning{Path: layer.Path, Key: name}, decodeJSON(raw)))
		return
	}
	if s.both && r.offIn(s, layer.Kind) {
		return // two extensions controlled this, and both had to be on
	}
	r.claim(s, value, Origin{layer.Kind, layer.Path})
}

// offIn reports whether a file of the kind has switched the key off already.
func (r *Resolved) offIn(s spec, kind Kind) bool {
	return slices.ContainsFunc(r.claims[s.Name], func(c claim) bool { return c.origin.Kind == kind && c.value == false })
}

// notObject warns once of a section that is not an object.
func (r *Resolved) notObject(layer Layer, name string, raw json.RawMessage, told map[string]bool) {
	if told[name] {
		return
	}
	told[name] = true
	message := "expected an object, got " + show(decodeJSON(raw)) + "; ignored"
	r.warn(Warning{Path: layer.Path, Key: name, Message: message})
}

// object decodes one level, case-sensitively; null is an empty object.
func object(data []byte) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	err := json.Unmarshal(data, &members)
	return members, err
}

// decodeJSON decodes a value known to be valid, without rounding numbers.
func decodeJSON(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return value
}

// isNull reports whether the value is null, which counts as missing.
func isNull(raw json.RawMessage) bool { return bytes.Equal(bytes.TrimSpace(raw), []byte("null")) }

// jsonWarning locates the error in a broken settings.json.
func jsonWarning(path string, data []byte, err error) Warning {
	w := Warning{Path: path, Message: printable(err.Error()) + "; nothing in the file counts"}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		w.Line, w.Column = position(string(data), int(syntax.Offset)-1)
		return w
	}
	w.Message = "expected an object; nothing in the file counts"
	return w
}

// Malformed returns why a file cannot be read, with its line and column; nil when it
// can.
func Malformed(l Layer) error {
	if !l.Kind.seed() {
		if _, err := decode(l.Data); err != nil {
			return fmt.Errorf("%s:%d:%d: %s", l.Path, err.line, err.column, err.message)
		}
		return nil
	}
	data := bytes.TrimPrefix(l.Data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	if _, err := object(data); err != nil {
		w := jsonWarning(l.Path, data, err)
		return fmt.Errorf("%s:%d:%d: %s", l.Path, w.Line, w.Column, w.Message)
	}
	return nil
}
