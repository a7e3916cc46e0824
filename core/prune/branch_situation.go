package prune

import (
	"fmt"

	"github.com/coctostan/pictx/core/message"
)

// branchSource is what a Branch was made of.
type branchSource struct {
	tree  *message.Tree
	path  []*message.Node
	items []message.Item
	line  func(*message.Node) ([]byte, error)
	// leaves is how many messages of the context come from the path up to the
	// entries at which marks were decided, and at up to each of its entries; nil
	// until asked for, which takes an edit that no mark is remembered of.
	leaves, at map[string]int
}

// since returns the position in the context from which on calls saw a mark: the
// one after the entry at which it was decided, or at which an edit carries it. A
// mark from before the context was always there.
func (s *branchSource) since(leaf string, edit *message.Node) int {
	if n, ok := s.leaves[leaf]; ok {
		return n
	}
	if edit == nil {
		return 0
	}
	if s.at == nil {
		s.at = make(map[string]int, len(s.path))
		s.count(func(id string, n int) { s.at[id] = n })
	}
	return s.at[edit.ID]
}

// find fills leaves.
func (s *branchSource) find(marks map[string]*Mark) {
	wanted := make(map[string]bool)
	for _, m := range marks {
		wanted[m.Leaf] = true
	}
	if len(wanted) == 0 {
		return
	}
	s.leaves = make(map[string]int, len(wanted))
	s.count(func(id string, n int) {
		if wanted[id] {
			s.leaves[id] = n
		}
	})
}

// count calls visit with every entry of the path, and how many messages of the
// context come from the path up to it. A compaction's summary is the first
// message, whatever kept messages its entry comes after.
func (s *branchSource) count(visit func(id string, messages int)) {
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

// situation returns what the branch knows of the situation of a request that is sent
// now, in Unix milliseconds, to a model; "" is whichever the last call went to.
func (b *Branch) situation(now int64, provider, model string) (Situation, error) {
	s := Situation{Now: now, CWD: b.source.tree.Header.CWD, Text: b.Text, Message: b.Message, Moved: b.source.moved()}
	if last := b.source.lastCall(); last != nil && model != "" {
		h := &last.Message
		s.ModelSwitched = h.Model != model || provider != "" && h.Provider != provider
	}
	var err error
	s.Warmed, err = b.source.warmed()
	return s, err
}

// lastCall is the newest answer of the model on the branch, nil without one.
func (s *branchSource) lastCall() *message.Node {
	for i := len(s.path) - 1; i >= 0; i-- {
		if isAnswer(s.path[i]) {
			return s.path[i]
		}
	}
	return nil
}

func isAnswer(n *message.Node) bool {
	return n.Type == message.EntryMessage && n.Message.Role == message.RoleAssistant && !voided(&n.Message)
}

// moved reports whether the session's last call was made on another branch.
func (s *branchSource) moved() bool {
	for i := len(s.tree.Nodes) - 1; i >= 0; i-- {
		if n := &s.tree.Nodes[i]; isAnswer(n) {
			return n != s.lastCall()
		}
	}
	return false
}

// warmed lists the times of the requests that only kept the provider's cache in
// use.
func (s *branchSource) warmed() ([]int64, error) {
	var times []int64
	var p message.Parser
	for _, n := range s.path {
		if n.Type != message.EntryUsage {
			continue
		}
		raw, err := s.line(n)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		if p.StringMember(raw, "kind") == "cache_warm" {
			times = append(times, n.Time)
		}
	}
	return times, nil
}

// Message returns the head and the bytes of the message at index as the model sees it,
// nil when it cannot be read.
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
	for i := range b.Loose {
		if b.Loose[i].EntryID != it.Node.ID {
			continue
		}
		raw = message.AppendWithContent(nil, raw, &h, b.Loose[i].Content())
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
	for i := range b.source.items {
		if it := &b.source.items[i]; it.Node.ID == b.Messages[index].EntryID {
			return it
		}
	}
	return nil
}

// Text returns the text of the message at index as it stands in the session, ""
// when it cannot be read.
func (b *Branch) Text(index int) string {
	it := b.item(index)
	if it == nil {
		return ""
	}
	var p message.Parser
	h, raw, err := it.Message(&p, b.source.line)
	if err != nil {
		return ""
	}
	e := message.Entry{Type: message.EntryMessage, Message: h, Body: message.Span{End: len(raw)}}
	return string(e.AppendBody(nil, raw))
}
