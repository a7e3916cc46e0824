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

// ErrUnreadable is returned for a bare event that is not one JSON object.
var ErrUnreadable = errors.New("event is unreadable")

// IsRequest reports whether an input is a request of the extension: its first member is "v". An
// event as pi writes it may have a member of any name, but begins with another.
func IsRequest(data []byte) bool {
	const space = " \t\r\n"
	members, isObject := bytes.CutPrefix(bytes.TrimLeft(data, space), []byte("{"))
	return isObject && bytes.HasPrefix(bytes.TrimLeft(members, space), []byte(`"v"`))
}

// Bare returns an event as pi writes it, without an envelope, unchanged but for the content of tool
// results that plan removes from the messages of a context event; nil plans nothing. All other
// bytes stay the same: providers cache requests by their bytes, and members that pictx does not
// know must survive.
//
// With ErrUnreadable there is nothing to return. With any other error the event is unchanged. A
// plan that is late may still be running.
func Bare(ctx context.Context, event string, data []byte, plan func([]policy.Message) policy.Plan) ([]byte, policy.Plan, error) {
	var p message.Parser
	list, err := p.Member(data, "messages")
	if err != nil {
		return nil, policy.Plan{}, fmt.Errorf("read event: %w: %w", ErrUnreadable, explain(err))
	}
	if event != EventContext || plan == nil || !bytes.HasPrefix(list.Of(data), []byte("[")) {
		return data, policy.Plan{}, nil
	}
	var made policy.Plan
	out, err := Await(ctx, func(context.Context) (out []byte, err error) {
		out, made, err = planBare(data, list, plan)
		return out, err
	})
	if err != nil {
		return data, policy.Plan{}, fmt.Errorf("plan %s: %w", event, err)
	}
	return out, made, nil
}

// planBare plans for the messages of an event and carries out the plan, whole or not at all.
func planBare(data []byte, list message.Span, plan func([]policy.Message) policy.Plan) ([]byte, policy.Plan, error) {
	var p message.Parser
	all := list.Of(data)
	spans, err := p.Elements(all)
	if err != nil {
		return nil, policy.Plan{}, err
	}
	messages := make([]policy.Message, len(spans)) // one that is not an object has no Head
	for i, s := range spans {
		if raw := s.Of(all); raw[0] == '{' {
			h, err := p.ParseMessage(raw)
			if err != nil {
				return nil, policy.Plan{}, fmt.Errorf("read message %d: %w", i, err)
			}
			messages[i] = policy.NewMessage("", &h, raw)
		}
	}
	made := plan(messages)
	out, at := bytes.Clone(data[:list.Start]), 0
	for i := range made.Edits {
		e := &made.Edits[i]
		s, h := spans[e.Index], messages[e.Index].Head
		if h == nil || h.Role != message.RoleToolResult || h.Content.Span.End == 0 {
			return nil, policy.Plan{}, fmt.Errorf("edit of message %d: it has no content of a tool result", e.Index)
		}
		out = message.AppendWithContent(append(out, all[at:s.Start]...), s.Of(all), h, e.Content())
		at = s.End
	}
	return append(append(out, all[at:]...), data[list.End:]...), made, nil
}

// explain rewords a JSON syntax error with its position: "the input ends too early, after
// byte 12".
func explain(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case !errors.As(err, &syntax) && errors.Is(err, io.EOF):
		return errors.New("the input is empty")
	case syntax == nil:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the input ends too early, after byte %d", syntax.ByteOffset)
	}
	return fmt.Errorf("%w at byte %d", syntax.Err, syntax.ByteOffset)
}
