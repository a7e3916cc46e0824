package health

import (
	"context"
	"fmt"
	"slices"
)

// remedyFix is the remedy for what Repair repairs.
const remedyFix = "pictx history doctor --fix"

// Repaired is what Repair did.
type Repaired struct {
	Copy      string // of the store as it was
	Summaries int    // that were deleted
	Indexed   int    // texts
}

// Repair repairs what Examine found, after copying the store to a file beside it: it deletes
// the summaries whose sources are gone, leaves first and then what was made from them, so
// that they are written again, and rebuilds the indexes if they are wrong.
func (c *Checker) Repair(ctx context.Context, found []Finding) (Repaired, error) {
	var r Repaired
	to := fmt.Sprintf("%s.repair-%s.bak", c.db.Path(), c.db.Now().UTC().Format("20060102T150405"))
	if err := c.db.Backup(ctx, to); err != nil {
		return r, err
	}
	r.Copy = to
	if err := c.db.Narrow(); err != nil {
		return r, err
	}
	var err error
	if r.Summaries, err = c.summaries.DropBroken(ctx); err != nil {
		return r, err
	}
	if slices.ContainsFunc(found, func(f Finding) bool { return f.index }) {
		r.Indexed, err = c.reindex(ctx)
	}
	return r, err
}
