package capture

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/chat"
)

// Chat captures the conversation of a branch as one document, and the session itself.
//
// An evicted chat, as after purging an entry, is not captured again, because pi's session
// still has the evicted text.
func (c *Capture) Chat(ctx context.Context, t *message.Tree, leaf string, line Line) error {
	if o, err := c.Store.ByKey(ctx, object.ChatKey(c.Session)); err == nil && o.Evicted != 0 {
		return nil
	}
	c.begin()
	b := chat.New(c.Session)
	var lines [][sha256.Size]byte
	asStored := true
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
		if b.Add(&n.Entry, raw) {
			lines = append(lines, sha256.Sum256(raw))
			asStored = asStored && namesItself(n, raw)
		}
		if last = n; first == nil {
			first = n
		}
	}
	if len(b.Chat().Turns) == 0 {
		return nil
	}
	if !asStored {
		lines = nil
	}
	k := object.ChatKey(c.Session)
	doc := &object.Document{Kind: object.KindChat, Content: b.Text(), Chat: b.Chat()}
	c.put(object.NewID(k, 0), k, object.Op{Doc: doc, Lines: lines, Valid: c.validFrom(last)}, object.Activated, leaf)
	if err := c.session(ctx, c.validFrom(first)); err != nil {
		return err
	}
	return c.submit(ctx)
}

// session captures the session itself.
func (c *Capture) session(ctx context.Context, from object.Interval) error {
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
	c.tx.Ops = append(c.tx.Ops, object.Op{Do: object.Put, Key: k, Doc: doc, Valid: from})
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

// namesItself reports whether a result's line has the entry's id, from which the id of its
// object is derived: entries of old sessions get theirs from the tree.
func namesItself(n *message.Node, raw []byte) bool {
	if n.Message.Role != message.RoleToolResult {
		return true
	}
	var p message.Parser
	e, err := p.ParseEntry(raw)
	return err == nil && e.ID == n.ID
}
