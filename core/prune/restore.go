package prune

import (
	"fmt"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Restored is a result that was pruned and is to be shown again.
type Restored struct {
	EntryID string
	// Content is the JSON value that it had.
	Content []byte
}

// Restore returns the results that are pruned on the branch and that a pin names, with
// their content as it was. Relative paths start from cwd.
func (b *Branch) Restore(p Pin, cwd string) ([]Restored, error) {
	named := PinsOf([]Pin{p})
	var out []Restored
	for _, s := range b.Shown(cwd) {
		if !s.Pruned || s.Entry != p.Target && (s.Access.Path == "" || !named.HasPath(s.Access.Path, cwd)) {
			continue
		}
		n := b.source.tree.Lookup(s.Entry)
		if n == nil {
			continue
		}
		raw, err := b.source.line(n)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", s.Entry, err)
		}
		content := n.Message.Content.Span.Of(n.Body.Of(raw))
		out = append(out, Restored{s.Entry, append([]byte(nil), content...)})
	}
	return out, nil
}

// restoredIn returns the entries that a PinsEntry brings back.
func restoredIn(p *message.Parser, entry []byte) []string {
	data, err := p.Member(entry, "data")
	if err != nil || data.End == 0 {
		return nil
	}
	list, err := p.Member(data.Of(entry), "restored")
	if err != nil || list.End == 0 {
		return nil
	}
	array := list.Of(data.Of(entry))
	spans, err := p.Elements(array)
	if err != nil {
		return nil
	}
	var out []string
	for _, s := range spans {
		if id := message.Unquote(s.Of(array)); id != "" {
			out = append(out, id)
		}
	}
	return out
}

// LeftOut is how many tokens the requests of the branch are smaller by,
// with what was pruned before a compaction.
func (b *Branch) LeftOut() token.Count {
	total := b.Totals().Saved
	if len(b.stored) == 0 {
		return total
	}
	on, shown := make(map[string]bool, len(b.source.path)), make(map[string]bool, len(b.Messages))
	for _, n := range b.source.path {
		on[n.ID] = true
	}
	for i := range b.Messages {
		shown[b.Messages[i].EntryID] = true // counted already, or restored
	}
	for i := range b.stored {
		if m := &b.stored[i]; on[m.Leaf] && !shown[m.EntryID] {
			total += m.Tokens - m.MarkerTokens
		}
	}
	return total
}

// Bill is the whole bill of the session so far, with the rewrite that was just decided.
// It is that of no request where no policy keeps the books.
func (d *Decision) Bill() bill.Bill {
	if d.Figures == nil {
		return bill.Bill{}
	}
	b := d.Figures.Bill
	if d.New > 0 && d.Figures.Cold == "" {
		b.Billed += d.Figures.Cost
	}
	return b
}
