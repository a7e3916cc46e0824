package browse

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/transcript"
	"github.com/coctostan/pictx/workspace"
)

// stored implements library over the stores of one project, or of all.
type stored struct {
	run      *cli.Run
	stores   workspace.Stores
	sessions []workspace.Stored
}

func openLibrary(a *cli.Run, ctx context.Context, all bool) (*stored, error) {
	stores, _, err := a.GrepStores(ctx, map[bool]string{true: "all", false: "project"}[all])
	if err != nil {
		return nil, err
	}
	l := &stored{run: a, stores: stores}
	if l.sessions, err = workspace.StoredSessions(ctx, stores, 0, 0); err != nil {
		stores.Close()
		return nil, err
	}
	return l, nil
}

// Sessions implements library.
func (l *stored) Sessions(ctx context.Context, i int) ([]row, error) {
	const some, pathEnd = 20, 24 // the length of a page; the length of paths, to fit 80 columns
	var rows []row
	for _, s := range l.sessions[min(i, len(l.sessions)):min(i+some, len(l.sessions))] {
		v, err := s.View(ctx, l.run.Sources().Has)
		if err != nil {
			return nil, err
		}
		about := []string{text.Count(v.Calls, "request")}
		if v.Priced {
			about = append(about, fmt.Sprintf("$%.2f", v.Dollars))
		}
		about = append(about, v.Model, cli.CutFront(l.run.HomePath(v.CWD), pathEnd))
		rows = append(rows, row{
			Session: place(s),
			Head:    text.LocalMinute(s.Last) + " · " + text.TerminalLine(cmp.Or(v.Title, "no prompt yet")),
			Text:    text.TerminalLine(text.JoinNonEmpty(" · ", about...)),
		})
	}
	return rows, nil
}

// place returns the name by which OpenSession finds a session: its file, which works for
// any project, or else its id.
func place(s workspace.Stored) string { return cmp.Or(s.File, s.ID) }

// Search implements library.
func (l *stored) Search(ctx context.Context, words string) ([]row, string, error) {
	const most, around, patience = 50, 160, 2 * time.Second
	res, err := history.Search(ctx, l.stores, history.Query{Text: words, Limit: most, Context: around, Stop: l.run.Until(patience)})
	if err != nil {
		return nil, "", err
	}
	rows := make([]row, len(res.Hits))
	for i, h := range res.Hits {
		title, err := l.stores.Title(ctx, h.Session)
		if err != nil {
			return nil, "", err
		}
		rows[i] = row{
			Session: l.place(h.Session), Entry: h.EntryID, Match: h.Snippet[h.MatchStart:h.MatchEnd],
			Head: text.TerminalLine(text.JoinNonEmpty(" · ", text.LocalMinute(h.Time), h.Row.Speaker(), title)),
			Text: text.TerminalLine(fromWord(h.Snippet, h.MatchStart)),
		}
	}
	return rows, noteOf(&res), nil
}

// noteOf says how a search matched, if not all the words as they were typed, and what it
// left out.
func noteOf(r *history.Result) string {
	var said []string
	if len(r.Hits) > 0 {
		said = append(said, matched(r.Step))
	}
	if r.Suggestion != "" {
		said = append(said, "did you mean "+text.TerminalLine(r.Suggestion))
	}
	if r.More {
		said = append(said, "there are more")
	}
	if r.Stopped {
		said = append(said, "older ones were not searched")
	}
	return text.JoinNonEmpty(" · ", said...)
}

// matched says how the entries that a step found match, "" if with all words as typed.
func matched(step string) string {
	return map[string]string{
		history.StepAllFirst: "with all the words, then with some", history.StepSubstring: "inside longer words", history.StepAny: "none has all the words",
	}[step]
}

// fromWord returns the part of a snippet from a few words before an offset, so that a
// narrow screen still shows the match.
func fromWord(snippet string, at int) string {
	const before = 24
	if at <= before {
		return snippet
	}
	_, rest, found := strings.Cut(snippet[at-before:at], " ")
	if !found {
		return snippet[at:]
	}
	return text.Ellipsis + rest + snippet[at:]
}

// place returns the place of a session by its id, which does for one that was stored after the
// sessions were listed.
func (l *stored) place(id string) string {
	for _, s := range l.sessions {
		if s.ID == id {
			return place(s)
		}
	}
	return id
}

// Open implements library.
func (l *stored) Open(ctx context.Context, r row) ([]block, error) {
	name := r.Session
	if !l.run.Sources().Has(name) {
		for _, s := range l.sessions {
			if s.File == name {
				name = s.ID // the file is gone, but the store has its entries
			}
		}
	}
	h, err := l.run.OpenSession(ctx, name)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	marks, err := h.Marks(ctx)
	if err != nil {
		return nil, err
	}
	leaf := h.Tree.Leaf()
	onPath := slices.ContainsFunc(h.Tree.Path(leaf), func(n *message.Node) bool { return n.ID == r.Entry })
	if !onPath && h.Tree.Lookup(r.Entry) != nil {
		leaf = r.Entry // the entry is on another branch
	}
	t, err := transcript.Read(h.Tree, leaf, h.Line, marks)
	if err != nil {
		return nil, err
	}
	var out []block
	for i := range t.Items {
		out = append(out, itemBlocks(&t.Items[i])...)
	}
	return out, nil
}

// itemBlocks returns the blocks of an item.
func itemBlocks(it *transcript.Item) []block {
	when := text.LocalMinute(it.Time)
	if it.Kind != transcript.Answer {
		b := block{ID: it.ID, Head: text.JoinNonEmpty(" · ", when, speaker(it)), Text: it.Text}
		if it.Result != nil {
			b.Text, b.Folds = it.Result.Output.Text, true
		}
		return []block{safe(b)}
	}
	var out []block
	for _, p := range it.Parts {
		b := block{ID: it.ID, Head: text.JoinNonEmpty(" · ", when, "assistant", it.Failure)}
		switch {
		case p.Call != nil:
			fill(&b, p.Call, it.ID, when)
		case p.Thinking != "":
			b.Head, b.Text, b.Folds = text.JoinNonEmpty(" · ", when, "thinking"), p.Thinking, true
		default:
			b.Text = p.Text
		}
		out = append(out, safe(b))
	}
	return out
}

// fill turns b into the block of a tool call.
func fill(b *block, c *transcript.Call, entry, when string) {
	b.Head, b.Folds, b.Call = text.JoinNonEmpty(" · ", when, c.Tool, c.Subject), true, entry
	if c.Input.Text != "" {
		b.Text = c.Input.Text + "\n"
	}
	r := c.Result
	if r == nil {
		b.Text += "(no result)"
		return
	}
	b.ID, b.Text = r.ID, b.Text+r.Output.Text
	if r.IsError {
		b.Head += " · error"
	}
	if r.Pruned != nil {
		b.Head += " · pruned"
	}
}

// speaker names the author of an item that is not a response.
func speaker(it *transcript.Item) string {
	switch it.Kind {
	case transcript.Prompt:
		return "you"
	case transcript.Command:
		return "! " + it.Name
	case transcript.Branch:
		return "summary of a branch"
	}
	return text.JoinNonEmpty(" ", string(it.Kind), it.Name)
}

// safe makes a block safe to show on a terminal.
func safe(b block) block {
	b.Head = text.TerminalLine(b.Head)
	b.Text = strings.TrimRight(strings.ReplaceAll(text.Printable(b.Text), "\t", "    "), "\n ")
	return b
}
