package object

import (
	"context"
	"errors"
	"fmt"

	"github.com/coctostan/pictx/core/message"
)

// Chat captures the conversation of a branch as one document, and the session itself.
func (c *Capture) Chat(ctx context.Context, t *message.Tree, leaf string, line Line) error {
	c.begin()
	b := NewChatText(c.Session)
	var first, last *message.Node
	for _, n := range t.Path(leaf) {
		if n.Type != message.EntryMessage {
			continue
		}
		raw, err := line(n)
		if errors.Is(err, ErrErased) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		b.Add(&n.Entry, raw)
		if last = n; first == nil {
			first = n
		}
	}
	if len(b.Text()) == 0 {
		return nil
	}
	k := ChatKey(c.Session)
	id := NewID(SessionKey(c.Session), 0)
	doc := &Document{Kind: KindChat, Content: b.Text(), Chat: &Chat{Session: id, Leaf: last.ID, Turns: b.Turns()}}
	c.put(NewID(k, 0), k, Op{Doc: doc, At: c.at(last)}, Activated, leaf)
	if err := c.session(ctx, c.at(first)); err != nil {
		return err
	}
	return c.submit(ctx)
}

// session captures the session itself.
func (c *Capture) session(ctx context.Context, at Time) error {
	k := SessionKey(c.Session)
	doc := &Document{Kind: KindSession, Session: &Session{
		Harness: "pi", SessionID: c.Session, Chat: NewID(ChatKey(c.Session), 0),
	}}
	id, known, err := c.id(ctx, SystemPromptKey(c.Session))
	if err != nil {
		return err
	}
	if known {
		doc.Session.SystemPrompts = []string{id}
	}
	c.tx.Ops = append(c.tx.Ops, Op{Do: Put, Key: k, Doc: doc, At: at})
	return nil
}

// SystemPrompt captures the system prompt of a run.
func (c *Capture) SystemPrompt(ctx context.Context, leaf, prompt string) error {
	c.begin()
	k := SystemPromptKey(c.Session)
	doc := &Document{Kind: KindSystemPrompt, Content: []byte(prompt), SystemPrompt: &SystemPrompt{
		Session: NewID(SessionKey(c.Session), 0),
	}}
	c.put(NewID(k, 0), k, Op{Doc: doc}, Activated, leaf)
	return c.submit(ctx)
}
