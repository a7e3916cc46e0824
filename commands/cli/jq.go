package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/itchyny/gojq"

	"github.com/coctostan/pictx/core/text"
)

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
