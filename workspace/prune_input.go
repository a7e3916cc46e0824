package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/sqlite"
)

// PruneDoc is something whose context can be pruned.
type PruneDoc interface {
	// Plan plans the request that would be sent so long after the last one, at those
	// prices, and returns how many messages it has.
	Plan(ctx context.Context, c prune.Choice, idle time.Duration, prices token.Prices) (prune.Plan, int, error)
	// Text returns the content of a message for a person.
	Text(index int) (string, error)
	// Apply writes the whole input with the edits in it.
	Apply(w io.Writer, edits []prune.Edit) error
	// ID names the session and its leaf, when it is one.
	ID() (session, leaf string)
	// Is reports whether the input was read from the file at path.
	Is(path string) bool
	Release() error
}

// ErrNotSession is returned for a file that is not a session of pi.
var ErrNotSession = errors.New("it is not a session file")

// SessionFile finds the place of a session by its id: in the store, else among those
// that agents keep.
func (a *Workspace) SessionFile(ctx context.Context, id string) (string, error) {
	st, _, err := a.Store(ctx, sqlite.Read)
	if err == nil {
		defer st.Close()
		row, ferr := FindSession(ctx, st, id)
		if code, _ := Verdict(ferr); ferr != nil && code != exit.NotFound {
			return "", ferr
		}
		if ferr == nil && row.File != "" {
			return row.File, nil
		}
	}
	sources := a.Sources()
	places, ferr := sources.Find("")
	if ferr != nil {
		return "", ferr
	}
	var found []string
	for _, place := range places {
		if head, err := sources.Head(place); err == nil && strings.HasPrefix(head.ID, id) {
			found = append(found, place)
		}
	}
	switch len(found) {
	case 0:
	case 1:
		return found[0], nil
	default:
		return "", exit.WithHint(exit.Usage, "pictx prune "+found[0], fmt.Errorf("session %s is ambiguous: %s", id, strings.Join(found, ", ")))
	}
	return "", exit.WithHint(exit.NotFound, "pictx sessions", fmt.Errorf("open session %s: there is no such file and no such session", id))
}

// ReadPruneInput reads a list of messages, an event of pi, or a session.
func ReadPruneInput(sources history.Source, r *bufio.Reader, name, leaf string) (PruneDoc, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, exit.UsageError("pictx prune SESSION, with an id that pictx sessions lists", "read %s: it is empty", name)
	}
	if doc, err := sessionFromBytes(sources, data, leaf); err == nil || !errors.Is(err, ErrNotSession) {
		return doc, err
	}
	var p message.Parser
	list := message.Span{End: len(data)}
	if text := strings.TrimLeft(string(data[:min(len(data), 512)]), " \t\r\n"); strings.HasPrefix(text, "{") {
		if list, err = p.Member(data, "messages"); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if list.End == 0 {
			return nil, fmt.Errorf("read %s: the event has no messages", name)
		}
	}
	return newListDoc(data, list, name)
}

// sessionFromBytes opens a session that came on standard input. It is put into a
// file, because a session is read from its place.
func sessionFromBytes(sources history.Source, data []byte, leaf string) (PruneDoc, error) {
	f, err := os.CreateTemp("", "pictx-session-*")
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return nil, fmt.Errorf("read session: %w", err)
	}
	if _, err := sources.Head(f.Name()); err != nil {
		os.Remove(f.Name())
		return nil, ErrNotSession
	}
	doc, err := OpenSessionDoc(sources, f.Name(), leaf)
	if err != nil {
		os.Remove(f.Name())
		return nil, err
	}
	doc.temporary = true
	return doc, nil
}

// listDoc is a JSON document with a list of messages in it.
type listDoc struct {
	data  []byte
	name  string
	spans []message.Span
	heads []message.Head
	valid []bool // whether the element is a message
}

