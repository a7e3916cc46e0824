package capture

import (
	"context"
	"errors"
	"fmt"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
)

// Chat captures the conversation of a branch as one document, and the session itself.
func (c *Capture) Chat(ctx context.Context, t *message.Tree, leaf string, line Line) error {
	c.begin()
	b := object.NewChatText(c.Session)
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
	k := object.ChatKey(c.Session)
	id := object.NewID(object.SessionKey(c.Session), 0)
	doc := &object.Document{Kind: object.KindChat, Content: b.Text(), Chat: &object.Chat{Session: id, Leaf: last.ID, Turns: b.Turns()}}
	c.put(object.NewID(k, 0), k, object.Op{Doc: doc, At: c.at(last)}, object.Activated, leaf)
	if err := c.session(ctx, c.at(first)); err != nil {
		return err
	}
	return c.submit(ctx)
}

// session captures the session itself.
func (c *Capture) session(ctx context.Context, at object.Time) error {
	k := object.SessionKey(c.Session)
	doc := &object.Document{Kind: object.KindSession, Session: &object.Session{
		Harness: "pi", SessionID: c.Session, Chat: object.NewID(object.ChatKey(c.Session), 0),
	}}
	id, known, err := c.id(ctx, object.SystemPromptKey(c.Session))
	if err != nil {
		return err
	}
	if known {
		doc.Session.SystemPrompts = []string{id}
	}
	c.tx.Ops = append(c.tx.Ops, object.Op{Do: object.Put, Key: k, Doc: doc, At: at})
	return nil
}

// SystemPrompt captures the system prompt of a run.
func (c *Capture) SystemPrompt(ctx context.Context, leaf, prompt string) error {
	c.begin()
	k := object.SystemPromptKey(c.Session)
	doc := &object.Document{Kind: object.KindSystemPrompt, Content: []byte(prompt), SystemPrompt: &object.SystemPrompt{
		Session: object.NewID(object.SessionKey(c.Session), 0),
	}}
	c.put(object.NewID(k, 0), k, object.Op{Doc: doc}, object.Activated, leaf)
	return c.submit(ctx)
}
