package prune

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// calibrate reads off the recorded usage of the calls of a context how large what
// comes before the conversation is, and how many tokens the provider counts for
// one that pi estimates: a line through the prompts of all calls. Without usage
// it is 0 and 1.
func calibrate(in *Input) (floor token.Count, scale float64) {
	var l token.Line
	var t replayState
	for i := range in.Messages {
		m := &in.Messages[i]
		if m.Head == nil {
			continue
		}
		switch m.Head.Role {
		case message.RoleCompactionSummary:
			t.born, t.answer = m.Head.Timestamp, nil
		case message.RoleUser:
			t.answer = nil
		case message.RoleAssistant:
			u := m.Head.Usage
			if n := u.Input + u.CacheRead + u.CacheWrite; m.Head.HasUsage && n > 0 && t.isCall(m.Head) {
				t.mark(in, i)
				n -= int64(bill.DeclaredAt(in.Situation.Declared, m.Head.Timestamp).Tokens()) // the floor does not include it
				l.Add(float64(t.sum), float64(n))
			}
			t.answer = m.Head
		}
		t.add(in, i)
	}
	return l.Fit()
}
