package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"github.com/coctostan/pictx/core/text"
)

// Version starts every JSON document that a command prints. Its number increases when
// fields are renamed, removed or change their meaning, not when fields are added.
const Version = `"schema_version":1`

// Versioned adds the schema version to a JSON object. Other values stay as they are.
func Versioned(object []byte) []byte {
	rest, isObject := bytes.CutPrefix(object, []byte("{"))
	if !isObject {
		return object
	}
	out := append(make([]byte, 0, len(object)+len(Version)+2), "{"+Version...)
	if !bytes.HasPrefix(bytes.TrimSpace(rest), []byte("}")) {
		out = append(out, ',')
	}
	return append(out, rest...)
}

// View filters or formats JSON documents on output.
type View interface {
	// Show writes a document.
	Show(w io.Writer, document []byte) error
	// End writes whatever Show has held back.
	End(w io.Writer) error
}

// whole is the View that prints documents unchanged.
type whole struct{}

func (whole) Show(w io.Writer, document []byte) error {
	_, err := w.Write(append(inert(document), '\n'))
	return err
}

// inert escapes characters that control a terminal or the direction of text. The document
// decodes to the same value.
func inert(document []byte) []byte {
	commands := func(r rune) bool { return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Bidi_Control) }
	if bytes.IndexFunc(document, commands) < 0 {
		return document
	}
	out := make([]byte, 0, len(document)+len(document)/8)
	for len(document) > 0 {
		r, n := utf8.DecodeRune(document)
		if commands(r) {
			out = fmt.Appendf(out, "\\u%04x", r)
		} else {
			out = append(out, document[:n]...)
		}
		document = document[n:]
	}
	return out
}

func (whole) End(io.Writer) error { return nil }

// query is the View of a jq expression. It prints strings raw, and other values as lines of
// JSON.
type query struct {
	ctx      context.Context
	code     *gojq.Code
	terminal bool
}

// NewQuery compiles a jq expression. environ is the value of its env. For a terminal,
// strings are made safe to show.
func NewQuery(ctx context.Context, expression string, environ []string, terminal bool) (View, error) {
	parsed, err := gojq.Parse(expression)
	if err != nil {
		return nil, fmt.Errorf("parse --jq: %w", err)
	}
	code, err := gojq.Compile(parsed, gojq.WithEnvironLoader(func() []string { return environ }))
	if err != nil {
		return nil, fmt.Errorf("parse --jq: %w", err)
	}
	return &query{ctx, code, terminal}, nil
}

func (q *query) Show(w io.Writer, document []byte) error {
	doc, err := decode(document)
	if err != nil {
		return fmt.Errorf("apply --jq: %w", err)
	}
	results := q.code.RunWithContext(q.ctx, doc)
	for {
		v, more := results.Next()
		if !more {
			return nil
		}
		line, err := q.line(v)
		if halt := (*gojq.HaltError)(nil); errors.As(err, &halt) && halt.Value() == nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("apply --jq: %w", err)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
}

// line formats a result.
func (q *query) line(v any) ([]byte, error) {
	switch v := v.(type) {
	case error:
		return nil, v
	case string:
		if q.terminal {
			v = text.Printable(v)
		}
		return []byte(v), nil
	}
	b, err := gojq.Marshal(v)
	return inert(b), err
}

func (*query) End(io.Writer) error { return nil }
