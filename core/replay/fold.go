package replay

import (
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
)

// fold folds the beginning of the context before a request. What the extract says is not known:
// every text that stood there counts as gone.
func (s *run) fold(i int, f *policy.Fold) {
	s.Folds++
	for at, m := range s.ctx[:f.Keep] {
		k := &mark{message: m, request: i, folded: true}
		if at == f.Keep-1 {
			k.tokens, k.blocks = f.Summary, 1
		}
		if !s.state[m].hides() {
			s.present++
		}
		s.state[m] = k
		s.marks = append(s.marks, k)
		s.view[at] = foldedAway(s.view[at].EntryID, k.tokens)
	}
	if s.FirstPrune == 0 {
		s.FirstPrune = i + 1
	}
}

// foldedAway is a message that was folded, as a planner sees it: the extract of all of them, of a
// size, or nothing.
func foldedAway(entry string, tokens token.Count) policy.Message {
	m := policy.Message{EntryID: entry}
	if tokens > 0 {
		m.Head = &message.Head{Role: message.RoleCompactionSummary, Body: message.Span{End: 4*int(tokens) + len(`""`)}}
	}
	return m
}
