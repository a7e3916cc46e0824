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
func (a *Workspace) ExistingStore(ctx context.Context) (*store.Store, error) {
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
	return IsFile(pl.StorePath(pl.AgentDir)), nil
}

// IndexAll completes the indexes, that of words and then those of parts of words until stop
// returns true, and returns how many entries the latter lack then. stop may be nil.
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

// OpenStore opens a store. When a store of an older schema is opened to write, it is set
// aside first, and what only it has is said. Whoever writes may keep sessions from storing
// their last entries, and does that for them at the end.
func (a *Workspace) OpenStore(ctx context.Context, path string, mode sqlite.Mode) (*store.Store, error) {
	if mode == sqlite.Write {
		a.AtEnd = append(a.AtEnd, func() { takeUpLate(context.WithoutCancel(ctx), a, path, lateEndTime) })
	}
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

// warnAside says where a store of an older schema is now, and what only it has.
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
