package raw

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

// event is the index of an event.
type event struct {
	// bytes are the event as it was read.
	bytes    []byte
	envelope bool // its first member is "v"
	// messages are the elements of the member "messages", starts their offsets in the
	// input. An element that is not an object has a nil Head.
	messages []policy.Message
	starts   []int
	late     bool  // ctx was done before all messages were read
	fault    error // a message could not be read, so messages is unusable
}

// eventReader validates and indexes an event in one pass.
type eventReader struct {
	ctx    context.Context
	dec    *jsontext.Decoder
	parser message.Parser
	event  event
	index  bool // whether to index messages
}

// readEvent reads in to its end. It indexes the messages if index is set.
func readEvent(ctx context.Context, in io.Reader, index bool) (*event, error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	r := eventReader{
		ctx: ctx, index: index, event: event{bytes: text},
		dec: jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
	}
	if err := r.read(); err != nil {
		return nil, explain(err)
	}
	return &r.event, nil
}

// read reads one object and expects the end of the input after it.
func (r *eventReader) read() error {
	t, err := r.dec.ReadToken()
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("the input is empty")
	case err != nil:
		return err
	case t.Kind() != jsontext.KindBeginObject:
		return message.ErrNotObject
	}
	for first := true; r.dec.PeekKind() == jsontext.KindString; first = false {
		if err := r.member(first); err != nil {
			return err
		}
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	if _, err := r.dec.ReadToken(); err == nil {
		return fmt.Errorf("text after the object at byte %d", r.dec.InputOffset())
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// member reads a member of the event. "v" marks an envelope only as the first member,
// because an event of pi may have a member of any name.
func (r *eventReader) member(first bool) error {
	t, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	switch name := t.String(); {
	case name == "v" && first:
		r.event.envelope = true
	case name == "messages" && r.index:
		return r.messages()
	}
	return r.dec.SkipValue()
}

// messages indexes the messages. They replace those of an earlier member of the same name,
// as JSON.parse does.
func (r *eventReader) messages() error {
	r.event.messages, r.event.starts = nil, nil
	if r.dec.PeekKind() != jsontext.KindBeginArray {
		return r.dec.SkipValue()
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	for r.dec.PeekKind() != jsontext.KindEndArray {
		raw, err := r.dec.ReadValue()
		if err != nil {
			return err
		}
		r.add(raw, int(r.dec.InputOffset()))
	}
	_, err := r.dec.ReadToken()
	return err
}

// add indexes a message that ends at offset end. Once there can be no plan any more, the
// input is still validated but no longer indexed.
func (r *eventReader) add(raw jsontext.Value, end int) {
	ev := &r.event
	ev.late = ev.late || r.ctx.Err() != nil
	if ev.late || ev.fault != nil {
		return
	}
	var m policy.Message
	if raw.Kind() == jsontext.KindBeginObject {
		m, ev.fault = r.message(raw)
	}
	ev.messages = append(ev.messages, m)
	ev.starts = append(ev.starts, end-len(raw))
}

// message parses a message. It turns a panic into an error, because the event must pass
// through whatever goes wrong here.
func (r *eventReader) message(raw []byte) (m policy.Message, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("read message %d: panic: %v", len(r.event.messages), p)
		}
	}()
	h, err := r.parser.ParseMessage(raw)
	if err != nil {
		return m, fmt.Errorf("read message %d: %w", len(r.event.messages), err)
	}
	m = policy.NewMessage("", &h, raw)
	if h.Role != message.RoleToolResult {
		h.Content.Blocks = nil // only the blocks of tool results are used
	}
	return m, nil
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

// splice replaces a range of an event with the content of an edit.
type splice struct {
	start, end int
	edit       *policy.Edit
}

// writeTo writes the event with the splices applied. They must be in order and must not
// overlap.
func (ev *event) writeTo(out io.Writer, splices []splice) error {
	at := 0
	for _, sp := range splices {
		if _, err := out.Write(ev.bytes[at:sp.start]); err != nil {
			return err
		}
		if _, err := out.Write(sp.edit.Content()); err != nil {
			return err
		}
		at = sp.end
	}
	_, err := out.Write(ev.bytes[at:])
	return err
}
