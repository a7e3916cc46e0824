package ledger

import (
	"fmt"
	"time"

	"github.com/coctostan/pictx/core/message"
)

// Writes reports whether the coming request, which follows that of the answer last, is
// written as a whole, with what comes before the conversation: another model is asked, or
// the cache is lost or there is none. A compaction, a rewrite and another branch leave what
// comes before the conversation in the cache. Without an answer nothing is known.
func (s *Terms) Writes(last *message.Head) bool {
	if last == nil {
		return false
	}
	p := s.Prices
	if !s.KnownPrices {
		p = unknownPrices()
	}
	if !p.Caches() || s.ModelSwitched {
		return true
	}
	used := s.lastUse(p.Cold, last.Timestamp)
	return s.Now > 0 && used > 0 && p.Cold(time.Duration(s.Now-used)*time.Millisecond)
}

// lastUse is when a cache was used last: by the call at used, or by the requests after it
// that kept it in use, if all of those came in time.
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

// LastRequest is the newest answer of a session whose request was billed, on whatever
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

// Warmed lists the times, in Unix milliseconds, of the requests of a branch that only kept
// the provider's cache in use. Line returns the bytes of an entry.
func Warmed(asides []*message.Node, line func(*message.Node) ([]byte, error)) ([]int64, error) {
	var times []int64
	var p message.Parser
	for _, n := range asides {
		if n.Type != message.EntryUsage {
			continue
		}
		raw, err := line(n)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		if p.StringMember(raw, "kind") == "cache_warm" {
			times = append(times, n.Time)
		}
	}
	return times, nil
}
