package workspace

import (
	"context"
	"errors"
	"io"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/sqlite"
)

// MaskedSources are Sources that show sessions without what the user purged or redacted
// from the project's store.
func MaskedSources(ctx context.Context, a *Workspace) history.Source {
	return history.MaskedSource(a.Sources(), func() (history.Masks, io.Closer, error) {
		st, _, err := a.Store(ctx, sqlite.Read)
		if errors.Is(err, sqlite.ErrNoStore) {
			return nil, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		masks, err := st.Eraser.Masks(ctx)
		return masks, st, err
	})
}
