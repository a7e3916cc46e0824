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

// Source is something that a summary was made from, with its text.
type Source struct {
	// ID is that of an entry, or a key.
	ID string
	// Label says what it is: whose message and when, or which summary.
	Label string
	Text  string
}

// Sources returns what a node was made from, in order: the messages of a leaf, the
// nodes below another. With a depth of more than 1 the nodes below stand for what
// they were made from.
func Sources(ctx context.Context, st Reader, n *Node, depth int) ([]Source, error) {
	w := walker{ctx: ctx, st: st, seen: make(map[string]bool)}
	err := w.walk(n, max(depth, 1))
	return w.out, err
}

// walker gathers sources. A graph that goes round in a circle, which no sound
// store holds, ends where it was before.
type walker struct {
	ctx    context.Context
	st     Reader
	parser message.Parser
	seen   map[string]bool
	out    []Source
}

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

// message adds a message. One that was purged says so.
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
	s := fmt.Sprintf("D%d, %s, %s", n.Depth, span(n.From, n.To), text.CountPlain(n.Entries, "message"))
	if n.Kind == Extract {
		s += ", extracted"
	}
	return s
}

// Page is a part of an expansion.
type Page struct {
	Text string
	// Next is where the next page begins, in bytes of all sources; 0 at the end.
	Next int
	// Total is the size of all sources.
	Total int
}

// The parts of a page that are not the sources' own text, in UTF-16 units.
const (
	pageFrame   = 800
	sourceFrame = 220
)

// Expand writes a page of what a node was made from: from the byte cursor on, in
// at most budget tokens. The pages together are every byte of every source, once;
// each holds some of them.
func Expand(ctx context.Context, st Reader, n *Node, depth, cursor int, budget token.Count) (Page, error) {
	sources, err := Sources(ctx, st, n, depth)
	if err != nil {
		return Page{}, err
	}
	var p Page
	for _, s := range sources {
		p.Total += len(s.Text)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s) was made from this:\n", n.Key, n.title())
	room, at, shown := int(budget)*charsPerToken-pageFrame, 0, false
	for _, s := range sources {
		from := max(0, cursor-at)
		at += len(s.Text)
		if from >= len(s.Text) && (len(s.Text) > 0 || cursor > 0) {
			continue
		}
		room -= sourceFrame
		if room <= 0 && shown {
			p.Next = at - len(s.Text) + from
			break
		}
		take := fence.Fit(s.Text[from:], max(room, 1))
		b.WriteString(sourceText(s, from, from+take))
		room -= token.Units(fence.Plain(s.Text[from : from+take]))
		shown = true
		if from+take < len(s.Text) {
			p.Next = at - len(s.Text) + from + take
			break
		}
	}
	p.Text = b.String()
	return p, nil
}

// sourceText writes a part of a source.
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
