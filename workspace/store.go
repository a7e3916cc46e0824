package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// Existing returns the path of the project's store, which must exist: commands that
// maintain the history do not create one.
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

// IsFile reports whether a path is a regular file.
func IsFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// UnderivedText says how many entries the substring indexes lack.
func UnderivedText(n int) string {
	return text.Count(n, "entry") + " not indexed by parts of words yet: searching reads them one by one"
}

// ExistingStore opens the project's store for writing. It fails if there is none.
func (a *Workspace) ExistingStore(ctx context.Context) (*store.Store, error) {
	if there, err := a.HasStore(); err != nil || !there {
		return nil, errors.Join(err, fmt.Errorf("open store: %w", sqlite.ErrNoStore))
	}
	st, _, err := a.Store(ctx, sqlite.Write)
	return st, err
}

// HasStore reports whether the project's store exists, without creating one.
func (a *Workspace) HasStore() (bool, error) {
	pl, err := a.Place()
	if err != nil {
		return false, err
	}
	return IsFile(pl.StorePath(pl.AgentDir)), nil
}

// IndexAll completes the index of words, then works on the substring indexes until stop
// returns true. It returns how many entries those still lack. stop may be nil.
func (a *Workspace) IndexAll(ctx context.Context, st *store.Store, stop func() bool) (left int, err error) {
	if _, err := st.CatchUp(ctx); err != nil {
		return 0, err
	}
	lacking, err := st.Search.Behind(ctx)
	if err != nil {
		return 0, err
	}
	to, end := a.Counter("indexing parts of words", int64(lacking))
	defer end()
	_, err = st.Search.Derive(ctx, func() bool {
		if left, err := st.Search.Behind(ctx); err == nil {
			to(int64(lacking - left))
		}
		return ctx.Err() != nil || stop != nil && stop()
	})
	if err = errors.Join(err, ctx.Err()); err != nil {
		return 0, err
	}
	return st.Search.Underived(ctx)
}

// OpenStore opens a store. A store of an older schema that is opened for writing is first
// set aside, with a warning of what only it has.
func (a *Workspace) OpenStore(ctx context.Context, path string, mode sqlite.Mode) (*store.Store, error) {
	st, err := store.Open(ctx, path, mode, a.Env.Now)
	if mode != sqlite.Write || !errors.Is(err, sqlite.ErrOlder) {
		return st, err
	}
	old, err := sqlite.SetAside(ctx, path, a.Env.Now)
	if err != nil {
		return nil, err
	}
	if old != nil {
		warnAside(a.Warning, old)
	}
	return store.Open(ctx, path, mode, a.Env.Now)
}

// warnAside says where a store of an older schema is kept, and what only it has.
func warnAside(warn func(text, hint string), old *sqlite.Aside) {
	var only []string
	for _, c := range []struct {
		n           int
		noun, after string
	}{
		{old.Summaries, "summary", ""},
		{old.Objects, "object", ""},
		{old.Versions, "version", " of objects and files"},
		{old.Marks, "pruned result", ""},
		{old.Pins, "pin", ""},
		{old.Purged, "purged text", ", to be purged again after the import"},
		{old.Sessions, "session", " whose file is gone"},
	} {
		if c.n > 0 {
			only = append(only, text.Count(c.n, c.noun)+c.after)
		}
	}
	kept := fmt.Sprintf("the store was made by an older pictx (schema %d of %d): it is kept as %s, and a new one begun",
		old.Schema, sqlite.SchemaVersion(), old.Path)
	if len(only) == 0 {
		warn(kept, "pictx import")
		return
	}
	warn(kept, "")
	warn("only the old one has "+strings.Join(only, "; "), "pictx import")
}
