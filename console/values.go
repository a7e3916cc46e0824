package console

import (
	"bytes"
	"encoding/json"

	"github.com/coctostan/pictx/core/text"
)

// decode reads a document into maps, lists, texts, and numbers that are an int where
// they are whole, so that ids are not rounded.
func decode(document []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return each(v, func(v any) any {
		n, isNumber := v.(json.Number)
		if !isNumber {
			return v
		}
		if i, err := n.Int64(); err == nil {
			return int(i)
		}
		f, _ := n.Float64()
		return f
	}), err
}

// printable makes every text in v safe for a terminal.
func printable(v any) any {
	return each(v, func(v any) any {
		if s, isText := v.(string); isText {
			return text.Printable(s)
		}
		return v
	})
}

// each replaces the leaves of v, in place.
func each(v any, leaf func(any) any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = each(e, leaf)
		}
		return v
	case []any:
		for i, e := range v {
			v[i] = each(e, leaf)
		}
		return v
	}
	return leaf(v)
}
