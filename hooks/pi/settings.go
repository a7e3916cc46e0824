package pi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// list is an array in the settings.
type list struct {
	key         string // packages or extensions
	open, close int    // the offset after "[" and that of "]"
	items       []item
}

// item is an element of a list, with its offsets in the settings.
type item struct {
	start, end int
	value      jsontext.Value
}

var errNoObject = errors.New("it is not a JSON object")

// readLists finds the lists "packages" and "extensions" in pi's settings.
func readLists(text []byte) ([]list, error) {
	lead := len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	if len(bytes.TrimSpace(text[lead:])) == 0 {
		return nil, nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(text[lead:]), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, errors.Join(err, errNoObject)
	}
	var all []list
	for d.PeekKind() != '}' {
		key, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := key.String()
		if d.PeekKind() != '[' || name != "packages" && name != "extensions" {
			if err := d.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}
		l, err := readList(d, lead)
		if err != nil {
			return nil, err
		}
		l.key = name
		all = append(all, l)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something behind the settings")
	}
	return all, nil
}

// readList reads an array. lead is the offset at which the decoder started.
func readList(d *jsontext.Decoder, lead int) (list, error) {
	var l list
	if _, err := d.ReadToken(); err != nil {
		return l, err
	}
	l.open = lead + int(d.InputOffset())
	for d.PeekKind() != ']' {
		v, err := d.ReadValue()
		if err != nil {
			return l, err
		}
		end := lead + int(d.InputOffset())
		l.items = append(l.items, item{end - len(v), end, bytes.Clone(v)})
	}
	if _, err := d.ReadToken(); err != nil {
		return l, err
	}
	l.close = lead + int(d.InputOffset()) - 1
	return l, nil
}

// removeItems deletes the elements for which drop returns true from the lists of the
// settings, and leaves every other byte unchanged.
func removeItems(text []byte, drop func(key string, v jsontext.Value) bool) ([]byte, error) {
	lists, err := readLists(text)
	if err != nil {
		return nil, fmt.Errorf("edit settings: %w", err)
	}
	var cuts [][2]int
	for _, l := range lists {
		cuts = append(cuts, l.cuts(func(i int) bool { return drop(l.key, l.items[i].value) })...)
	}
	out := bytes.Clone(text)
	for _, c := range slices.Backward(cuts) {
		out = slices.Delete(out, c[0], c[1])
	}
	after, err := readLists(out)
	if err != nil {
		return nil, fmt.Errorf("edit settings: %w", err)
	}
	for i, l := range after {
		for j := range l.items {
			if drop(l.key, l.items[j].value) {
				return nil, fmt.Errorf("edit settings: entry %d of list %d is still there", j, i)
			}
		}
	}
	return out, nil
}

// cuts returns the spans to delete, in order. Each element goes with its comma and white
// space.
func (l list) cuts(dropped func(i int) bool) [][2]int {
	last := -1 // the last element that stays
	for i := range l.items {
		if !dropped(i) {
			last = i
		}
	}
	if last < 0 && len(l.items) > 0 {
		return [][2]int{{l.open, l.close}}
	}
	var cuts [][2]int
	for i, it := range l.items {
		switch {
		case !dropped(i):
		case i < last:
			cuts = append(cuts, [2]int{it.start, l.items[i+1].start})
		default:
			cuts = append(cuts, [2]int{l.items[i-1].end, it.end})
		}
	}
	return cuts
}

// source returns the source that an element names, and whether the element switches off all
// of its extensions. It is a string, or an object {"source": …, "extensions": […]}.
func (it item) source() (name string, off bool) {
	if json.Unmarshal(it.value, &name) == nil {
		return name, false
	}
	var object struct {
		Source     string    `json:"source"`
		Extensions *[]string `json:"extensions"`
	}
	if json.Unmarshal(it.value, &object) != nil {
		return "", false
	}
	off = object.Extensions != nil && !slices.ContainsFunc(*object.Extensions, func(p string) bool {
		return p == "" || p[0] != '-' && p[0] != '!'
	})
	return object.Source, off
}
