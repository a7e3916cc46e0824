package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

// Existing is the file of this project's store, which must be there: a command that
// cares for the history does not make one.
func (a *Workspace) Existing() (string, error) {
	pl, err := a.Place()
	if err != nil {
		return "", err
	}
	path := pl.StorePath(pl.AgentDir)
	if !IsFile(path) {
		return "", fmt.Errorf("open store %s: %w", path, sqlite.ErrNoStore)
	}
	return path, nil
}

// IsFile reports whether there is a file at a path.
func IsFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// UnderivedText says how many entries the indexes of parts of words lack.
func UnderivedText(n int) string {
	return text.Count(n, "entry") + " not indexed by parts of words yet: searching reads them one by one"
}

// ExistingStore opens the store to write, if there is one.
func (a *Workspace) ExistingStore(ctx context.Context) (*sqlite.Store, error) {
	if there, err := a.HasStore(); err != nil || !there {
		return nil, errors.Join(err, fmt.Errorf("open store: %w", sqlite.ErrNoStore))
	}
	st, _, err := a.Store(ctx, sqlite.Write)
	return st, err
}

// HasStore reports whether the project's store is there: looking makes none.
func (a *Workspace) HasStore() (bool, error) {
	pl, err := a.Place()
	if err != nil {
		return false, err
	}
	return regularFile(pl.StorePath(pl.AgentDir)), nil
}

// IndexAll completes the indexes and returns how many texts the one of words
// lacked.
func (a *Workspace) IndexAll(ctx context.Context, st *sqlite.Store) (int, error) {
	n, err := st.CatchUp(ctx)
	if err != nil {
		return n, err
	}
	lacking, err := st.Underived(ctx)
	if err != nil {
		return n, err
	}
	to, end := a.Counter("indexing parts of words", int64(lacking))
	defer end()
	_, err = st.Derive(ctx, func() bool {
		if left, err := st.Underived(ctx); err == nil {
			to(int64(lacking - left))
		}
		return ctx.Err() != nil
	})
	return n, errors.Join(err, ctx.Err())
}
