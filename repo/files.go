// Package repo accesses files of a project that is not trusted: it may be a cloned
// repository, an unpacked archive, or a directory that others write to.
//
// Any file in it may be a link to a device, to a file outside, or to nothing, or may be
// huge. The package reads only regular files inside the project, after resolving links, up
// to a size that the caller sets, and writes only inside it. It runs git so that git runs
// nothing that the repository configures, lists a project's files and what git says changed in
// them, and makes empty directories for programs that must not run in a project.
//
// It must not know what the files mean.
package repo

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// OutsideError is returned for a file of a project that is a link to the outside.
type OutsideError struct{ Path, Target string }

// Error implements error.
func (e *OutsideError) Error() string {
	return fmt.Sprintf("%s is a link out of the project, to %s", e.Path, e.Target)
}

// Read returns the content of the file at path, which must be below root. For a missing
// file the error is fs.ErrNotExist. Anything but a regular file inside root of at most
// limit bytes is an error, and is not opened.
func Read(root, path string, limit int64) ([]byte, error) {
	r, rel, err := within(root, path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	defer r.Close()
	return readRegular(r, rel, path, limit)
}

// ReadRegular is Read for a file of the user, whose links may lead anywhere.
func ReadRegular(path string, limit int64) ([]byte, error) {
	r, rel, err := holder(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	defer r.Close()
	return readRegular(r, rel, path, limit)
}

func readRegular(r *os.Root, rel, path string, limit int64) ([]byte, error) {
	st, err := r.Stat(rel)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("read %s: it is not a regular file", path)
	case st.Size() > limit:
		return nil, fmt.Errorf("read %s: it has %d bytes, more than %d", path, st.Size(), limit)
	}
	f, err := r.Open(rel)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}

// Write atomically replaces the file at path, which must be below root. It follows a link
// inside root and keeps it. perm applies to a new file. Temporary files of killed writers
// in the directory are removed.
func Write(root, path string, data []byte, perm fs.FileMode) error {
	r, rel, err := within(root, path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer r.Close()
	if err := replace(r, rel, data, perm); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// OpenFile is os.OpenFile for a file at path, which must be below root.
func OpenFile(root, path string, flag int, perm fs.FileMode) (*os.File, error) {
	r, rel, err := within(root, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.OpenFile(rel, flag, perm)
}

// within opens root and returns the file's path in it, without links. Whatever takes the place of
// a directory meanwhile, nothing is opened outside of root.
func within(root, path string) (*os.Root, string, error) {
	real, err := Resolve(root, path)
	if err != nil {
		return nil, "", err
	}
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, "", err
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err == nil {
		real, err = filepath.Rel(realRoot, real)
	}
	if err != nil {
		return nil, "", errors.Join(err, r.Close())
	}
	return r, real, nil
}

// holder opens the directory of a file, links resolved.
func holder(path string) (*os.Root, string, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	r, err := os.OpenRoot(filepath.Dir(path))
	return r, filepath.Base(path), err
}

// Replace is Write for a file of the user, whose links may lead anywhere.
func Replace(path string, data []byte, perm fs.FileMode) error {
	err := os.MkdirAll(filepath.Dir(path), dirPerm(perm))
	if err == nil {
		var r *os.Root
		var rel string
		if r, rel, err = holder(path); err == nil {
			err = errors.Join(replace(r, rel, data, perm), r.Close())
		}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// Resolve resolves the links in a path, which must stay within root. A part that does not
// exist is appended to the last directory that does. The error may be an *OutsideError.
func Resolve(root, path string) (string, error) {
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", err
	}
	missing := ""
	for at := path; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			if rel, err := filepath.Rel(realRoot, real); err != nil || !filepath.IsLocal(rel) {
				return "", &OutsideError{path, real}
			}
			return filepath.Join(real, missing), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return "", err
		}
		if _, err := os.Lstat(at); err == nil {
			return "", fmt.Errorf("%s is a link to a missing file", at)
		}
		missing = filepath.Join(filepath.Base(at), missing)
	}
}

// Exists reports whether anything is at path, including a dangling link.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Size adds up the sizes of the regular files below a path. What cannot be read counts nothing.
func Size(path string) int64 {
	var n int64
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if st, err := d.Info(); err == nil && st.Mode().IsRegular() {
			n += st.Size()
		}
		return nil
	})
	return n
}

// Create writes a private file at path. The error is fs.ErrExist when anything is there.
func Create(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// Temporary begins the names of temporary files, followed by the writer's process id.
const Temporary = ".pictx-new-"

// dirPerm is the mode of a new directory: readers of its files may enter it.
func dirPerm(perm fs.FileMode) fs.FileMode { return 0o700 | perm&0o444 | (perm&0o444)>>2 }

// replace writes data to a temporary file and renames it to a path in r.
func replace(r *os.Root, path string, data []byte, perm fs.FileMode) error {
	if st, err := r.Stat(path); err == nil {
		perm = st.Mode().Perm()
	}
	dir := filepath.Dir(path)
	if err := r.MkdirAll(dir, dirPerm(perm)); err != nil {
		return err
	}
	Sweep(filepath.Join(r.Name(), dir))
	name := filepath.Join(dir, Temporary+strconv.Itoa(os.Getpid())+"-"+rand.Text()[:8])
	f, err := r.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer r.Remove(name)
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(perm), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := r.Rename(name, path); err != nil {
		return err
	}
	if d, err := r.Open(dir); err == nil { // so that it is the new file after a power failure, too
		_ = d.Sync() // not every system can
		d.Close()
	}
	return nil
}

// Sweep removes temporary files of killed writers from a directory. Writing a file does
// this too.
func Sweep(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		id, ours := strings.CutPrefix(e.Name(), Temporary)
		id, _, _ = strings.Cut(id, "-")
		if pid, err := strconv.Atoi(id); ours && err == nil && !alive(pid) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
