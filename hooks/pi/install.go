package pi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrModified means that files would be lost which no installation wrote.
var ErrModified = errors.New("the installed extension was changed")

// LinkError is a directory that leads out of the target through a symbolic link.
type LinkError struct {
	Path, Target string
}

// Error implements error.
func (e *LinkError) Error() string {
	return fmt.Sprintf("%s is a symbolic link to %s: it is not written through", e.Path, e.Target)
}

// Hint returns a command that helps.
func (e *LinkError) Hint() string { return "rm '" + e.Path + "'" }

// Change says what Install did.
type Change struct {
	From   State  // the state before
	Binary bool   // binaryFile was changed
	Backup string // the directory with the files that force replaced, or ""
}

// Done reports whether Install changed anything.
func (c Change) Done() bool { return c.From != Current || c.Binary }

// Names of directories beside the extension's. pi skips names that begin with a dot.
const (
	tempPrefix   = ".pictx-tmp-"
	backupPrefix = ".pictx-backup-"
)

// Install installs the extension of this program at t, or repairs it. A directory with
// files that were not installed is left alone, with ErrModified, unless force is set. Then
// it is moved to Change.Backup.
func (x Extension) Install(t Target, b Binary, force bool, now time.Time) (Change, error) {
	s, err := x.Status(t)
	if err != nil {
		return Change{}, err
	}
	c := Change{From: s.State(), Binary: s.Binary != b}
	switch {
	case !c.Done():
	case s.Link != "":
		return c, &LinkError{s.Dir, s.Link}
	case c.From == Modified && !force:
		return c, ErrModified
	}
	parent, err := t.parent()
	if err == nil {
		sweep(parent, now)
	}
	if !c.Done() {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("install extension: %w", err)
	}
	if c.From == Modified {
		c.Backup = filepath.Join(parent, backupPrefix+now.UTC().Format("20060102-150405"))
	}
	if err := x.place(parent, b, c.Backup); err != nil {
		return c, fmt.Errorf("install extension: %w", err)
	}
	return c, nil
}

// parent creates the directory "extensions" and returns its real path. It is an error if
// that is outside the target.
func (t Target) parent() (string, error) {
	if err := os.MkdirAll(t.Root, 0o700); err != nil {
		return "", err
	}
	dir := filepath.Join(t.Root, "extensions")
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	root, err := filepath.EvalSymlinks(t.Root)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
		return "", &LinkError{dir, real}
	}
	return real, nil
}

// place writes the files to a new directory and exchanges it with the extension's. The old
// files are deleted, or kept at backup.
func (x Extension) place(parent string, b Binary, backup string) error {
	fresh, err := freshDir(parent, backup)
	if err != nil {
		return err
	}
	dir := filepath.Join(parent, "pictx")
	if err = x.write(fresh, b); err == nil {
		err = swap(fresh, dir)
	}
	if err != nil || backup == "" {
		return errors.Join(err, os.RemoveAll(fresh))
	}
	return nil
}

// freshDir creates a directory that pi ignores.
func freshDir(parent, backup string) (string, error) {
	if backup == "" {
		dir, err := os.MkdirTemp(parent, tempPrefix+"*")
		if err != nil {
			return "", err
		}
		return dir, os.Chmod(dir, 0o755)
	}
	return backup, os.Mkdir(backup, 0o755)
}

// write writes the extension's files to a directory.
func (x Extension) write(dir string, b Binary) error {
	for _, f := range append(x.files[:len(x.files):len(x.files)], File{binaryFile, x.record(b)}) {
		file, err := os.OpenFile(filepath.Join(dir, f.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		_, err = file.Write(f.Text)
		if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
			return err
		}
	}
	return nil
}

// swap replaces dir by fresh. On a system that cannot exchange two directories atomically
// there is a moment with neither, in which pi finds no extension.
func swap(fresh, dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(fresh, dir)
	}
	if exchange(fresh, dir) == nil {
		return nil
	}
	return renames(fresh, dir)
}

// renames exchanges two directories in three steps.
func renames(fresh, dir string) error {
	aside := fresh + "-old"
	if err := os.Rename(dir, aside); err != nil {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return errors.Join(err, os.Rename(aside, dir))
	}
	return os.Rename(aside, fresh)
}

// sweep deletes the temporary directories of installations that were killed. They are older
// than a minute, which no running installation takes. Backups have another prefix.
func sweep(parent string, now time.Time) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), tempPrefix) && now.Sub(info.ModTime()) > time.Minute {
			// The next installation tries again.
			_ = os.RemoveAll(filepath.Join(parent, e.Name()))
		}
	}
}
