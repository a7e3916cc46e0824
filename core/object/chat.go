package object

import "github.com/coctostan/pictx/core/message"

// ChatText composes the text of a chat from the lines of its entries: what the user and the model said,
// with a reference to each tool call.
type ChatText struct {
	session string
	turns   int
	text    []byte
	parser  message.Parser
}

// NewChatText returns a ChatText for the chat of a session.
func NewChatText(session string) *ChatText { return &ChatText{session: session} }

// Turns returns the number of messages of the user so far.
func (b *ChatText) Turns() int { return b.turns }

// Text returns the text composed so far, nil for none.
func (b *ChatText) Text() []byte { return b.text }

// Add adds an entry, whose line is raw. Entries other than messages add nothing.
func (b *ChatText) Add(e *message.Entry, raw []byte) {
	switch e.Message.Role {
	case message.RoleUser:
		b.turns++
		b.say("user", Said(e, raw))
	case message.RoleAssistant:
		if said := Said(e, raw); said != "" {
			b.say("assistant", said)
		}
	case message.RoleToolResult:
		b.result(e)
	}
}

// AddLine is Add for a line that is not parsed yet.
func (b *ChatText) AddLine(raw []byte) error {
	e, err := b.parser.ParseEntry(raw)
	if err == nil {
		b.Add(&e, raw)
	}
	return err
}

func (b *ChatText) say(role, text string) {
	b.text = append(append(append(append(append(b.text, "--- "...), role...), '\n'), text...), '\n')
}

// result adds a reference to the call that an entry is the result of.
func (b *ChatText) result(e *message.Entry) {
	h := &e.Message
	id := NewID(ToolcallKey(b.session, e.ID, h.ToolCallID), 0)
	status := StatusOK
	if h.IsError {
		status = StatusFail
	}
	b.text = append(b.text, "--- toolcall [ref:"+id+"] tool="+h.ToolName+" status="+string(status)+"\n"...)
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
