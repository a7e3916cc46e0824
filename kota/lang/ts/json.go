package ts

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// value is JSON as written, with its members in order: the conditions of package.json are tried
// in that order.
type value struct{ v hujson.ValueTrimmed }

// parse reads JSON that may have comments and trailing commas.
func parse(data []byte) (value, bool) {
	v, err := hujson.Parse(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if err != nil {
		return value{}, false
	}
	return value{v.Value}, true
}

// text returns the string that a value is, false for any other value.
func (v value) text() (string, bool) {
	if l, ok := v.v.(hujson.Literal); ok && l.Kind() == '"' {
		return l.String(), true
	}
	return "", false
}

// item is a member of an object.
type item struct {
	name string
	v    value
}

// items lists the members of an object, none for any other value.
func (v value) items() []item {
	o, ok := v.v.(*hujson.Object)
	if !ok {
		return nil
	}
	out := make([]item, 0, len(o.Members))
	for _, m := range o.Members {
		if name, ok := m.Name.Value.(hujson.Literal); ok {
			out = append(out, item{name.String(), value{m.Value.Value}})
		}
	}
	return out
}

// elements lists the elements of an array, none for any other value.
func (v value) elements() []value {
	a, ok := v.v.(*hujson.Array)
	if !ok {
		return nil
	}
	out := make([]value, 0, len(a.Elements))
	for _, e := range a.Elements {
		out = append(out, value{e.Value})
	}
	return out
}

// get returns a member of an object. Of several with one name the last counts.
func (v value) get(name string) value {
	var found value
	for _, m := range v.items() {
		if m.name == name {
			found = m.v
		}
	}
	return found
}

// str returns a member that is a string, "" otherwise.
func (v value) str(name string) string {
	s, _ := v.get(name).text()
	return s
}

// strings lists the strings in an array.
func (v value) strings() []string {
	var out []string
	for _, e := range v.elements() {
		if s, ok := e.text(); ok {
			out = append(out, s)
		}
	}
	return out
}
