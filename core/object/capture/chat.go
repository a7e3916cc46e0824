package capture

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
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
	b := chatBuilder{Capture: c, chat: &object.Chat{Session: object.NewID(object.SessionKey(c.Session), 0)}}
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
		b.add(n, raw)
		if last = n; first == nil {
			first = n
		}
	}
	if len(b.chat.Turns) == 0 {
		return nil
	}
	k := object.ChatKey(c.Session)
	doc := &object.Document{Kind: object.KindChat, Content: []byte(b.text.String()), Chat: b.chat}
	c.put(object.NewID(k, 0), k, object.Op{Doc: doc, Valid: c.validFrom(last)}, object.Activated, leaf)
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

// chatBuilder assembles a chat.
type chatBuilder struct {
	*Capture
	chat *object.Chat
	text strings.Builder
}

// add adds a message.
func (b *chatBuilder) add(n *message.Node, raw []byte) {
	h := &n.Message
	switch h.Role {
	case message.RoleUser:
		text := string(n.AppendBody(nil, raw))
		b.chat.Turns = append(b.chat.Turns, object.Turn{User: text})
		fmt.Fprintf(&b.text, "--- user\n%s\n", text)
	case message.RoleAssistant:
		turn := b.turn()
		text := spoken(n, raw)
		turn.Assistant = append(turn.Assistant, text)
		for _, call := range h.Calls {
			turn.ToolcallIDs = append(turn.ToolcallIDs, call.ID)
		}
		turn.Meta = append(turn.Meta, metaOf(n, raw))
		if text != "" {
			fmt.Fprintf(&b.text, "--- assistant\n%s\n", text)
		}
	case message.RoleToolResult:
		id := object.NewID(b.key(n), 0)
		status := object.StatusOK
		if h.IsError {
			status = object.StatusFail
		}
		b.chat.Toolcalls = append(b.chat.Toolcalls, id)
		fmt.Fprintf(&b.text, "--- toolcall [ref:%s] tool=%s status=%s\n", id, h.ToolName, status)
	}
}

// turn returns the current turn. Messages before the first one of the user belong to a turn
// without a user message.
func (b *chatBuilder) turn() *object.Turn {
	if len(b.chat.Turns) == 0 {
		b.chat.Turns = append(b.chat.Turns, object.Turn{})
	}
	return &b.chat.Turns[len(b.chat.Turns)-1]
}

// spoken returns the text of a response, without thinking and calls.
func spoken(n *message.Node, raw []byte) string {
	body, h := n.Body.Of(raw), &n.Message
	if h.Content.Kind == message.ContentText {
		return message.Unquote(h.Content.Span.Of(body))
	}
	var texts []string
	for _, b := range h.Content.Blocks {
		if b.Kind == message.BlockText {
			texts = append(texts, message.Unquote(b.Text.Of(body)))
		}
	}
	return strings.Join(texts, "\n")
}

// metaOf returns the metadata that pi keeps about a response.
func metaOf(n *message.Node, raw []byte) object.AssistantMeta {
	var p message.Parser
	body, h := n.Body.Of(raw), &n.Message
	m := object.AssistantMeta{Provider: h.Provider, Model: h.Model, StopReason: h.StopReason, Timestamp: h.Timestamp}
	if s, err := p.Member(body, "api"); err == nil {
		m.API = message.Unquote(s.Of(body))
	}
	if s, err := p.Member(body, "usage"); err == nil && s.End > 0 {
		m.Usage = jsontext.Value(append([]byte(nil), s.Of(body)...))
	}
	return m
}
