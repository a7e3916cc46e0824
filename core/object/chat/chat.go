// Package chat composes a chat object from the lines of the entries that it consists of.
//
// Everything that a chat says is in lines of its session, which the store has anyway. So a
// version of a chat is kept as a list of references to lines, and its text and its document
// are composed when they are read. What a line contributes depends on the session and on
// that line alone: capture and sqlite/texts use the same Builder, and the hashes of a
// version show that both composed the same.
package chat

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
)

// Builder composes a chat, line by line.
type Builder struct {
	session string
	chat    object.Chat
	text    []byte
	parser  message.Parser
}

// New returns a Builder for the chat of a session.
func New(session string) *Builder {
	return &Builder{session: session, chat: object.Chat{Session: object.NewID(object.SessionKey(session), 0)}}
}

// Chat returns the chat composed so far.
func (b *Builder) Chat() *object.Chat { return &b.chat }

// Text returns its content.
func (b *Builder) Text() []byte { return b.text }

// Add adds an entry, whose line is raw, and reports whether it is part of a chat.
func (b *Builder) Add(e *message.Entry, raw []byte) bool {
	switch e.Message.Role {
	case message.RoleUser:
		turn := object.Turn{User: Said(e, raw)}
		b.chat.Turns = append(b.chat.Turns, turn)
		b.say("user", turn.User)
	case message.RoleAssistant:
		b.answer(e, raw)
	case message.RoleToolResult:
		b.result(e)
	default:
		return false
	}
	return true
}

// AddLine is Add for a line that is not parsed yet.
func (b *Builder) AddLine(raw []byte) error {
	e, err := b.parser.ParseEntry(raw)
	if err == nil {
		b.Add(&e, raw)
	}
	return err
}

func (b *Builder) say(role, text string) {
	b.text = append(append(append(append(append(b.text, "--- "...), role...), '\n'), text...), '\n')
}

func (b *Builder) answer(e *message.Entry, raw []byte) {
	turn := b.turn()
	text := Said(e, raw)
	turn.Assistant = append(turn.Assistant, text)
	for _, call := range e.Message.Calls {
		turn.ToolcallIDs = append(turn.ToolcallIDs, call.ID)
	}
	turn.Meta = append(turn.Meta, b.meta(e, raw))
	if text != "" {
		b.say("assistant", text)
	}
}

// result adds a reference to the call that an entry is the result of.
func (b *Builder) result(e *message.Entry) {
	h := &e.Message
	id := object.NewID(object.ToolcallKey(b.session, e.ID, h.ToolCallID), 0)
	status := object.StatusOK
	if h.IsError {
		status = object.StatusFail
	}
	b.chat.Toolcalls = append(b.chat.Toolcalls, id)
	b.text = append(b.text, "--- toolcall [ref:"+id+"] tool="+h.ToolName+" status="+string(status)+"\n"...)
}

// IsHeading reports whether one of some words, or one that begins with the last of them if
// that is a prefix, may be in the headings of a chat, which are not in its lines. tools are
// the words in the names of tools.
func IsHeading(words []string, prefix bool, tools []string) bool {
	const hex = "0123456789abcdef"
	fixed := strings.Fields("user assistant toolcall ref o tool status ok fail")
	for i, w := range words {
		begins := prefix && i == len(words)-1
		if strings.Trim(w, hex) == "" && (begins || len("o-"+w) == len(object.NewID(object.Key{}, 0))) {
			return true
		}
		for _, names := range [][]string{fixed, tools} {
			for _, name := range names {
				if name == w || begins && strings.HasPrefix(name, w) {
					return true
				}
			}
		}
	}
	return false
}

// turn returns the current turn. Messages before the first one of the user belong to a turn
// without a user message.
func (b *Builder) turn() *object.Turn {
	if len(b.chat.Turns) == 0 {
		b.chat.Turns = append(b.chat.Turns, object.Turn{})
	}
	return &b.chat.Turns[len(b.chat.Turns)-1]
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

// meta returns the metadata that pi keeps about a response.
func (b *Builder) meta(e *message.Entry, raw []byte) object.AssistantMeta {
	body, h := e.Body.Of(raw), &e.Message
	m := object.AssistantMeta{Provider: h.Provider, Model: h.Model, StopReason: h.StopReason, Timestamp: h.Timestamp}
	var p message.Parser // the entry may be in that of b
	if s, err := p.Member(body, "api"); err == nil {
		m.API = message.Unquote(s.Of(body))
	}
	if s, err := p.Member(body, "usage"); err == nil && s.End > 0 {
		m.Usage = jsontext.Value(append([]byte(nil), s.Of(body)...))
	}
	return m
}
