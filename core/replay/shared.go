package replay

import (
	"sync"

	"github.com/coctostan/pictx/core/message"
)

// Origins knows which requests were replayed, so that those that forks share are billed once.
// It may be used concurrently.
type Origins struct {
	mu   sync.Mutex
	seen map[origin]bool
}

// origin identifies a request in all copies of its session.
type origin struct {
	entry, model string
	time         int64
	usage        message.Usage
}

// Claim sets Recording.Shared and returns how many requests other recordings have claimed
// before.
func (o *Origins) Claim(r *Recording) (shared int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen == nil {
		o.seen = make(map[origin]bool)
	}
	for i := range r.Requests {
		n := r.Requests[i].Answer
		key := origin{n.ID, n.Message.Model, n.Time, n.Message.Usage}
		if o.seen[key] {
			if r.Shared == nil {
				r.Shared = make([]bool, len(r.Requests))
			}
			r.Shared[i] = true
			shared++
		}
		o.seen[key] = true
	}
	return shared
}
