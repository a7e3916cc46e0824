package pruning

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/workspace"
)

// listDocument is a JSON document that contains a list of messages.
type listDocument struct {
	data  []byte
	name  string
	spans []message.Span
	heads []message.Head
	valid []bool // whether the element is a message
}

func newListDocument(data []byte, list message.Span, name string) (*listDocument, error) {
	d := &listDocument{data: data, name: name}
	var p message.Parser
	spans, err := p.Elements(list.Of(data))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	for _, s := range spans {
		d.spans = append(d.spans, message.Span{Start: s.Start + list.Start, End: s.End + list.Start})
	}
	d.heads, d.valid = make([]message.Head, len(spans)), make([]bool, len(spans))
	for i := range d.spans {
		h, err := p.ParseMessage(d.raw(i))
		d.heads[i], d.valid[i] = h, err == nil
	}
	return d, nil
}

func (d *listDocument) raw(i int) []byte { return d.spans[i].Of(d.data) }

func (d *listDocument) Plan(_ context.Context, c prune.Choice, idle time.Duration, prices token.Prices) (policy.Plan, int, error) {
	out := make([]policy.Message, len(d.spans))
	last := int64(0)
	for i := range out {
		if d.valid[i] {
			out[i] = policy.NewMessage("", &d.heads[i], d.raw(i))
			last = max(last, d.heads[i].Timestamp)
		}
	}
	if c.Planner == nil {
		return policy.Plan{Outcome: c.Why}, len(out), nil
	}
	sit := policy.Situation{
		Now: nextCall(last, idle), Prices: prices, KnownPrices: true, Boundary: true,
		Text: func(i int) []byte {
			text, _ := d.Text(i)
			return []byte(text)
		},
	}
	return c.Planner.PlanAt(sit, out), len(out), nil
}

func (d *listDocument) Text(i int) (string, error) {
	e := message.Entry{Type: message.EntryMessage, Message: d.heads[i], Body: message.Span{End: len(d.raw(i))}}
	return string(e.AppendBody(nil, d.raw(i))), nil
}

func (d *listDocument) Apply(w io.Writer, edits []policy.Edit) error {
	at := 0
	for _, e := range edits {
		s := d.spans[e.Index]
		if _, err := w.Write(d.data[at:s.Start]); err != nil {
			return err
		}
		if _, err := w.Write(e.AppendTo(nil, d.raw(e.Index), &d.heads[e.Index])); err != nil {
			return err
		}
		at = s.End
	}
	_, err := w.Write(d.data[at:])
	return err
}

func (d *listDocument) ID() (string, string) { return "", "" }

func (d *listDocument) Is(path string) bool { return workspace.SamePath(d.name, path) }

func (d *listDocument) Release() error { return nil }
