package workspace

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
)

// Pins implements prune.PinReader with those that were made in a shell; without a store there
// are none.
func (h *Session) Pins(ctx context.Context, session string) ([]prune.Pin, error) {
	if h.St == nil {
		return nil, nil
	}
	return h.St.Marks.Pins(ctx, session)
}

// Plan plans the next request, sent idle after the last one, at the given prices. It also returns
// the number of messages.
func (h *Session) Plan(ctx context.Context, c prune.Choice, idle time.Duration, m prune.Model) (policy.Plan, int, error) {
	now := int64(0) // when the last message has no time
	if n := h.Tree.Lookup(h.Tree.Leaf()); n != nil && n.Time > 0 {
		now = n.Time + idle.Milliseconds()
	}
	decided, err := prune.Decide(ctx, h.ports(), prune.Moment{
		Session: h.ID, Leaf: h.Tree.Leaf(), Now: now,
		Model: m, Dry: true, Boundary: true,
	}, c)
	if err != nil {
		return policy.Plan{}, 0, err
	}
	return decided.Plan, len(decided.Branch.Messages), nil
}

// Comeback returns what the next prompt of the session costs that is sent now, in Unix
// milliseconds, and the model that answers it: the one that answered last. It is nil unless that
// model's cache is lost.
func (h *Session) Comeback(ctx context.Context, c prune.Choice, prices *bill.Prices, now int64) (*prune.Comeback, prune.Model, error) {
	m, err := h.Model(prices)
	if err != nil || m.ID == "" {
		return nil, m, err
	}
	back, err := prune.ReadComeback(ctx, h.ports(), prune.Moment{Session: h.ID, Leaf: h.Tree.Leaf(), Now: now, Model: m}, c)
	return back, m, err
}

// Model returns the model that answered last, the zero Model if none is known.
func (h *Session) Model(prices *bill.Prices) (m prune.Model, err error) {
	s, err := session.Load(h.Tree, h.Line)
	if err != nil || len(s.Requests) == 0 {
		return m, err
	}
	last := &s.Models[s.Requests[len(s.Requests)-1].Model]
	m = prune.Model{Provider: last.Provider, ID: last.ID, Prices: prices.Of(last.Provider, last.ID, last.API, &last.Paid), KnownPrices: true}
	if known, ok := token.FindModel(last.Provider, last.ID); ok {
		m.Window, m.Binding = known.Window, known.Binding()
	}
	return m, nil
}

// messages returns the context at the session's end.
func (h *Session) messages() []message.Item {
	return message.WithoutSystem(h.Tree.Context(h.Tree.Leaf()))
}

func (h *Session) ports() prune.Ports {
	return prune.Ports{Session: func(context.Context) (message.Session, error) { return h.open, nil }, Pins: h}
}

// Text returns the content of a message as readable text.
func (h *Session) Text(i int) (string, error) {
	var p message.Parser
	m, raw, err := h.messages()[i].Message(&p, h.Line)
	if err != nil {
		return "", err
	}
	e := message.Entry{Type: message.EntryMessage, Message: m, Body: message.Span{End: len(raw)}}
	return string(e.AppendBody(nil, raw)), nil
}

// Apply writes the whole session with the edits applied. It replaces the content of a pruned
// result in the line that determines it: its own, or that of the context edit in force.
func (h *Session) Apply(w io.Writer, edits []policy.Edit) error {
	data, err := h.Bytes()
	if err != nil {
		return err
	}
	replaced := make(map[message.Span][]byte) // by where the content is in the session
	items := h.messages()
	for _, e := range edits {
		n := cmp.Or(items[e.Index].Edit, items[e.Index].Node)
		s, base := n.Message.Content.Span, int(n.Offset)+n.Body.Start
		replaced[message.Span{Start: base + s.Start, End: base + s.End}] = e.Content()
	}
	at, out := 0, []byte(nil)
	for _, s := range slices.SortedFunc(maps.Keys(replaced), func(a, b message.Span) int { return cmp.Compare(a.Start, b.Start) }) {
		out = append(append(out, data[at:s.Start]...), replaced[s]...)
		at = s.End
	}
	_, err = w.Write(append(out, data[at:]...))
	return err
}
