package object

import (
	"context"
	"errors"
	"fmt"

	"github.com/coctostan/pictx/core/message"
)

// Chat captures the conversation of a branch as one document, and the session itself.
func (c *Capture) Chat(ctx context.Context, t *message.Tree, leaf string, line Line) error {
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
		b.add(&n.Entry, raw)
		if last = n; first == nil {
			first = n
		}
	}
	if len(b.text) == 0 {
		return nil
	}
	c.begin()
	chat, session := ChatKey(c.Session), SessionKey(c.Session)
	doc := &Document{Kind: KindChat, Content: b.text, Chat: &Chat{Session: NewID(session, 0), Leaf: last.ID, Turns: b.turns}}
	c.put(NewID(chat, 0), Op{Key: chat, Doc: doc, At: c.at(last)}, Activated, leaf)
	about := &Session{Harness: "pi", SessionID: c.Session, Chat: NewID(chat, 0)}
	id, known, err := c.id(ctx, SystemPromptKey(c.Session))
	if err != nil {
		return err
	}
	if known {
		about.SystemPrompts = []string{id}
	}
	c.tx.Ops = append(c.tx.Ops, Op{Do: Put, Key: session, Doc: &Document{Kind: KindSession, Session: about}, At: c.at(first)})
	return c.submit(ctx)
}

// at is when something recorded at an entry became known: the entry's time in a past
// session, else 0 for now.
func (c *Capture) at(n *message.Node) Time {
	if c.past == nil {
		return 0
	}
	return timeOf(n)
}

// SystemPrompt captures the system prompt of a run.
func (c *Capture) SystemPrompt(ctx context.Context, leaf, prompt string) error {
	c.begin()
	k := SystemPromptKey(c.Session)
	doc := &Document{Kind: KindSystemPrompt, Content: []byte(prompt), SystemPrompt: &SystemPrompt{
		Session: NewID(SessionKey(c.Session), 0),
	}}
	c.put(NewID(k, 0), Op{Key: k, Doc: doc}, Activated, leaf)
	return c.submit(ctx)
}

// ChatText composes the text of a chat from the lines of its entries: what the user and the model said,
// with a reference to each tool call.
type ChatText struct {
	session string
	turns   int // the messages of the user
	text    []byte
	parser  message.Parser
}

// NewChatText returns a ChatText for the chat of a session.
func NewChatText(session string) *ChatText { return &ChatText{session: session} }

// Text returns the text composed so far, nil for none.
func (b *ChatText) Text() []byte { return b.text }

// AddLine adds the line of an entry.
func (b *ChatText) AddLine(raw []byte) error {
	e, err := b.parser.ParseEntry(raw)
	if err == nil {
		b.add(&e, raw)
	}
	return err
}

// add adds an entry, whose line is raw. Entries other than messages add nothing.
func (b *ChatText) add(e *message.Entry, raw []byte) {
	h := &e.Message
	switch h.Role {
	case message.RoleUser:
		b.turns++
		b.text = fmt.Appendf(b.text, "--- user\n%s\n", Said(e, raw))
	case message.RoleAssistant:
		if said := Said(e, raw); said != "" {
			b.text = fmt.Appendf(b.text, "--- assistant\n%s\n", said)
		}
	case message.RoleToolResult:
		id := NewID(ToolcallKey(b.session, e.ID, h.ToolCallID), 0)
		b.text = fmt.Appendf(b.text, "--- toolcall [ref:%s] tool=%s status=%s\n", id, h.ToolName, statusOf(h.IsError))
	}
}

// Said returns what the user or the model says in an entry, without thinking and calls; ""
// for other entries.
func Said(e *message.Entry, raw []byte) string {
	switch e.Message.Role {
	case message.RoleUser:
		return string(e.AppendBody(nil, raw))
	case message.RoleAssistant:
		return e.Message.Text(e.Body.Of(raw))
	}
	return ""
}