func newListDoc(data []byte, list message.Span, name string) (*listDoc, error) {
	d := &listDoc{data: data, name: name}
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

func (d *listDoc) raw(i int) []byte { return d.spans[i].Of(d.data) }

func (d *listDoc) Plan(_ context.Context, c prune.Choice, idle time.Duration, prices token.Prices) (prune.Plan, int, error) {
	out := make([]prune.Message, len(d.spans))
	last := int64(0)
	for i := range out {
		if d.valid[i] {
			out[i] = prune.NewMessage("", &d.heads[i], d.raw(i))
			last = max(last, d.heads[i].Timestamp)
		}
	}
	if c.Planner == nil {
		return prune.Plan{Outcome: c.Why}, len(out), nil
	}
	sit := prune.Situation{Now: nextCall(last, idle), Prices: prices, KnownPrices: true, Text: func(i int) string {
		text, _ := d.Text(i)
		return text
	}}
	return c.Planner.PlanAt(sit, out), len(out), nil
}

// nextCall is when a call comes so long after the last message; 0, right after
// it, when no time is known.
func nextCall(last int64, idle time.Duration) int64 {
	if last == 0 {
		return 0
	}
	return last + idle.Milliseconds()
}

func (d *listDoc) Text(i int) (string, error) {
	e := message.Entry{Type: message.EntryMessage, Message: d.heads[i], Body: message.Span{End: len(d.raw(i))}}
	return string(e.AppendBody(nil, d.raw(i))), nil
}

func (d *listDoc) Apply(w io.Writer, edits []prune.Edit) error {
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

func (d *listDoc) ID() (string, string) { return "", "" }

func (d *listDoc) Is(path string) bool { return sameFile(d.name, path) }

func (d *listDoc) Release() error { return nil }

// SessionDoc is a session and the context at one of its entries.
type SessionDoc struct {
	history.Session
	Path string // its place

	tree      *message.Tree
	source    history.Source
	leaf      string
	items     []message.Item
	Pinned    []prune.Pin // at the shell
	temporary bool
}

// OpenSessionDoc opens a session, at a leaf, as what is to be pruned.
func OpenSessionDoc(sources history.Source, place, leaf string) (*SessionDoc, error) {
	s, err := sources.Open(place)
	if errors.Is(err, history.ErrNoSession) {
		return nil, ErrNotSession
	}
	if err != nil {
		return nil, err
	}
	d := &SessionDoc{Session: s, Path: place, tree: s.Entries(), source: sources, leaf: leaf}
	switch {
	case d.tree.Header.ID == "" && d.tree.Header.Version == 0:
		err = ErrNotSession
	case leaf == "":
		d.leaf = d.tree.Leaf()
	case d.tree.Lookup(leaf) == nil:
		err = exit.WithHint(exit.NotFound, "pictx expand ID", fmt.Errorf("open session: it has no entry %s", leaf))
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	d.items = message.WithoutSystem(d.tree.Context(d.leaf))
	return d, nil
}

// Pins implements prune.PinReader.
func (d *SessionDoc) Pins(context.Context, string) ([]prune.Pin, error) { return d.Pinned, nil }

// Plan plans the request that would be sent so long after the last one.
func (d *SessionDoc) Plan(ctx context.Context, c prune.Choice, idle time.Duration, prices token.Prices) (prune.Plan, int, error) {
	last := int64(0)
	if n := d.tree.Lookup(d.leaf); n != nil {
		last = n.Time
	}
	ports := prune.Ports{Session: func(context.Context) (prune.Session, error) { return d, nil }, Pins: d}
	decided, err := prune.Decide(ctx, ports, prune.Moment{
		Session: d.tree.Header.ID, Leaf: d.leaf, Now: nextCall(last, idle),
		Model: prune.Model{Prices: prices, KnownPrices: true}, Dry: true,
	}, c)
	if err != nil {
		return prune.Plan{}, 0, err
	}
	return decided.Plan, len(decided.Branch.Messages), nil
}

// Text returns the content of a message for a person.
func (d *SessionDoc) Text(i int) (string, error) {
	var p message.Parser
	h, raw, err := d.items[i].Message(&p, d.Line)
	if err != nil {
		return "", err
	}
	e := message.Entry{Type: message.EntryMessage, Message: h, Body: message.Span{End: len(raw)}}
	return string(e.AppendBody(nil, raw)), nil
}

// Apply copies the session. The content of a pruned result is replaced in
// the line that decides it: its own, or that of the context edit in force.
func (d *SessionDoc) Apply(w io.Writer, edits []prune.Edit) error {
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

// ID names the session and its leaf.
func (d *SessionDoc) ID() (string, string) { return d.tree.Header.ID, d.leaf }

// Is reports whether the session was read from the file at path.
func (d *SessionDoc) Is(path string) bool { return sameFile(d.Path, path) }

// Release closes the session.
func (d *SessionDoc) Release() error {
	err := d.Close()
	if d.temporary {
		err = errors.Join(err, os.Remove(d.Path))
	}
	return err
}

// sameFile reports whether two paths are one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
