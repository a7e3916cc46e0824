package prune

import (
	"fmt"

	"github.com/coctostan/pictx/core/message"
)

// CollapsesBefore counts, like Collapses, the calls before each compaction on the
// branch: a provider whose cache did not do there what the prices promise will not
// do it afterwards. A call that a compaction kept is counted on both sides, which
// errs on the careful one.
func (b *Branch) CollapsesBefore(sit Situation) (int, error) {
	sit.Now, sit.ModelSwitched, sit.Moved = 0, false, false
	n := 0
	for _, node := range b.source.path {
		if node.Type != message.EntryCompaction {
			continue
		}
		past, err := NewBranch(b.Session, b.source.tree, node.ParentID, b.source.line, b.stored)
		if err != nil {
			return 0, fmt.Errorf("read what was compacted: %w", err)
		}
		n += Collapses(sit, past.Messages)
	}
	return n, nil
}
