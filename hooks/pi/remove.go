package pi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Removal is what Remove did.
type Removal struct {
	Removed []string // files
	Kept    []string // files that no version of the program shipped
}

// Remove removes the extension from t: the shipped files and binaryFile, and with force
// also modified ones. Foreign files always stay, and the directory with them. If entryFile
// was modified, nothing is removed and the error is ErrModified: pi would load it without
// the other files, and stop.
func (x Extension) Remove(t Target, force bool) (Removal, error) {
	var r Removal
	s, err := x.Status(t)
	if err != nil {
		return r, err
	}
	remove, kept, err := s.removable(force)
	r.Kept = kept
	if err != nil {
		return r, err
	}
	if s.Link != "" && len(remove) > 0 {
		return r, &LinkError{s.Dir, s.Link}
	}
	if len(remove) == 0 && !s.emptied() {
		return r, nil
	}
	parent, err := t.parent()
	if err != nil {
		return r, fmt.Errorf("remove extension: %w", err)
	}
	if err := r.remove(filepath.Join(parent, "pictx"), remove); err != nil {
		return r, fmt.Errorf("remove extension: %w", err)
	}
	return r, nil
}

// removable lists the files that Remove removes, in order, and those that it keeps.
func (s Status) removable(force bool) (remove, kept []string, err error) {
	for _, f := range s.Files {
		switch {
		case f.State == Missing:
		case f.State == Current, f.State == Outdated, f.State == Modified && force:
			if f.Name == entryFile { // first, because pi skips a directory without it
				remove = append([]string{f.Name}, remove...)
			} else {
				remove = append(remove, f.Name)
			}
		case f.Name == entryFile:
			return nil, kept, ErrModified
		default:
			kept = append(kept, f.Name)
		}
	}
	if s.named {
		remove = append(remove, binaryFile)
	}
	return remove, kept, nil
}

// remove removes files of a directory, and the directory unless a file is kept.
func (r *Removal) remove(dir string, files []string) error {
	for _, name := range files {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		r.Removed = append(r.Removed, name)
	}
	if len(r.Kept) > 0 {
		return nil
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// emptied reports whether the extension's directory is empty, as after a removal that was
// killed.
func (s Status) emptied() bool {
	left, err := os.ReadDir(s.Dir)
	return err == nil && len(left) == 0 && s.Link == ""
}
