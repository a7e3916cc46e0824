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

// ErrModified says that files would be lost that this program never shipped.
var ErrModified = errors.New("the installed extension was changed")

// LinkError is a folder that leads out of the place it belongs to.
type LinkError struct {
	Path, Target string
}

// Error implements error.
func (e *LinkError) Error() string {
	return fmt.Sprintf("%s is a symbolic link to %s: it is not written through", e.Path, e.Target)
}

// Hint is a command that helps.
func (e *LinkError) Hint() string { return "rm '" + e.Path + "'" }

// Change says what Install did.
type Change struct {
	From   State  // what was there
	Binary bool   // the binary's file was changed
	Backup string // the folder that keeps what force replaced, "" when nothing was
}

// Done reports whether there was anything to do.
func (c Change) Done() bool { return c.From != Current || c.Binary }

// Names of folders beside the extension's. Pi passes over what begins with a dot.
const (
	tempPrefix   = ".pictx-tmp-"
	backupPrefix = ".pictx-backup-"
)

// Install brings the extension of this program to t, or back to what it should
// be. A folder with files that were never shipped is left as it is, ErrModified,
// unless force is set: then it is kept beside, under the name in Change.Backup.
func (x Extension) Install(t Target, b Binary, force bool, now time.Time) (Change, error) {
	s, err := x.Status(t)
	if err != nil {
		return Change{}, err
	}
	c := Change{From: s.State(), Binary: s.Binary != b}
	if !c.Done() {
		if parent, err := t.parent(); err == nil {
			sweep(parent, now)
		}
		return c, nil
	}
	if s.Link != "" {
		return c, &LinkError{s.Dir, s.Link}
	}
	if c.From == Modified && !force {
		return c, ErrModified
	}
	parent, err := t.parent()
	if err != nil {
		return c, fmt.Errorf("install extension: %w", err)
	}
	sweep(parent, now)
	if c.From == Modified {
		c.Backup = filepath.Join(parent, backupPrefix+now.UTC().Format("20060102-150405"))
	}
	if err := x.place(parent, b, c.Backup); err != nil {
		return c, fmt.Errorf("install extension: %w", err)
	}
	return c, nil
}

// parent makes the folder that extensions stand in, and returns where it really
// is. One that leads out of the target is an error.
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

// place writes the files beside the extension's folder and exchanges the two.
// What was there before goes, or stays at backup.
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

// freshDir makes a folder that pi does not look at.
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

// write writes the extension's files to a folder.
func (x Extension) write(dir string, b Binary) error {
	for _, f := range append(x.files[:len(x.files):len(x.files)], File{binaryFile, b.text()}) {
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

// swap puts fresh in the place of dir. Where a system cannot exchange the two at
// once there is a moment with neither, in which pi loads nothing.
func swap(fresh, dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(fresh, dir)
	}
	if exchange(fresh, dir) == nil {
		return nil
	}
	return renames(fresh, dir)
}

// renames exchanges two folders in three steps.
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

// sweep removes what an installation that was killed left beside: nobody works
// on it after a minute. A folder that holds somebody's changes has another name.
func sweep(parent string, now time.Time) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), tempPrefix) && now.Sub(info.ModTime()) > time.Minute {
			// What cannot be removed now is there next time.
			_ = os.RemoveAll(filepath.Join(parent, e.Name()))
		}
	}
}
