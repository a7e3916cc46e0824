package prune

import (
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/ledger"
)

// branchSource is what a Branch was made from.
type branchSource struct {
	tree  *message.Tree
	path  []*message.Node
	items []message.Item
	line  func(*message.Node) ([]byte, error)
	// messagesUpTo is how many messages of the context come from the path up to an entry.
	// It has the entries at which marks were decided and the edits that carry them; for a
	// followed branch it has every entry of the path.
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

// locateMarks fills messagesUpTo.
func (s *branchSource) locateMarks(marks map[string]*Mark) {
	wanted := make(map[string]bool)
	for _, m := range marks {
		wanted[m.Leaf] = true
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
func (b *Branch) situation(now int64, provider, model string) (Situation, error) {
	s := Situation{Now: now, CWD: b.source.tree.Header.CWD, Text: b.textOf, Message: b.Message, Moved: b.source.moved(), PlainFrom: b.source.plainFrom}
	if last := b.source.lastAnswer(); last != nil {
		s.ModelSwitched = switched(&last.Message, provider, model)
	}
	var err error
	s.Warmed, err = ledger.Warmed(b.source.asides(), b.source.line)
	return s, err
}

// switched reports whether a request goes to another model than the answer h came from; ""
// means the same model.
func switched(h *message.Head, provider, model string) bool {
	return model != "" && (h.Model != model || provider != "" && h.Provider != provider)
}

// Writes reports whether the coming request of a session finds nothing in the provider's
// cache, so that what comes before the conversation may change for free.
func Writes(s Session, m Moment) (bool, error) {
	t := s.Entries()
	warmed, err := ledger.Warmed(t.Asides(m.Leaf), s.Line)
	terms := ledger.Terms{Now: m.Now, Prices: m.Model.Prices, KnownPrices: m.Model.KnownPrices, Warmed: warmed}
	last := ledger.LastRequest(t)
	terms.ModelSwitched = last != nil && switched(last, m.Model.Provider, m.Model.ID)
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

// lastAnswer returns the newest answer of the model on the branch, nil without one.
func (s *branchSource) lastAnswer() *message.Node {
	for i := len(s.path) - 1; i >= 0; i-- {
		if isAnswer(s.path[i]) {
			return s.path[i]
		}
	}
	return nil
}

func isAnswer(n *message.Node) bool {
	return n.Type == message.EntryMessage && n.Message.Role == message.RoleAssistant && !message.Voided(&n.Message)
}

// moved reports whether the session's last request was made on another branch.
func (s *branchSource) moved() bool {
	for i := len(s.tree.Nodes) - 1; i >= 0; i-- {
		if n := &s.tree.Nodes[i]; isAnswer(n) {
			return n != s.lastAnswer()
		}
	}
	return false
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
