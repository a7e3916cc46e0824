package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
)

var (
	// ErrUnreadable is returned for a bare event that is not one JSON object.
	ErrUnreadable = errors.New("event is unreadable")
	// ErrLate is returned when there was no plan before the context was done.
	ErrLate = errors.New("too late")
)

// IsRequest reports whether an input is a request of the extension: its first member is "v". An
// event as pi writes it may have a member of any name, but begins with another.
func IsRequest(data []byte) bool {
	dec := bareDecoder(data)
	begin, err := dec.ReadToken()
	if err != nil || begin.Kind() != jsontext.KindBeginObject {
		return false
	}
	first, err := dec.ReadToken()
	return err == nil && first.Kind() == jsontext.KindString && first.String() == "v"
}

// Bare returns an event as pi writes it, without an envelope, unchanged but for the content of tool
// results that plan removes from the messages of a context event; nil plans nothing. All other
// bytes stay the same: providers cache requests by their bytes, and members that pictx does not
// know must survive.
//
// With ErrUnreadable there is nothing to return. With any other error the event is unchanged. A
// plan that is late may still be running.
func Bare(ctx context.Context, event string, data []byte, plan func([]policy.Message) policy.Plan) ([]byte, policy.Plan, error) {
	spans, err := messageSpans(data)
	if err != nil {
		return nil, policy.Plan{}, fmt.Errorf("read event: %w: %w", ErrUnreadable, explain(err))
	}
	if event != EventContext || plan == nil || len(spans) == 0 {
		return data, policy.Plan{}, nil
	}
	type result struct {
		out  []byte
		plan policy.Plan
		err  error
	}
	done := make(chan result, 1)
	go func() {
		r := result{out: data}
		defer func() {
			if p := recover(); p != nil {
				r = result{out: data, err: fmt.Errorf("plan %s: panic: %v", event, p)}
			}
			done <- r
		}()
		if r.out, r.plan, r.err = planBare(ctx, data, spans, plan); r.err != nil {
			r = result{out: data, err: fmt.Errorf("plan %s: %w", event, r.err)}
		}
	}()
	select {
	case r := <-done:
		return r.out, r.plan, r.err
	case <-ctx.Done():
		return data, policy.Plan{}, ErrLate
	}
}

func bareDecoder(data []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// messageSpans validates an event and finds its messages. Of several lists the last counts, as in
// JSON.parse.
func messageSpans(data []byte) (spans []message.Span, err error) {
	dec := bareDecoder(data)
	switch t, err := dec.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the input is empty")
	case err != nil:
		return nil, err
	case t.Kind() != jsontext.KindBeginObject:
		return nil, message.ErrNotObject
	}
	for dec.PeekKind() == jsontext.KindString {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		if name.String() == "messages" {
			spans, err = elements(dec)
		} else {
			err = dec.SkipValue()
		}
		if err != nil {
			return nil, err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	if _, err = dec.ReadToken(); err == nil {
		err = fmt.Errorf("text after the object at byte %d", dec.InputOffset())
	} else if errors.Is(err, io.EOF) {
		err = nil
	}
	return spans, err
}

// elements returns where the elements of a list are, none for another value.
func elements(dec *jsontext.Decoder) (spans []message.Span, err error) {
	if dec.PeekKind() != jsontext.KindBeginArray {
		return nil, dec.SkipValue()
	}
	if _, err = dec.ReadToken(); err != nil {
		return nil, err
	}
	for dec.PeekKind() != jsontext.KindEndArray {
		raw, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		end := int(dec.InputOffset())
		spans = append(spans, message.Span{Start: end - len(raw), End: end})
	}
	_, err = dec.ReadToken()
	return spans, err
}

// planBare plans and carries out the plan, whole or not at all.
func planBare(ctx context.Context, data []byte, spans []message.Span, plan func([]policy.Message) policy.Plan) ([]byte, policy.Plan, error) {
	var p message.Parser
	messages := make([]policy.Message, len(spans)) // one that is not an object has no Head
	for i, s := range spans {
		if ctx.Err() != nil {
			return nil, policy.Plan{}, ErrLate
		}
		if raw := s.Of(data); raw[0] == '{' {
			h, err := p.ParseMessage(raw)
			if err != nil {
				return nil, policy.Plan{}, fmt.Errorf("read message %d: %w", i, err)
			}
			messages[i] = policy.NewMessage("", &h, raw)
		}
	}
	made := plan(messages)
	var out []byte
	at, last := 0, -1
	for i := range made.Edits {
		e := &made.Edits[i]
		if e.Index <= last || e.Index >= len(messages) {
			return nil, policy.Plan{}, fmt.Errorf("edit of message %d is out of order or range", e.Index)
		}
		last = e.Index
		h := messages[e.Index].Head
		if h == nil || h.Role != message.RoleToolResult || h.Content.Span.End == 0 {
			return nil, policy.Plan{}, fmt.Errorf("edit of message %d: it has no content of a tool result", e.Index)
		}
		from := spans[e.Index].Start
		out = append(append(out, data[at:from+h.Content.Span.Start]...), e.Content()...)
		at = from + h.Content.Span.End
	}
	return append(out, data[at:]...), made, nil
}

// explain rewords a JSON syntax error with its position: "the input ends too early, after
// byte 12".
func explain(err error) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the input ends too early, after byte %d", syntax.ByteOffset)
	}
	return fmt.Errorf("%w at byte %d", syntax.Err, syntax.ByteOffset)
}
