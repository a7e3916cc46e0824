package workspace

import (
	"context"
	"errors"
	"io"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/door"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// Redactor masks what the settings want masked, nil for nothing.
func Redactor(c config.Redact) history.Redactor {
	if f := c.Finder(); f != nil {
		return f
	}
	return nil
}

// MaskedObjects are the objects of a store, into which nothing comes that r masks; it may be
// nil.
func MaskedObjects(st *store.Store, r history.Redactor) object.Store {
	if r == nil {
		return st.Objects.Ports()
	}
	return object.Masked(st.Objects.Ports(), func(text string) string { return history.RedactText(text, r) })
}

// RedactorOf masks what the user wants masked, nil for nothing; with known set keys of
// known formats in any case.
func RedactorOf(a *Workspace, known bool) (history.Redactor, error) {
	pl, err := a.Place()
	if err != nil {
		return nil, err
	}
	set, err := a.LoadSettings(pl)
	if err != nil {
		return nil, err
	}
	set.Config.Redact.KnownKeys = set.Config.Redact.KnownKeys || known
	return Redactor(set.Config.Redact), nil
}

// MaskedSources are Sources that show sessions without what the user purged or redacted
// from the project's store, and without what the settings want masked.
func MaskedSources(ctx context.Context, a *Workspace) history.Source {
	return history.MaskedSource(a.Sources(), func() (history.Masks, io.Closer, error) {
		redactor, err := RedactorOf(a, false)
		if err != nil {
			return nil, nil, err
		}
		st, _, err := a.Store(ctx, sqlite.Read)
		if errors.Is(err, sqlite.ErrNoStore) {
			return door.Masks(nil, redactor), nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		masks, err := st.Eraser.Masks(ctx)
		return door.Masks(masks, redactor), st, err
	})
}
