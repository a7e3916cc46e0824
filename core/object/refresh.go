package object

import (
	"context"
	"errors"
	"maps"
	"slices"
)

// Refresh examines the files of the session as they are on disk, and captures changes: new
// contents, files that are gone or back, and moved files. It returns the number of changed files.
// Files with unchanged metadata are not read.
func (c *Capture) Refresh(ctx context.Context) (int, error) {
	files, err := c.Store.FindObjects(ctx, Query{Kind: KindFile, Session: c.Session})
	if err != nil {
		return 0, err
	}
	return c.RefreshFiles(ctx, files)
}

// RefreshFiles is Refresh for files, which are given in their latest versions.
func (c *Capture) RefreshFiles(ctx context.Context, files []Version) (int, error) {
	c.begin()
	changed := 0
	gone := make(map[string]bool)
	var stats []Stat
	for i := range files {
		v := &files[i]
		st, err := c.Store.StatOf(ctx, v.ID)
		if err != nil {
			return 0, err
		}
		look := c.Files.Look(v.Key.Part(1))
		switch {
		case look.File && (v.Doc.Deleted || st != nil && look.Stat != *st):
			f := fileOp{Capture: c, look: look}
			if err := f.current(ctx); err != nil {
				return 0, err
			}
			changed++
		case look.Gone && !v.Doc.Deleted && (st != nil || !look.Outside):
			if gone[v.ID] = true; st != nil {
				stats = append(stats, *st)
			}
		}
	}
	changed += len(gone)
	if err := c.moved(ctx, gone, stats); err != nil {
		return 0, err
	}
	return changed, c.submit(ctx)
}

// moved records what happened to files that are gone: a new path where a file with the same
// metadata has the same content, else deletion.
func (c *Capture) moved(ctx context.Context, gone map[string]bool, stats []Stat) error {
	if len(stats) > 0 {
		for _, path := range c.Files.Moved(stats) {
			f := fileOp{Capture: c, look: c.Files.Look(path)}
			data, err := f.content()
			if err != nil || !f.look.File {
				continue
			}
			if err := f.identify(ctx, data); err != nil {
				return err
			}
			if !f.moved || !gone[f.id] {
				continue
			}
			delete(gone, f.id)
			// The time of the move is unknown: the modification time is that of the content.
			if err := f.put(ctx, shownFile{content: data, stat: &f.look.Stat}, 0); err != nil {
				return err
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(gone)) {
		c.tx.Ops = append(c.tx.Ops, Op{Do: Delete, ID: id})
	}
	return nil
}

// Latest returns the latest version of an object. It refreshes a file first, and reads one whose
// text is not known.
func (c *Capture) Latest(ctx context.Context, id string) (*Version, error) {
	v, err := c.Store.Get(ctx, id, 0)
	if err != nil || v.Key.Kind != KindFile {
		return v, err
	}
	if look := c.Files.Look(v.Key.Part(1)); v.Unread() && look.File {
		c.begin()
		f := fileOp{Capture: c, look: look}
		if err := f.current(ctx); err != nil {
			return nil, err
		}
		err = c.submit(ctx)
	} else {
		_, err = c.RefreshFiles(ctx, []Version{*v})
	}
	if err != nil {
		return nil, err
	}
	return c.Store.Get(ctx, id, 0)
}

// ignoreUnknown returns nil for an object that does not exist, else err.
func ignoreUnknown(err error) error {
	if errors.Is(err, ErrUnknown) || errors.Is(err, ErrNotYet) {
		return nil
	}
	return err
}
