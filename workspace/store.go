package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// IsFile reports whether a path is a regular file.
func IsFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// ExistingStore opens the project's store for writing. It fails if there is none.
func (a *Workspace) ExistingStore(ctx context.Context) (*store.Store, error) {
	pl, err := a.Here()
	if err == nil && !IsFile(pl.StorePath()) {
		err = fmt.Errorf("open store: %w", sqlite.ErrNoStore)
	}
	if err != nil {
		return nil, err
	}
	st, _, err := a.Store(ctx, sqlite.Write)
	return st, err
}

// OpenStore opens a store. A store of an older schema that is opened for writing is first
// set aside, with a warning.
func (a *Workspace) OpenStore(ctx context.Context, path string, mode sqlite.Mode) (*store.Store, error) {
	st, err := store.Open(ctx, path, mode, a.Env.Now)
	if mode == sqlite.Write && err == nil {
		return st, finishErase(ctx, a, st)
	}
	if mode != sqlite.Write || !errors.Is(err, sqlite.ErrOlder) {
		return st, err
	}
	kept, err := sqlite.SetAside(ctx, path, a.Env.Now)
	if err != nil {
		return nil, err
	}
	if kept != "" {
		a.Warning("the store was made by an older pictx: it is kept as "+kept+", and a new one begun", "")
		a.Warning("only the old one has its summaries, pins, objects and prunes, and sessions whose files are gone; what was purged has to be purged again", "pictx import")
	}
	return store.Open(ctx, path, mode, a.Env.Now)
}

// finishErase completes an erase that was interrupted.
func finishErase(ctx context.Context, a *Workspace, st *store.Store) error {
	due, err := st.Eraser.Due(ctx)
	if err != nil || !due {
		return err
	}
	a.Warning("an earlier purge or redact was interrupted: rewriting the store, so that what it deleted is gone", "")
	_, err = st.Eraser.Scrub(ctx)
	return err
}
