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

// Spills are the whole outputs that are kept outside the store. An output is found as a
// result of the entry with its excerpt: that entry's text contains one of the output's
// names verbatim.
type Spills interface {
	// EachSpilled passes the outputs to fn, most recently used first, until fn returns
	// false.
	EachSpilled(ctx context.Context, fn func(Spilled) bool) error
}

// InBlobs returns the outputs in a cache.
func InBlobs(cache *blob.Store) Spills { return blobs{cache} }

type blobs struct{ *blob.Store }

// EachSpilled implements Spills. It skips outputs that were just removed or are damaged,
// which is reported elsewhere.
func (b blobs) EachSpilled(ctx context.Context, fn func(Spilled) bool) error {
	all, err := b.List()
	if err != nil {
		return err
	}
	for _, i := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		one, err := b.Peek(i.ID)
		if err != nil {
			continue
		}
		s := Spilled{ID: blob.ShortID(i.ID), Names: []string{blob.ShortID(i.ID)}, Text: one.Text}
		for _, path := range b.Sources(i.ID) {
			s.Names = append(s.Names, filepath.Base(path))
		}
		if !fn(s) {
			break
		}
	}
	return nil
}
