package pruning

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"time"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/workspace"
)

// Session is a session and the context at one of its entries.
type Session struct {
	history.Session
	Path string // as history.Source names it

	tree      *message.Tree
	source    history.Source
	leaf      string
	items     []message.Item
	Pinned    []prune.Pin // in a shell
	temporary bool
}

// OpenSession opens a session at a leaf, or at its end if leaf is "".
func OpenSession(sources history.Source, place, leaf string) (*Session, error) {
	s, err := sources.Open(place)
	if errors.Is(err, history.ErrNoSession) {
		return nil, ErrNotSession
	}
	if err != nil {
		return nil, err
	}
	d := &Session{Session: s, Path: place, tree: s.Entries(), source: sources, leaf: leaf}
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
func (d *Session) Pins(context.Context, string) ([]prune.Pin, error) { return d.Pinned, nil }

// Plan implements Document.
func (d *Session) Plan(ctx context.Context, c prune.Choice, idle time.Duration, prices token.Prices) (policy.Plan, int, error) {
	last := int64(0)
	if n := d.tree.Lookup(d.leaf); n != nil {
		last = n.Time
	}
	ports := prune.Ports{Session: func(context.Context) (prune.Session, error) { return d, nil }, Pins: d}
	decided, err := prune.Decide(ctx, ports, prune.Moment{
		Session: d.tree.Header.ID, Leaf: d.leaf, Now: nextCall(last, idle),
		Model: prune.Model{Prices: prices, KnownPrices: true}, Dry: true, Boundary: true,
	}, c)
	if err != nil {
		return policy.Plan{}, 0, err
	}
	return decided.Plan, len(decided.Branch.Messages), nil
}

// Text implements Document.
func (d *Session) Text(i int) (string, error) {
	var p message.Parser
	h, raw, err := d.items[i].Message(&p, d.Line)
	if err != nil {
		return "", err
	}
	e := message.Entry{Type: message.EntryMessage, Message: h, Body: message.Span{End: len(raw)}}
	return string(e.AppendBody(nil, raw)), nil
}

// Apply implements Document. It replaces the content of a pruned result in the line that
// determines it: its own, or that of the context edit in force.
func (d *Session) Apply(w io.Writer, edits []policy.Edit) error {
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

// ID implements Document.
func (d *Session) ID() (string, string) { return d.tree.Header.ID, d.leaf }

// Is implements Document.
func (d *Session) Is(path string) bool { return workspace.SamePath(d.Path, path) }

// Release implements Document.
func (d *Session) Release() error {
	err := d.Close()
	if d.temporary {
		err = errors.Join(err, os.Remove(d.Path))
	}
	return err
}

// sessionFromBytes opens a session that came on standard input. It writes a temporary file,
// because sessions are read from files.
func sessionFromBytes(sources history.Source, data []byte, leaf string) (doc *Session, err error) {
	f, err := repo.TemporaryFile()
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	if _, err := sources.Head(f.Name()); err != nil {
		return nil, ErrNotSession
	}
	if doc, err = OpenSession(sources, f.Name(), leaf); err != nil {
		return nil, err
	}
	doc.temporary = true
	return doc, nil
}
