package prune

import (
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/ledger"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
)

// branchSource is what a Branch was made from.
type branchSource struct {
	tree  *message.Tree
	path  []*message.Node
	items []message.Item
	line  func(*message.Node) ([]byte, error)
	// messagesUpTo is how many messages of the context come from the path up to an entry.
	// It has the entries at which marks were decided and the edits that carry them.
	messagesUpTo map[string]int
	// plainFrom is the result of ledger.PlainKept.
	plainFrom int
}

// since returns the position in the context from which on requests saw a mark. That is the
// one after the entry at which the mark was decided, or after the edit that carries it. An
// edit before the decision carries an earlier mark; the reply with this one was lost. A
// mark from before the context was there from the start.
func (s *branchSource) since(leaf string, edit *message.Node) int {
	decided, known := s.messagesUpTo[leaf]
	if edit == nil {
		return decided
	}
	if carried, ok := s.messagesUpTo[edit.ID]; ok && (!known || carried < decided) {
		return carried
	}
	return decided
}

// formsOf returns how requests saw a result whose pruning was undone, as often as it was.
func (s *branchSource) formsOf(it *message.Item, list []undone) (forms []policy.Form) {
	for _, u := range list {
		if u.edit != nil && u.edit == it.Edit { // the edit that restores it is still to come
			continue
		}
		forms = append(forms,
			policy.Form{Tokens: token.Estimate(&it.Node.Message), Until: s.since(u.from, nil)},
			policy.Form{Tokens: u.size, Until: s.messagesUpTo[u.by]})
	}
	return forms
}

// locateMarks fills messagesUpTo.
func (s *branchSource) locateMarks(on pathMarks) {
	wanted := make(map[string]bool)
	for _, m := range on.inForce {
		wanted[m.Leaf] = true
	}
	for _, list := range on.undone {
		for _, u := range list {
			wanted[u.from], wanted[u.by] = true, true
		}
	}
	for i := range s.items {
		if edit := s.items[i].Edit; edit != nil {
			wanted[edit.ID] = true
		}
	}
	if len(wanted) == 0 {
		return
	}
	s.messagesUpTo = make(map[string]int, len(wanted))
	s.countMessages(func(id string, n int) {
		if wanted[id] {
			s.messagesUpTo[id] = n
		}
	})
}

// countMessages calls visit with every entry of the path and the number of messages of the
// context that come from the path up to it. The summary of a compaction is the first
// message, although its entry comes after the messages that it kept.
func (s *branchSource) countMessages(visit func(id string, messages int)) {
	n := 0
	for n < len(s.items) && s.items[n].Node.Type == message.EntryCompaction {
		n++
	}
	for _, node := range s.path {
		if n < len(s.items) && s.items[n].Node == node {
			n++
		}
		visit(node.ID, n)
	}
}

// situation returns what the branch knows about a request that is sent now, in Unix
// milliseconds, to a model; "" means the model of the last request.
func (b *Branch) situation(now int64, provider, model string) (policy.Situation, error) {
	s := policy.Situation{Now: now, CWD: b.source.tree.Header.CWD, Text: b.textOf, Message: b.Message, Moved: ledger.Moved(b.source.tree, b.source.path), PlainFrom: b.source.plainFrom}
	s.ModelSwitched = ledger.Switched(ledger.LastAnswer(b.source.path), provider, model)
	var err error
	s.Warmed, err = ledger.Warmed(b.source.asides(), b.source.line)
	return s, err
}

// Writes reports whether the coming request of a session finds nothing in the provider's
// cache, so that what comes before the conversation may change for free.
func Writes(s Session, m Moment) (bool, error) {
	t := s.Entries()
	warmed, err := ledger.Warmed(t.Asides(m.Leaf), s.Line)
	terms := ledger.Terms{Now: m.Now, Prices: m.Model.Prices, KnownPrices: m.Model.KnownPrices, Warmed: warmed}
	last := ledger.LastRequest(t)
	terms.ModelSwitched = ledger.Switched(last, m.Model.Provider, m.Model.ID)
	return err == nil && terms.Writes(last), err
}

// Asked reports whether a request of the session was billed, on any branch.
func Asked(t *message.Tree) bool { return ledger.LastRequest(t) != nil }

// asides are the entries of the path that are neither messages nor edits of messages.
func (s *branchSource) asides() []*message.Node {
	if len(s.path) == 0 {
		return nil
	}
	return s.tree.Asides(s.path[len(s.path)-1].ID)
}

// Message returns the head and bytes of the message at index as the model sees it, nil when
// it cannot be read.
func (b *Branch) Message(index int) (*message.Head, []byte) {
	it := b.item(index)
	if it == nil {
		return nil, nil
	}
	var p message.Parser
	h, raw, err := it.Message(&p, b.source.line)
	if err != nil {
		return nil, nil
	}
	for i := range b.Untold {
		if b.Untold[i].EntryID != it.Node.ID {
			continue
		}
		raw = message.AppendWithContent(nil, raw, &h, b.Untold[i].Content())
		if h, err = p.ParseMessage(raw); err != nil {
			return nil, nil
		}
	}
	return &h, raw
}

// item returns the item of the message at index, nil without one.
func (b *Branch) item(index int) *message.Item {
	if index < 0 || index >= len(b.Messages) || b.Messages[index].EntryID == "" {
		return nil
	}
	if index < len(b.source.items) && b.source.items[index].Node.ID == b.Messages[index].EntryID {
		return &b.source.items[index]
	}
	for i := range b.source.items {
		if it := &b.source.items[i]; it.Node.ID == b.Messages[index].EntryID {
			return it
		}
	}
	return nil
}

// Text returns the text of the message at index as the session has it, "" when it cannot be
// read.
func (b *Branch) Text(index int) string { return string(b.textOf(index)) }

// textOf is Text in a buffer of the branch: nil when it cannot be read.
func (b *Branch) textOf(index int) []byte {
	it := b.item(index)
	if it == nil {
		return nil
	}
	if it.Edit == nil && it.Node.Type == message.EntryMessage { // the entry is parsed already
		raw, err := b.source.line(it.Node)
		if err != nil {
			return nil
		}
		b.text = it.Node.AppendBody(b.text[:0], raw)
		return b.text
	}
	var p message.Parser
	h, raw, err := it.Message(&p, b.source.line)
	if err != nil {
		return nil
	}
	e := message.Entry{Type: message.EntryMessage, Message: h, Body: message.Span{End: len(raw)}}
	return e.AppendBody(nil, raw)
}
