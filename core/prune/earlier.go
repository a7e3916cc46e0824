package prune

import (
	"fmt"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
)

// Past is what the calls of a session did whose messages are not in its context
// any more.
type Past struct {
	// Bill is what they were billed.
	Bill bill.Bill
	// Collapsed counts those of them that Situation.Collapsed is about.
	Collapsed int
}

// PastOf is what the past of a context will be once it is compacted: what its own
// calls did, and what the situation knows of those before.
func PastOf(sit Situation, messages []Message) Past {
	in := NewInput(messages)
	in.Situation = sit
	in.Situation.Now, in.Situation.ModelSwitched, in.Situation.Moved = 0, false, false
	a := in.account()
	return Past{a.Bill, sit.Collapsed + a.Collapses}
}

// withPast returns the situation with what happened on the branch before its last
// compaction: an account that started over would count what was saved as lost, and a
// provider whose cache did not keep what the prices promise will not keep it
// afterwards. The bill of a call that a compaction kept counts once, a collapse on
// both sides, which errs on the careful one.
func (b *Branch) withPast(sit Situation) (Situation, error) {
	if b.follower != nil {
		return b.follower.withPast(sit)
	}
	return b.pastOf(sit)
}

// pastOf is withPast, worked out from the entries.
func (b *Branch) pastOf(sit Situation) (Situation, error) {
	with := sit
	for _, node := range b.source.asides() {
		if node.Type != message.EntryCompaction {
			continue
		}
		before, err := NewBranch(b.Session, b.source.tree, node.ParentID, b.source.line, b.stored)
		if err != nil {
			return sit, fmt.Errorf("read what was compacted: %w", err)
		}
		past := PastOf(with, before.Messages)
		with.Before, with.Collapsed = past.Bill, past.Collapsed
	}
	return with, nil
}
