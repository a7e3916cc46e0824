package prune

import (
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/session"
)

// situation returns what the branch knows about a request that is sent at a moment.
func (b *Branch) situation(m *Moment) (policy.Situation, error) {
	s := policy.Situation{CWD: b.tree.Header.CWD, Text: b.textOf, Message: b.Message}
	walked, err := session.Load(b.tree, b.line)
	if err != nil {
		return s, err
	}
	b.walked = walked
	coming := policy.Coming{Leaf: b.Leaf, Now: m.Now, Provider: m.Model.Provider, Model: m.Model.ID, Prices: m.Model.prices()}
	if s.View, err = coming.View(walked, b.Messages); err != nil {
		return s, err
	}
	for i := range b.Untold { // the last request did not have those that the session does not carry
		if u := &b.Untold[i]; !b.carried[u.EntryID] {
			s.View.Changed = min(s.View.Changed, b.position(u.EntryID))
		}
	}
	return s, nil
}

// position returns the position in the context of the message of an entry, the number of
// messages when it is not there.
func (b *Branch) position(entry string) int {
	for i := range b.Messages {
		if b.Messages[i].EntryID == entry {
			return i
		}
	}
	return len(b.Messages)
}

// Writes reports whether the coming request of a session finds nothing in the provider's
// cache, so that what comes before the conversation may change for free: the request goes to
// another model, or the cache is lost or does not exist. Compactions, rewrites and branch switches
// leave what precedes the conversation in the cache.
func Writes(s message.Session, m Moment) bool {
	t, p := s.Entries(), m.Model.prices()
	last := lastResponse(t)
	switch {
	case last == nil:
		return false
	case !p.Caches() || policy.Switched(last, m.Model.Provider, m.Model.ID):
		return true
	}
	used := last.Timestamp
	for _, n := range t.Asides(m.Leaf) {
		if n.Type != message.EntryUsage || n.Kind != message.UsageWarm || n.Time <= used {
			continue
		}
		if p.Cold(time.Duration(n.Time-used) * time.Millisecond) { // it came too late
			used = last.Timestamp
			break
		}
		used = n.Time
	}
	return m.Now > 0 && used > 0 && p.Cold(time.Duration(m.Now-used)*time.Millisecond)
}

// Asked reports whether a request of the session was billed, on any branch.
func Asked(t *message.Tree) bool { return lastResponse(t) != nil }

// lastResponse returns the newest response of a session whose request was billed, on any
// branch, nil without one.
func lastResponse(t *message.Tree) *message.Head {
	for i := len(t.Nodes) - 1; i >= 0; i-- {
		n := &t.Nodes[i]
		if n.Type == message.EntryMessage && n.Message.Role == message.RoleAssistant && !message.Unbilled(&n.Message) {
			return &n.Message
		}
	}
	return nil
}

// Message returns the head and bytes of the message at index as the model sees it, nil when
// it cannot be read.
func (b *Branch) Message(index int) (*message.Head, []byte) {
	it := b.item(index)
	if it == nil {
		return nil, nil
	}
	var p message.Parser
	h, raw, err := it.Message(&p, b.line)
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
	if index < len(b.items) && b.items[index].Node.ID == b.Messages[index].EntryID {
		return &b.items[index]
	}
	for i := range b.items {
		if it := &b.items[i]; it.Node.ID == b.Messages[index].EntryID {
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
	text, err := it.AppendText(b.text[:0], b.line)
	if err != nil {
		return nil
	}
	b.text = text
	return text
}
