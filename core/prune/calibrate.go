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
	var l regression
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
				n -= int64(bill.DeclaredAt(in.Situation.Declared, m.Head.Timestamp).Tokens()) // it is no part of the floor
				l.add(float64(t.sum), float64(n))
			}
			t.answer = m.Head
		}
		t.add(in, i)
	}
	return l.fit()
}

// regression is a linear regression.
type regression struct {
	n, x, y, xx, xy float64
	minX, maxX      float64
}

func (l *regression) add(x, y float64) {
	if l.n == 0 {
		l.minX, l.maxX = x, x
	}
	l.minX, l.maxX = min(l.minX, x), max(l.maxX, x)
	l.n, l.x, l.y, l.xx, l.xy = l.n+1, l.x+x, l.y+y, l.xx+x*x, l.xy+x*y
}

// fit returns the line as a floor and a scale. Too few prompts, or prompts too
// much alike, say nothing about the scale.
func (l *regression) fit() (token.Count, float64) {
	const (
		spread    = 5000 // tokens
		low, high = 0.7, 2.5
	)
	if l.n == 0 {
		return 0, 1
	}
	scale := 1.0
	if l.n > 2 && l.maxX-l.minX >= spread {
		scale = (l.n*l.xy - l.x*l.y) / (l.n*l.xx - l.x*l.x)
		scale = max(low, min(scale, high))
	}
	return token.Count(max(0, (l.y-scale*l.x)/l.n)), scale
}
