package policy

import (
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
	plain "github.com/coctostan/pictx/core/text"
)

// Message is one message of a context.
type Message struct {
	// EntryID is the session entry it comes from, "" when unknown.
	EntryID string
	// Head is what is known of the message. It is nil for an element that is not a message,
	// which keeps its position and is otherwise ignored.
	Head *message.Head
	// Marked is set on a tool result whose content is a marker: see marker.Is. Excerpt is set
	// where it is an excerpt: see marker.IsExcerpt.
	Marked, Excerpt bool
}

// NewMessage makes a Message of a head and the bytes it was parsed from. It modifies
// neither and does not retain raw.
func NewMessage(entryID string, h *message.Head, raw []byte) Message {
	return Message{EntryID: entryID, Head: h, Marked: marker.Is(h, raw), Excerpt: marker.HasExcerpt(h, raw)}
}

// Replaced returns a message with its content replaced by a marker or an excerpt or, for an
// assistant message, by other content.
func Replaced(m Message, entryID, by string) Message {
	h := *m.Head
	if h.Role == message.RoleAssistant && marker.IsContent(by) {
		var p message.Parser
		got, err := p.ParseMessage([]byte(`{"role":"assistant","content":` + by + `}`))
		if err != nil {
			return m
		}
		h.Content, h.Calls = got.Content, got.Calls
		return Message{EntryID: entryID, Head: &h}
	}
	h.Content = message.Content{Kind: message.ContentText, Chars: plain.Units(by)}
	excerpt := marker.IsExcerpt(by)
	return Message{EntryID: entryID, Head: &h, Marked: !excerpt, Excerpt: excerpt}
}

// is reports whether there is a message, of a role.
func (m *Message) is(role message.Role) bool { return m.Head != nil && m.Head.Role == role }

// CountResults returns the number of tool results among messages.
func CountResults(messages []Message) int {
	n := 0
	for i := range messages {
		if messages[i].is(message.RoleToolResult) {
			n++
		}
	}
	return n
}
