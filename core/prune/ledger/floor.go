package ledger

import (
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Writes reports whether nothing of the coming request is cached, not even what precedes
// the conversation: the request goes to another model, or the cache is lost or does not
// exist. Compactions, rewrites and branch switches leave what precedes the conversation in
// the cache. last is the previous answer; without one nothing is known.
func (s *Terms) Writes(last *message.Head) bool {
	if last == nil {
		return false
	}
	p := s.Prices
	if !s.KnownPrices {
		p = token.Unknown()
	}
	if !p.Caches() || s.ModelSwitched {
		return true
	}
	used := s.lastUse(p.Cold, last.Timestamp)
	return s.Now > 0 && used > 0 && p.Cold(time.Duration(s.Now-used)*time.Millisecond)
}

// lastUse returns when a cache was used last: the time used of the last call or, if every
// later keep-alive request came in time, that of the last of these.
func (s *Terms) lastUse(cold func(time.Duration) bool, used int64) int64 {
	at := used
	for _, t := range s.Warmed {
		if t <= at {
			continue
		}
		if cold(time.Duration(t-at) * time.Millisecond) {
			return used
		}
		at = t
	}
	return at
}

// LastRequest returns the newest answer of a session whose request was billed, on any
// branch, nil without one.
func LastRequest(t *message.Tree) *message.Head {
	for i := len(t.Nodes) - 1; i >= 0; i-- {
		n := &t.Nodes[i]
		if n.Type == message.EntryMessage && n.Message.Role == message.RoleAssistant && !message.Unbilled(&n.Message) {
			return &n.Message
		}
	}
	return nil
}

// LastAnswer returns the newest answer of the model on a path that was not aborted, nil
// without one.
func LastAnswer(path []*message.Node) *message.Head {
	for i := len(path) - 1; i >= 0; i-- {
		if isAnswer(path[i]) {
			return &path[i].Message
		}
	}
	return nil
}

func isAnswer(n *message.Node) bool {
	return n.Type == message.EntryMessage && n.Message.Role == message.RoleAssistant && !message.Voided(&n.Message)
}

// Moved reports whether a session's last request was made on another branch than the path's.
func Moved(t *message.Tree, path []*message.Node) bool {
	for i := len(t.Nodes) - 1; i >= 0; i-- {
		if n := &t.Nodes[i]; isAnswer(n) {
			return &n.Message != LastAnswer(path)
		}
	}
	return false
}

// Switched reports whether a request goes to another model than the answer h came from; a
// model "" is the same model, and without an answer there is none to switch from.
func Switched(h *message.Head, provider, model string) bool {
	return h != nil && model != "" && (h.Model != model || provider != "" && h.Provider != provider)
}

// Warmed returns the times, in Unix milliseconds, of the requests of a branch that only
// kept the provider's cache alive.
func Warmed(asides []*message.Node, _ func(*message.Node) ([]byte, error)) (times []int64, err error) {
	for _, n := range asides {
		if n.Type == message.EntryUsage && n.Kind == message.UsageWarm {
			times = append(times, n.Time)
		}
	}
	return times, nil
}
