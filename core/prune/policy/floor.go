package policy

import (
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Terms are what decides whether the cache of a request is lost.
type Terms struct {
	// Now is when the request is sent, in Unix milliseconds.
	Now int64
	// Prices are those of the model that is asked.
	Prices token.Prices
	// Switched is set when the last request went to another model.
	Switched bool
	// Warmed are the times of requests that only kept the cache alive, ascending.
	Warmed []int64
}

// Writes reports whether nothing of the coming request is cached, not even what precedes
// the conversation: the request goes to another model, or the cache is lost or does not
// exist. Compactions, rewrites and branch switches leave what precedes the conversation in
// the cache. last is the previous answer; without one nothing is known.
func (s *Terms) Writes(last *message.Head) bool {
	if last == nil {
		return false
	}
	if !s.Prices.Caches() || s.Switched {
		return true
	}
	used := s.lastUse(last.Timestamp)
	return s.Now > 0 && used > 0 && s.Prices.Cold(time.Duration(s.Now-used)*time.Millisecond)
}

// lastUse returns when a cache was used last: the time used of the last call or, if every
// later keep-alive request came in time, that of the last of these.
func (s *Terms) lastUse(used int64) int64 {
	at := used
	for _, t := range s.Warmed {
		if t <= at {
			continue
		}
		if s.Prices.Cold(time.Duration(t-at) * time.Millisecond) {
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

// Switched reports whether a request goes to another model than the answer h came from; a
// model "" is the same model, and without an answer there is none to switch from.
func Switched(h *message.Head, provider, model string) bool {
	return h != nil && model != "" && (h.Model != model || provider != "" && h.Provider != provider)
}

// Warmed returns the times, in Unix milliseconds, of the requests of a branch that only
// kept the provider's cache alive.
func Warmed(asides []*message.Node) (times []int64) {
	for _, n := range asides {
		if n.Type == message.EntryUsage && n.Kind == message.UsageWarm {
			times = append(times, n.Time)
		}
	}
	return times
}
