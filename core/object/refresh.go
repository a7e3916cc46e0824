package object

import (
	"context"
)

// Refresh examines the files of the session, or those with the given ids, and captures
// changes: new contents, files that are gone or back, and moved files. It returns the
// number of changed files. Files with unchanged metadata are not read.
func (c *Capture) Refresh(ctx context.Context, ids ...string) (int, error) {
	c.begin()
	if len(ids) == 0 {
		var err error
		if ids, err = c.objects(ctx); err != nil {
			return 0, err
		}
	}
	changed := 0
	var gone []Object
	var stats []Stat
	for _, id := range ids {
		o, st, look, err := c.look(ctx, id)
		switch {
		case err != nil:
			return 0, err
		case st == nil || look.File && look.Stat == *st:
		case look.Gone:
			gone, stats = append(gone, o), append(stats, *st)
		case look.File:
			f := fileOp{Capture: c, look: look}
			if err := f.current(ctx); err != nil {
				return 0, err
			}
			changed++
		}
	}
	if err := c.moved(ctx, gone, stats); err != nil {
		return 0, err
	}
	return changed + len(gone), c.submit(ctx)
}

// Load reads a file of the project that was so far only named. Other versions, and files
// that are missing or not text, are left unchanged.
func (c *Capture) Load(ctx context.Context, v *Version) error {
	if v.Doc.Kind != KindFile || v.Missing() != MissingUnread {
		return nil
	}
	f := fileOp{Capture: c, look: c.Files.Look(v.Key.Part(1))}
	if !f.look.File {
		return nil
	}
	c.begin()
	if err := f.current(ctx); err != nil {
		return err
	}
	return c.submit(ctx)
}

// objects returns the ids of the objects that occurred in the session, in order.
func (c *Capture) objects(ctx context.Context) ([]string, error) {
	events, err := c.Store.Events(ctx, c.Session)
	var out []string
	known := make(map[string]bool)
	for _, e := range events {
		if !known[e.Object] {
			known[e.Object] = true
			out = append(out, e.Object)
		}
	}
	return out, err
}

// look returns the present state of a file with content, and its metadata when it was read;
// nil for anything else.
func (c *Capture) look(ctx context.Context, id string) (Object, *Stat, Look, error) {
	o, err := c.Store.Resolve(ctx, id)
	if err != nil || o.Key.Kind != KindFile {
		return o, nil, Look{}, ignoreUnknown(err)
	}
	v, err := c.Store.Get(ctx, o.ID, 0)
	if err != nil {
		return o, nil, Look{}, ignoreUnknown(err)
	}
	if v.Doc.Deleted {
		return c.lookAgain(o)
	}
	st, err := c.Store.StatOf(ctx, o.ID)
	if err != nil {
		return o, nil, Look{}, err
	}
	look := c.Files.Look(o.Key.Part(1))
	if st == nil && look.Gone && !look.Outside { // only named, or read before metadata was kept
		st = &Stat{Size: -1}
	}
	return o, st, look, nil
}

// lookAgain checks whether a deleted file is back, as after switching branches twice.
func (c *Capture) lookAgain(o Object) (Object, *Stat, Look, error) {
	look := c.Files.Look(o.Key.Part(1))
	if !look.File {
		return o, nil, look, nil
	}
	return o, &Stat{Size: -1}, look, nil
}

// moved records what happened to files that are gone: a new path if a file there has the
// same metadata and content, else deletion.
func (c *Capture) moved(ctx context.Context, gone []Object, stats []Stat) error {
	if len(gone) == 0 {
		return nil
	}
	found := c.Files.Moved(stats)
	for i, o := range gone {
		done, err := c.follow(ctx, o, found[i])
		if err != nil {
			return err
		}
		if !done {
			c.tx.Ops = append(c.tx.Ops, Op{Do: Delete, ID: o.ID})
		}
	}
	return nil
}

// follow gives a file the path that it was moved to.
func (c *Capture) follow(ctx context.Context, o Object, to []string) (bool, error) {
	v, err := c.Store.Get(ctx, o.ID, 0)
	if err != nil {
		return false, ignoreUnknown(err)
	}
	for _, p := range to {
		f := fileOp{Capture: c, look: c.Files.Look(p), id: o.ID, move: true}
		data, err := f.content()
		if err != nil || !f.look.File || data == nil || ContentHash(data) != v.Hashes.Content {
			continue
		}
		f.key = FileKey("", f.look.Path)
		if _, known, err := c.id(ctx, f.key); err != nil || known {
			continue
		}
		// The time of the move is unknown: the modification time is that of the content.
		op := Op{ID: o.ID, Doc: f.document(data), Stat: &f.look.Stat}
		c.put(o.ID, f.key, op, Discovered, "")
		return true, nil
	}
	return false, nil
}
