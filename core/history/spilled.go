package history

import (
	"context"
	"path/filepath"

	"github.com/coctostan/pictx/core/blob"
)

// Spilled is a whole output of which a session has an excerpt.
type Spilled struct {
	ID    string // with which Expand's callers show it
	Names []string
	Text  []byte
}

// Spills passes the whole outputs that are kept outside the store to fn, most recently used first,
// until fn returns false. An output is found as a result of the entry with its excerpt: that
// entry's text contains one of the output's names verbatim.
type Spills func(ctx context.Context, fn func(Spilled) bool) error

// InBlobs returns the outputs in a cache. It skips those that were just removed or are damaged,
// which is reported elsewhere.
func InBlobs(cache *blob.Store) Spills {
	return func(ctx context.Context, fn func(Spilled) bool) error {
		all, err := cache.List()
		if err != nil {
			return err
		}
		for _, i := range all {
			if err := ctx.Err(); err != nil {
				return err
			}
			one, err := cache.Peek(i.ID)
			if err != nil {
				continue
			}
			s := Spilled{ID: blob.ShortID(i.ID), Names: []string{blob.ShortID(i.ID)}, Text: one.Text}
			for _, path := range cache.Sources(i.ID) {
				s.Names = append(s.Names, filepath.Base(path))
			}
			if !fn(s) {
				break
			}
		}
		return nil
	}
}
