package replay

import (
	"github.com/coctostan/pictx/core/message"
)

// message returns a message of the context as it is now.
func (s *run) message(index int) (*message.Head, []byte) {
	m := s.ctx[index]
	var p message.Parser
	h, raw, err := s.rec.messages[m].item.Message(&p, s.rec.line)
	if err != nil {
		return nil, nil
	}
	if k := s.state[m]; k != nil && !s.policy.Stateless {
		e := s.edit(k, 0)
		raw = message.AppendWithContent(nil, raw, &h, e.Content())
		if h, err = p.ParseMessage(raw); err != nil {
			return nil, nil
		}
	}
	return &h, raw
}

// textOf returns the text of an answer with this content, a JSON value.
func textOf(content string) string {
	raw := []byte(`{"role":"assistant","content":` + content + `}`)
	var p message.Parser
	h, err := p.ParseMessage(raw)
	if err != nil {
		return ""
	}
	e := message.Entry{Type: message.EntryMessage, Message: h, Body: message.Span{End: len(raw)}}
	return string(e.AppendBody(nil, raw))
}
