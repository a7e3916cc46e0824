package pi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// settings are pi's settings as they are written: what is not changed keeps its bytes.
type settings struct {
	lead int // bytes before the JSON: a byte order mark
	text []byte
	root hujson.Value
}

// list is the array "packages" or "extensions" of the settings.
type list struct {
	key string
	*hujson.Array
}

// item is the JSON of an element.
type item string

// parseSettings parses pi's settings. Empty ones have no lists.
func parseSettings(text []byte) (s settings, err error) {
	s.text, s.lead = text, len(text)-len(bytes.TrimPrefix(text, []byte("\ufeff")))
	if len(bytes.TrimSpace(text[s.lead:])) == 0 {
		return s, nil
	}
	if s.root, err = hujson.Parse(bytes.Clone(text[s.lead:])); err != nil {
		return settings{}, err
	}
	if _, ok := s.root.Value.(*hujson.Object); !ok || !s.root.IsStandard() {
		return settings{}, errors.New("it is not a JSON object")
	}
	return s, nil
}

// pack returns the text.
func (s settings) pack() []byte {
	if s.root.Value == nil {
		return s.text
	}
	return append(bytes.Clone(s.text[:s.lead]), s.root.Pack()...)
}

// lists returns the lists of extensions.
func (s settings) lists() []list {
	root, _ := s.root.Value.(*hujson.Object)
	if root == nil {
		return nil
	}
	var all []list
	for _, m := range root.Members {
		name, _ := m.Name.Value.(hujson.Literal)
		array, ok := m.Value.Value.(*hujson.Array)
		if key := name.String(); ok && (key == "packages" || key == "extensions") {
			all = append(all, list{key, array})
		}
	}
	return all
}

// items returns the elements.
func (l list) items() []item {
	out := make([]item, len(l.Elements))
	for i, e := range l.Elements {
		e.BeforeExtra, e.AfterExtra = nil, nil
		out[i] = item(e.Pack())
	}
	return out
}

// remove removes the elements that drop names, and returns them. The first that stays begins
// where the first began.
func (l list) remove(drop func(it item) bool) (removed []RemovedItem) {
	var left []hujson.Value
	for i, it := range l.items() {
		if drop(it) {
			removed = append(removed, RemovedItem{l.key, string(it)})
		} else {
			left = append(left, l.Elements[i])
		}
	}
	if len(removed) == 0 {
		return nil
	}
	if len(left) == 0 {
		l.AfterExtra = nil
	} else {
		left[0].BeforeExtra = l.Elements[0].BeforeExtra
		left[len(left)-1].AfterExtra = nil // else hujson writes a comma after it
	}
	l.Elements = left
	return removed
}

// add appends an element, spaced like the last.
func (l list) add(it item) {
	v, err := hujson.Parse([]byte(it))
	if err != nil {
		return // the record was changed by hand
	}
	if n := len(l.Elements); n > 0 {
		v.BeforeExtra = l.Elements[n-1].BeforeExtra
		if n == 1 && len(v.BeforeExtra) == 0 {
			v.BeforeExtra = hujson.Extra(" ")
		}
	}
	l.Elements = append(l.Elements, v)
}

// has reports whether the list has an entry with the same name.
func (l list) has(it item) bool {
	return slices.ContainsFunc(l.items(), func(o item) bool { return o.name() == it.name() })
}

// removeItems deletes the elements for which drop returns true from the lists of the
// settings, and returns them with the text. Nothing else changes but white space beside them.
func removeItems(text []byte, drop func(key string, it item) bool) (after []byte, removed []RemovedItem, err error) {
	s, err := parseSettings(text)
	if err != nil {
		return nil, nil, fmt.Errorf("edit settings: %w", err)
	}
	for _, l := range s.lists() {
		removed = append(removed, l.remove(func(it item) bool { return drop(l.key, it) })...)
	}
	return s.pack(), removed, nil
}

// name returns the source of an entry, or its JSON if it names none.
func (it item) name() string {
	if name, _ := it.source(); name != "" {
		return name
	}
	return string(it)
}

// source returns the source that an element names, and whether the element switches off all
// of its extensions. It is a string, or an object {"source": …, "extensions": […]}.
func (it item) source() (name string, off bool) {
	if json.Unmarshal([]byte(it), &name) == nil {
		return name, false
	}
	var object struct {
		Source     string    `json:"source"`
		Extensions *[]string `json:"extensions"`
	}
	if json.Unmarshal([]byte(it), &object) != nil {
		return "", false
	}
	off = object.Extensions != nil && !slices.ContainsFunc(*object.Extensions, func(p string) bool {
		return p == "" || p[0] != '-' && p[0] != '!'
	})
	return object.Source, off
}
