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
	Kept    []string // files that no installation wrote
}

// Remove removes the extension from t: the installed files and binaryFile, and with force
// also modified ones. Foreign files always stay, and the directory with them. If entryFile
// was modified, nothing is removed and the error is ErrModified: pi would load it without
// the other files, and stop.
func (x Extension) Remove(t Target, force bool) (Removal, error) {
	var r Removal
	s, err := x.Status(t)
	if err != nil {
		return r, err
	}
	var remove []string
	for _, f := range s.Files {
		switch ours := f.State == Current || f.State == Outdated || f.State == Modified && force; {
		case f.State == Missing:
		case ours && f.Name == entryFile: // first, because pi skips a directory without it
			remove = append([]string{f.Name}, remove...)
		case ours:
			remove = append(remove, f.Name)
		case f.Name == entryFile:
			return r, ErrModified
		default:
			r.Kept = append(r.Kept, f.Name)
		}
	}
	if s.named {
		remove = append(remove, binaryFile)
	}
	if len(remove) == 0 {
		return r, nil
	}
	if s.Link != "" {
		return r, &LinkError{s.Dir, s.Link}
	}
	if err := r.remove(t, remove); err != nil {
		return r, fmt.Errorf("remove extension: %w", err)
	}
	return r, nil
}

// remove removes files of the extension, and its directory unless a file is kept.
func (r *Removal) remove(t Target, files []string) error {
	parent, err := t.parent()
	if err != nil {
		return err
	}
	dir := filepath.Join(parent, "pictx")
	for _, name := range files {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		r.Removed = append(r.Removed, name)
	}
	if len(r.Kept) == 0 {
		err = os.Remove(dir)
	}
	return err
}
