package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/repo"
)

// ProjectFiles are the files of a project as objects see them: the regular files inside its
// root, with links resolved. It is not safe for concurrent use.
type ProjectFiles struct {
	ctx    context.Context
	root   string // canonical
	ignore *repo.Ignore
}

var _ object.Files = (*ProjectFiles)(nil)

// NewProjectFiles returns the files below root.
func NewProjectFiles(ctx context.Context, root string) *ProjectFiles {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	return &ProjectFiles{ctx: ctx, root: root, ignore: repo.NewIgnore(root)}
}

// Look implements object.Files. A path with a dangling link, or with a cycle of links, is
// not a file.
func (f *ProjectFiles) Look(path string) object.Look {
	path = filepath.Clean(path)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		l := object.Look{Path: f.wouldBe(path)}
		_, lerr := os.Lstat(path)
		l.Gone = errors.Is(lerr, fs.ErrNotExist)
		_, inside := f.relative(l.Path)
		l.Outside = !inside
		return l
	}
	l := object.Look{Path: real}
	st, err := os.Lstat(real)
	if err != nil {
		l.Gone = errors.Is(err, fs.ErrNotExist)
		return l
	}
	rel, inside := f.relative(real)
	l.Outside = !inside
	if l.File = inside && st.Mode().IsRegular(); l.File {
		l.Ignored, l.Stat = f.ignore.Ignores(rel), statOf(st)
	}
	return l
}

// wouldBe returns the canonical path of a file that does not exist.
func (f *ProjectFiles) wouldBe(path string) string {
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// relative returns a path relative to the root, with slashes, and reports whether it is
// inside.
func (f *ProjectFiles) relative(path string) (string, bool) {
	rel, err := filepath.Rel(f.root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) || filepath.IsAbs(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Read implements object.Files.
func (*ProjectFiles) Read(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// maxWalk is the maximum number of files that Moved looks at.
const maxWalk = 20_000

// Moved implements object.Files. A moved file keeps its inode; a copied file has the same
// size.
func (f *ProjectFiles) Moved(stats []object.Stat) []string {
	var same, alike []string
	seen := 0
	_ = filepath.WalkDir(f.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || f.ctx.Err() != nil || seen > maxWalk {
			return fs.SkipAll
		}
		rel, _ := f.relative(path)
		if d.IsDir() {
			if rel != "." && (d.Name() == ".git" || d.Name() == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		seen++
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || f.ignore.Ignores(rel) {
			return nil
		}
		st := statOf(info)
		switch {
		case slices.ContainsFunc(stats, func(was object.Stat) bool {
			return was.Inode != 0 && was.Inode == st.Inode && was.Device == st.Device
		}):
			same = append(same, path)
		case slices.ContainsFunc(stats, func(was object.Stat) bool { return was.Size == st.Size && st.Size > 0 }):
			alike = append(alike, path)
		}
		return nil
	})
	return append(same, alike...)
}
