package pi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/coctostan/pictx/repo"
)

// list is the array "packages" or "extensions" of pi's settings.
type list struct {
	key string
	*hujson.Array
}

// parseSettings parses pi's settings, and returns the lists of extensions. What is not changed
// keeps its bytes when root is packed again. Empty settings have no lists.
func parseSettings(text []byte) (root hujson.Value, lists []list, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	if root, err = hujson.Parse(bytes.Clone(text)); err != nil {
		return root, nil, err
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok || !root.IsStandard() {
		return root, nil, errors.New("it is not a JSON object")
	}
	for _, m := range object.Members {
		name, _ := m.Name.Value.(hujson.Literal)
		array, ok := m.Value.Value.(*hujson.Array)
		if key := name.String(); ok && (key == "packages" || key == "extensions") {
			lists = append(lists, list{key, array})
		}
	}
	return root, lists, nil
}

// rawOf returns the JSON of an element as it is written.
func rawOf(v hujson.Value) string {
	v.BeforeExtra, v.AfterExtra = nil, nil
	return string(v.Pack())
}

// sourceOf returns the source that the JSON of an element names, and whether the element switches
// off all of its extensions. It is a string, or an object {"source": …, "extensions": […]}.
func sourceOf(raw string) (name string, off bool) {
	if json.Unmarshal([]byte(raw), &name) == nil {
		return name, false
	}
	var object struct {
		Source     string    `json:"source"`
		Extensions *[]string `json:"extensions"`
	}
	if json.Unmarshal([]byte(raw), &object) != nil {
		return "", false
	}
	off = object.Extensions != nil && !slices.ContainsFunc(*object.Extensions, func(p string) bool {
		return p == "" || p[0] != '-' && p[0] != '!'
	})
	return object.Source, off
}

// Removed is an entry that setup removed from a file of pi's settings.
type Removed struct {
	File  string `json:"file"`
	Key   string `json:"key"`   // the name of its list
	Value string `json:"value"` // its JSON, as it was written
}

// Source returns what the entry names, or its JSON if it names nothing.
func (r Removed) Source() string {
	if name, _ := sourceOf(r.Value); name != "" {
		return name
	}
	return r.Value
}

// WithoutEntries returns pi's settings without some packages and paths, and what it left out.
// Nothing else changes but white space beside them.
func (t Target) WithoutEntries(text []byte, drop []Entry) (after []byte, removed []Removed, err error) {
	root, lists, err := parseSettings(text)
	if err != nil {
		return nil, nil, fmt.Errorf("edit settings: %w", err)
	}
	for _, l := range lists {
		l.Elements = slices.DeleteFunc(l.Elements, func(v hujson.Value) bool {
			raw := rawOf(v)
			source, _ := sourceOf(raw)
			going := slices.ContainsFunc(drop, func(e Entry) bool { return e.Source == source && e.list() == l.key })
			if going {
				removed = append(removed, Removed{t.SettingsFile(), l.key, raw})
			}
			return going
		})
		if n := len(l.Elements); n > 0 {
			l.Elements[n-1].AfterExtra = nil // else hujson writes a comma after it
		}
	}
	if len(removed) == 0 {
		return text, nil, nil
	}
	return root.Pack(), removed, nil
}

// WithEntries returns pi's settings with removed entries at the end of their lists again, but for
// those that are there, and returns those whose list is gone.
func WithEntries(text []byte, entries []Removed) (after []byte, missing []Removed) {
	root, lists, err := parseSettings(text)
	if err != nil {
		return text, entries
	}
	for _, r := range entries {
		there := func(v hujson.Value) bool { return Removed{Value: rawOf(v)}.Source() == r.Source() }
		i := slices.IndexFunc(lists, func(l list) bool { return l.key == r.Key })
		v, err := hujson.Parse([]byte(r.Value))
		switch {
		case i < 0 || err != nil:
			missing = append(missing, r)
		case !slices.ContainsFunc(lists[i].Elements, there):
			if n := len(lists[i].Elements); n > 0 {
				v.BeforeExtra = lists[i].Elements[n-1].BeforeExtra // spaced like the last
			}
			lists[i].Elements = append(lists[i].Elements, v)
		}
	}
	return root.Pack(), missing
}

// ReadUndo reads which entries installations removed from pi's settings, so that uninstalling can
// add them again. They are recorded in a file of the user's, which a project cannot change. It need
// not exist.
func ReadUndo(file string) (all []Removed, err error) {
	text, err := repo.ReadRegular(file, 16*maxText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("read what setup changed: %w", err)
	}
	return all, nil
}

// WriteUndo writes the record. When nothing is left to undo it deletes it, and its directory if that
// is empty.
func WriteUndo(file string, all []Removed) error {
	if len(all) == 0 {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		_ = os.Remove(filepath.Dir(file)) // it may hold the history
		return nil
	}
	text, err := json.Marshal(all)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err == nil {
		err = repo.Replace(file, append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("remember what setup changes: %w", err)
	}
	return nil
}
