package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/template"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/coctostan/pictx/core/text"
)

// Terminal describes the output to a template.
type Terminal struct {
	Is    bool // whether it is a terminal, for which strings are made safe
	Color bool
	Width int // in columns, 0 for any
	Now   func() time.Time
}

// layout is the View of a template. It keeps the rows of tables until they are rendered, so
// that the rows of all documents are aligned.
type layout struct {
	template *template.Template
	terminal Terminal
	rows     [][]string
}

// NewTemplate parses a Go template. Besides Go's own functions it has those of gh:
// autocolor, color, join, pluck, tablerow, tablerender, timeago, timefmt and truncate.
func NewTemplate(source string, t Terminal) (View, error) {
	l := &layout{terminal: t}
	parsed, err := template.New("--template").Funcs(template.FuncMap{
		"autocolor": l.autocolor, "color": color,
		"join": join, "pluck": pluck,
		"tablerow": l.tablerow, "tablerender": l.tablerender,
		"timeago": l.timeago, "timefmt": timefmt,
		"truncate": func(width int, s any) string { return ansi.Truncate(shown(s), width, "…") },
	}).Parse(source)
	if err != nil {
		return nil, fmt.Errorf("parse --template: %w", err)
	}
	l.template = parsed
	return l, nil
}

// Show writes the template's output for a document, with a line break at the end.
func (l *layout) Show(w io.Writer, document []byte) error {
	doc, err := decode(document)
	if err != nil {
		return fmt.Errorf("apply --template: %w", err)
	}
	if l.terminal.Is {
		doc = printable(doc)
	}
	var b bytes.Buffer
	if err := l.template.Execute(&b, doc); err != nil {
		return fmt.Errorf("apply --template: %w", err)
	}
	if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
		b.WriteByte('\n')
	}
	_, err = w.Write(b.Bytes())
	return err
}

// End renders rows that are left without a tablerender.
func (l *layout) End(w io.Writer) error {
	_, err := io.WriteString(w, l.tablerender())
	return err
}

// autocolor styles a text where there is colour.
func (l *layout) autocolor(style string, v any) (string, error) {
	if !l.terminal.Color {
		return shown(v), nil
	}
	return color(style, v)
}

// color styles a text. style is bold, dim, underline, or the name of a colour.
func color(style string, v any) (string, error) {
	codes := map[string]int{
		"bold": 1, "dim": 2, "underline": 4,
		"black": 30, "red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36, "white": 37,
	}
	code, known := codes[style]
	if !known {
		return "", fmt.Errorf("unknown style %q: want bold, dim, underline or the name of a colour", style)
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", code, shown(v)), nil
}

// join joins the elements of a list with sep.
func join(sep string, list []any) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = shown(v)
	}
	return strings.Join(parts, sep)
}

// pluck returns a field of each object in a list.
func pluck(field string, list []any) []any {
	var out []any
	for _, v := range list {
		if object, ok := v.(map[string]any); ok {
			out = append(out, object[field])
		}
	}
	return out
}

func (l *layout) tablerow(cells ...any) string {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = text.Line(shown(c))
	}
	l.rows = append(l.rows, row)
	return ""
}

func (l *layout) tablerender() string {
	rows := l.rows
	l.rows = nil
	return aligned(rows, l.terminal.Width)
}

// timeago says roughly how long ago a time was.
func (l *layout) timeago(at string) (string, error) {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return "", err
	}
	return text.Ago(t, l.terminal.Now()), nil
}

// timefmt formats a time by a layout of Go, in local time.
func timefmt(form, at string) (string, error) {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return "", err
	}
	return t.Local().Format(form), nil
}

// shown formats a value as templates do, with "" for null.
func shown(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// decode decodes a document. Whole numbers become an int, so that ids are not rounded.
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

// printable makes every string in v safe for a terminal.
func printable(v any) any {
	return each(v, func(v any) any {
		if s, isText := v.(string); isText {
			return text.Printable(s)
		}
		return v
	})
}

// each replaces every leaf of v, in place.
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
