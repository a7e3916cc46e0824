package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Purged is the reason for a blob that its user purged.
const Purged = "the user purged it"

// Purge removes blobs by their full ids, whether or not they are in use, and verifies that
// their bytes are gone. It returns what was removed; an error names what is still there.
// Files of killed writers are removed too, because they may have the same text.
func (s *Store) Purge(ctx context.Context, ids []string) ([]Info, error) {
	root, err := s.open()
	if root == nil {
		return nil, err
	}
	defer root.Close()
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return nil, fmt.Errorf("purge blobs: %w", err)
	}
	defer unlock()
	var removed []Info
	var errs error
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return removed, errors.Join(errs, err)
		}
		if len(id) != idLength || !ValidID(id) {
			errs = errors.Join(errs, fmt.Errorf("purge blob %q: %w", id, ErrID))
			continue
		}
		info, err := s.purge(root, id)
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("purge blob %s: %w", ShortID(id), err))
		} else if info.ID != "" {
			removed = append(removed, info)
		}
	}
	sweep(root, false)
	return removed, errs
}

// purge removes one blob. The Info is empty when there was none.
func (s *Store) purge(root *os.Root, id string) (Info, error) {
	found, err := find(root, id)
	if err != nil || len(found) == 0 {
		return Info{}, err
	}
	info := s.info(root, found[0])
	for _, f := range found {
		if err := root.Remove(f.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Info{}, err
		}
	}
	if err := root.Remove(namesFile(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Info{}, err
	}
	return info, stillThere(root, id)
}

// stillThere searches for the bytes of a removed blob.
func stillThere(root *os.Root, id string) error {
	found, err := find(root, id)
	if err != nil {
		return err
	}
	for _, f := range found {
		if _, err := f.read(root); !errors.Is(err, fs.ErrNotExist) {
			return errors.New("it is there again: something is writing it")
		}
	}
	return nil
}

// Finding is a fault of a blob.
type Finding struct {
	ID      string `json:"id"`
	Path    string `json:"path"`
	Problem string `json:"problem"`
}

// Verify reads every blob and reports those whose bytes do not match their id, and those
// that other users can read. It returns the number of blobs and does not count as a use.
func (s *Store) Verify(ctx context.Context, report func(Finding)) (int, error) {
	root, err := s.open()
	if root == nil {
		return 0, err
	}
	defer root.Close()
	all, err := files(root)
	if err != nil {
		return 0, err
	}
	for _, f := range all {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		at := Finding{ID: f.id, Path: filepath.Join(s.dir, filepath.FromSlash(f.name))}
		if _, err := f.read(root); err != nil && !errors.Is(err, fs.ErrNotExist) {
			at.Problem = err.Error()
			report(at)
		}
		if st, err := root.Lstat(f.name); err == nil && Exposed(st.Mode()) {
			at.Problem = fmt.Sprintf("other users can read it (%04o)", st.Mode().Perm())
			report(at)
		}
	}
	return len(distinct(all)), nil
}

// Exposed reports whether users other than the owner can use a file of this mode. Windows has
// no modes, and Go makes them up there: who may read is inherited from the user's profile.
func Exposed(mode fs.FileMode) bool { return mode.Perm()&0o077 != 0 && runtime.GOOS != "windows" }

// Matching lists the blobs for whose text matches returns true. Damaged ones are left out.
func (s *Store) Matching(ctx context.Context, matches func(text string) bool) ([]string, error) {
	all, err := s.List()
	var out []string
	for _, i := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if b, err := s.Peek(i.ID); err == nil && matches(string(b.Text)) {
			out = append(out, i.ID)
		}
	}
	return out, err
}
