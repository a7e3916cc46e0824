package summary

import (
	"context"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
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
			w.out = append(w.out, Source{ID: below.Key, Label: below.title(span(below.From, below.To)), Text: below.Text})
		}
	}
	return nil
}

// message adds a message, or a note if it is no longer stored.
func (w *walker) message(n *Node, id string) error {
	raw, err := w.st.EntryLine(w.ctx, n.Session, id)
	if err != nil {
		w.out = append(w.out, Source{ID: id, Label: "a message that is not stored any more"})
		return w.ctx.Err()
	}
	e, err := w.parser.ParseEntry(raw)
	if err != nil {
		return fmt.Errorf("read entry %s: %w", id, err)
	}
	w.out = append(w.out, Source{ID: id, Label: speaker(&message.Node{Entry: e}) + ", " + text.Minute(e.Time), Text: string(e.AppendBody(nil, raw))})
	return nil
}

// title describes a node, with its period as formatted for the reader.
func (n *Node) title(span string) string {
	s := fmt.Sprintf("depth %d, %s, ", n.Depth, span) + text.CountPlain(n.Entries, "message")
	if n.Kind == Extract {
		s += ", extracted"
	}
	return s
}

// ExpandText answers a call of lcm_expand for the summary with a key: a page of its sources,
// one after the other. The line before each begins with a mark that does not occur in them.
func ExpandText(ctx context.Context, st Reader, key string, call recall.ExpandRequest) (recall.Answer, error) {
	n, err := st.Summary(ctx, key)
	if err != nil {
		return recall.Answer{}, explained(err)
	}
	sources, err := Sources(ctx, st, n, call.Depth)
	if err != nil {
		return recall.Answer{}, err
	}
	mark := markOf(strings.TrimPrefix(n.Key, KeyPrefix))
	var b strings.Builder
	for _, s := range sources {
		fmt.Fprintf(&b, "%s %s (%s)\n", mark, fence.OneLine(s.ID, 40), s.Label)
		if s.Text != "" {
			b.WriteString(strings.ReplaceAll(s.Text, mark, "#") + "\n")
		}
	}
	return call.Page(recall.Text{ID: n.Key, Session: n.Session, Body: b.String(), Head: fmt.Sprintf("%s (%s) was made from this, %s; a line that begins with %s comes before each:",
		n.Key, n.title(span(n.From, n.To)), recall.Size(b.String()), mark)})
}
