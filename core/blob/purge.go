package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// Purged is the reason of a blob that its user purged.
const Purged = "its user purged it"

// Purge removes blobs by their whole ids, whether or not they are in use, and checks
// that their bytes are gone. It returns what was removed; an error names what is still
// there. why goes into their tombstones. What killed writers left is removed, too,
// because it may hold the same text.
func (s *Store) Purge(ctx context.Context, ids []string, why string) ([]Info, error) {
	root, err := s.open()
	if root == nil {
		return nil, err
	}
	defer root.Close()
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
		info, err := s.purge(root, id, why)
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("purge blob %s: %w", ShortID(id), err))
		} else if info.ID != "" {
			removed = append(removed, info)
		}
	}
	s.sweep(root, math.MinInt64, false) // a writer that is alive tries again
	return removed, errs
}

// purge removes one blob. The Info is empty when there was none.
func (s *Store) purge(root *os.Root, id, why string) (Info, error) {
	found, err := find(root, id)
	if err != nil || len(found) == 0 {
		return Info{}, err
	}
	info := s.info(root, found[0])
	missed := s.bury(root, []string{id}, why)
	for _, f := range found {
		if err := root.Remove(f.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Info{}, err
		}
	}
	if err := root.Remove(namesFile(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Info{}, err
	}
	if missed != nil {
		missed = s.bury(root, []string{id}, why)
	}
	return info, errors.Join(missed, stillThere(root, id))
}

// stillThere looks for the bytes of a blob that was removed.
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
	ID      string
	Path    string
	Problem string
}

// Verify reads every blob and reports those whose bytes are not their text, and those
// that others may read. It returns how many blobs there are. This does not count as a
// use.
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
		if st, err := root.Lstat(f.name); err == nil && st.Mode().Perm()&0o077 != 0 {
			at.Problem = fmt.Sprintf("others may use it (%04o)", st.Mode().Perm())
			report(at)
		}
	}
	return len(distinct(all)), nil
}

// Matching lists the blobs of whose text matches says so. Damaged ones are left out.
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
