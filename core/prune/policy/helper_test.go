package policy

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
)

// list is a context as JSON, one message per element.
type list [][]byte

func user() string { return `{"role":"user","content":"go on"}` }

// call is an assistant message with one call.
func call(id, tool, args string) string {
	return fmt.Sprintf(`{"role":"assistant","content":[{"type":"toolCall","id":%q,"name":%q,"arguments":%s}]}`, id, tool, args)
}

// result is a tool result of the given size.
func result(id, tool string, tokens int) string {
	return fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":%q,"content":[{"type":"text","text":%q}],"isError":false,"x":[1e400,"\ud800"]}`,
		id, tool, strings.Repeat("x", 4*tokens))
}

func failed(r string) string { return strings.Replace(r, `"isError":false`, `"isError":true`, 1) }

// of makes a list of messages.
func of(messages ...string) list {
	l := make(list, len(messages))
	for i, m := range messages {
		l[i] = []byte(m)
	}
	return l
}

// parse reads the heads of a list. Anything but a message has none.
func (l list) parse() []Message {
	var p message.Parser
	out := make([]Message, len(l))
	for i, raw := range l {
		if h, err := p.ParseMessage(raw); err == nil {
			out[i] = NewMessage(fmt.Sprintf("e%d", i), &h, raw)
		}
	}
	return out
}

// apply returns the list with a plan's edits.
func (l list) apply(p Plan) list {
	out := append(list(nil), l...)
	for _, e := range p.Edits {
		var parser message.Parser
		h, err := parser.ParseMessage(l[e.Index])
		if err != nil {
			panic(err)
		}
		out[e.Index] = message.AppendWithContent(nil, l[e.Index], &h, e.Content())
	}
	return out
}

// settings are small numbers: a minimum of 20 tokens, 40 protected, no turns.
func settings() SeedSettings {
	s := DefaultSeed()
	s.Minimum, s.Protect, s.ProtectedTurns = 20, 40, 0
	return s
}

// edited returns the positions a plan edits.
func edited(p Plan) []int {
	out := []int{}
	for _, e := range p.Edits {
		out = append(out, e.Index)
	}
	return out
}

// why returns the code of the reason for what happens to a message.
func why(p Plan, index int) string {
	for _, e := range p.Edits {
		if e.Index == index {
			return e.Reason.Code
		}
	}
	for _, k := range p.Kept {
		if k.Index == index {
			return k.Reason.Code
		}
	}
	return ""
}

// split reads a JSON array of messages for a fuzz target: what is none is not an
// input of interest.
func split(t testing.TB, data []byte) list {
	d := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var l list
	if tok, err := d.ReadToken(); err != nil || tok.Kind() != jsontext.KindBeginArray {
		t.Skip()
	}
	for d.PeekKind() != jsontext.KindEndArray {
		v, err := d.ReadValue()
		if err != nil {
			t.Skip()
		}
		l = append(l, bytes.Clone(v))
	}
	return l
}
