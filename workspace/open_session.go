package workspace

import (
	"context"
	"io"
	"sort"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
)

// OpenSession is a session and the context at its end.
type OpenSession struct {
	history.Session
	Path string // as history.Source names it

	tree   *message.Tree
	source history.Source
	leaf   string
	items  []message.Item
	Pinned []prune.Pin // in a shell
}

// OpenAtEnd opens a session at its end.
func OpenAtEnd(sources history.Source, place string) (*OpenSession, error) {
	s, err := sources.Open(place)
	if err != nil {
		return nil, err
	}
	d := &OpenSession{Session: s, Path: place, tree: s.Entries(), source: sources}
	if d.tree.Header.ID == "" && d.tree.Header.Version == 0 {
		s.Close()
		return nil, history.ErrNoSession
	}
	d.leaf = d.tree.Leaf()
	d.items = message.WithoutSystem(d.tree.Context(d.leaf))
	return d, nil
}

// Pins implements prune.PinReader.
func (d *OpenSession) Pins(context.Context, string) ([]prune.Pin, error) { return d.Pinned, nil }

// Plan plans the next request, sent idle after the last one, at the given prices. It also returns
// the number of messages.
func (d *OpenSession) Plan(ctx context.Context, c prune.Choice, idle time.Duration, m prune.Model) (policy.Plan, int, error) {
	last := int64(0)
	if n := d.tree.Lookup(d.leaf); n != nil {
		last = n.Time
	}
	decided, err := prune.Decide(ctx, d.ports(), prune.Moment{
		Session: d.tree.Header.ID, Leaf: d.leaf, Now: nextCall(last, idle),
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
func (d *OpenSession) Comeback(ctx context.Context, c prune.Choice, prices *bill.Prices, now int64) (*prune.Comeback, prune.Model, error) {
	m, err := d.Model(prices)
	if err != nil || m.ID == "" {
		return nil, m, err
	}
	back, err := prune.ReadComeback(ctx, d.ports(), prune.Moment{Session: d.tree.Header.ID, Leaf: d.leaf, Now: now, Model: m}, c)
	return back, m, err
}

// Model returns the model that answered last, the zero Model if none is known.
func (d *OpenSession) Model(prices *bill.Prices) (m prune.Model, err error) {
	s, err := session.Load(d.tree, d.Line)
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

func (d *OpenSession) ports() prune.Ports {
	return prune.Ports{Session: func(context.Context) (message.Session, error) { return d, nil }, Pins: d}
}

// Text returns the content of a message as readable text.
func (d *OpenSession) Text(i int) (string, error) {
	var p message.Parser
	h, raw, err := d.items[i].Message(&p, d.Line)
	if err != nil {
		return "", err
	}
	e := message.Entry{Type: message.EntryMessage, Message: h, Body: message.Span{End: len(raw)}}
	return string(e.AppendBody(nil, raw)), nil
}

// Apply writes the whole session with the edits applied. It replaces the content of a pruned
// result in the line that determines it: its own, or that of the context edit in force.
func (d *OpenSession) Apply(w io.Writer, edits []policy.Edit) error {
	type change struct {
		span    message.Span // of the content, among the bytes of the session
		content []byte
	}
	var changes []change
	for _, e := range edits {
		it := d.items[e.Index]
		n := it.Node
		if it.Edit != nil {
			n = it.Edit
		}
		s := n.Message.Content.Span
		base := int(n.Offset) + n.Body.Start
		changes = append(changes, change{message.Span{Start: base + s.Start, End: base + s.End}, e.Content()})
	}
	sort.Slice(changes, func(i, j int) bool { return changes[i].span.Start < changes[j].span.Start })
	in, err := d.source.Bytes(d.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	at := 0
	for _, c := range changes {
		if _, err := io.CopyN(w, in, int64(c.span.Start-at)); err != nil {
			return err
		}
		if _, err := w.Write(c.content); err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, in, int64(c.span.End-c.span.Start)); err != nil {
			return err
		}
		at = c.span.End
	}
	_, err = io.Copy(w, in)
	return err
}

// ID returns the ids of the session and its leaf.
func (d *OpenSession) ID() (session, leaf string) { return d.tree.Header.ID, d.leaf }

// nextCall returns the time of a request sent idle after the last message. It is 0 if that
// has no time.
func nextCall(last int64, idle time.Duration) int64 {
	if last == 0 {
		return 0
	}
	return last + idle.Milliseconds()
}
