package summary

import (
	"context"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Source is a message or node that a summary was made from, with its text.
type Source struct {
	// ID is the id of an entry, or the key of a node.
	ID string
	// Label describes it: the author and time of a message, or the title of a summary.
	Label string
	Text  string
}

// Sources returns the sources of a node in order: the messages of a leaf, or the nodes
// below. With a depth above 1, those nodes are replaced by their own sources.
func Sources(ctx context.Context, st Reader, n *Node, depth int) ([]Source, error) {
	w := walker{ctx: ctx, st: st, seen: make(map[string]bool)}
	err := w.walk(n, max(depth, 1))
	return w.out, err
}

// walker collects sources. It visits each node once, so that it terminates even on a cyclic
// graph, which an intact store never has.
type walker struct {
	ctx    context.Context
	st     Reader
	parser message.Parser
	seen   map[string]bool
	out    []Source
}

// walk adds the sources of a node.
func (w *walker) walk(n *Node, depth int) error {
	if w.seen[n.Key] {
		return nil
	}
	w.seen[n.Key] = true
	for _, id := range n.Sources {
		if n.Depth == 0 {
			if err := w.message(n, id); err != nil {
				return err
			}
			continue
		}
		below, err := w.st.Summary(w.ctx, id)
		switch {
		case err != nil:
			w.out = append(w.out, Source{ID: id, Label: "a summary that is not stored any more"})
		case depth > 1:
			if err := w.walk(below, depth-1); err != nil {
				return err
			}
		default:
			w.out = append(w.out, Source{ID: below.Key, Label: below.title(), Text: below.Text})
		}
	}
	return nil
}

// message adds a message, or a note if it is no longer stored.
func (w *walker) message(n *Node, id string) error {
	raw, err := w.st.EntryLine(w.ctx, n.Session, id)
	if err != nil {
		if w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		w.out = append(w.out, Source{ID: id, Label: "a message that is not stored any more"})
		return nil
	}
	e, err := w.parser.ParseEntry(raw)
	if err != nil {
		return fmt.Errorf("read entry %s: %w", id, err)
	}
	w.out = append(w.out, Source{ID: id, Label: speaker(&message.Node{Entry: e}) + ", " + text.Minute(e.Time), Text: string(e.AppendBody(nil, raw))})
	return nil
}

// title describes a node in a few words.
func (n *Node) title() string {
	return n.titled(span(n.From, n.To))
}

// titled describes a node, with its period as formatted for the reader.
func (n *Node) titled(span string) string {
	s := fmt.Sprintf("depth %d, %s, ", n.Depth, span) + text.CountPlain(n.Entries, "message")
	if n.Kind == Extract {
		s += ", extracted"
	}
	return s
}

// Page is a part of an expansion.
type Page struct {
	Text string
	// Next is where the next page begins, in bytes over all sources; 0 at the end.
	Next int
	// Total is the size of all sources in bytes.
	Total int
}

// The sizes of a page's own text, in UTF-16 units.
const (
	pageFrame   = 800
	sourceFrame = 220
)

// PageRequest asks for a page of an expansion.
type PageRequest struct {
	// Depth is how many levels of the graph to open, at least 1.
	Depth int
	// Cursor is where the page begins, in bytes over all sources.
	Cursor int
	// Budget bounds the page.
	Budget token.Count
}

// Expand writes a page of the sources of a node. The pages together contain every byte of
// every source once; none is empty.
func Expand(ctx context.Context, st Reader, n *Node, r PageRequest) (Page, error) {
	sources, err := Sources(ctx, st, n, r.Depth)
	if err != nil {
		return Page{}, err
	}
	var p Page
	for _, s := range sources {
		p.Total += len(s.Text)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s) was made from this:\n", n.Key, n.title())
	room, at, shown := int(r.Budget)*charsPerToken-pageFrame, 0, false
	for _, s := range sources {
		from := max(0, r.Cursor-at)
		at += len(s.Text)
		if from >= len(s.Text) && (len(s.Text) > 0 || r.Cursor > 0) {
			continue
		}
		room -= sourceFrame
		if room <= 0 && shown {
			p.Next = at - len(s.Text) + from
			break
		}
		take := fence.Fit(s.Text[from:], max(room, 1))
		b.WriteString(sourceText(s, from, from+take))
		room -= text.Units(fence.Plain(s.Text[from : from+take]))
		shown = true
		if from+take < len(s.Text) {
			p.Next = at - len(s.Text) + from + take
			break
		}
	}
	p.Text = b.String()
	return p, nil
}

// sourceText formats a part of a source.
func sourceText(s Source, from, to int) string {
	part := ""
	if from > 0 || to < len(s.Text) {
		part = fmt.Sprintf(", bytes %d-%d of %d", from, to, len(s.Text))
	}
	head := fence.OneLine(s.ID, 40) + " (" + s.Label + part + ")\n"
	if s.Text == "" {
		return head
	}
	return head + fence.Block(s.Text[from:to]) + "\n"
}
