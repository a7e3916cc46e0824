package index

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/glob"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/words"
	"github.com/coctostan/pictx/repo"
)

// Files answers what can be said about the files of a tree without an index. Other engines use it
// too.
type Files struct {
	Root      string // absolute, with symbolic links resolved
	Git       bool   // Root is a git work tree
	Languages lang.Set
}

// FileStatus is the status of a file. Equal statuses mean the same content, as far as a status
// can tell.
type FileStatus struct {
	Path         string // relative to the root, with slashes
	Size         int64  // in bytes
	Mtime, Ctime int64  // in nanoseconds
	Code         bool   // it is source code that an engine scans
	Decides      bool   // it is configuration that decides what imports resolve to
}

// Diff lists the code files that changed in a range of commits, or since a commit. In the latter
// case untracked files count as new.
func (f Files) Diff(ctx context.Context, span string) (repo.Diff, error) {
	d, err := repo.Changes(ctx, f.Root, span, f.Languages.IsCode)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		err = &kota.QueryError{Cause: err.Error()}
	}
	return d, err
}

// Look lists the status of all files of the tree, sorted by path, without reading any.
func (f Files) Look(ctx context.Context) ([]FileStatus, error) {
	paths, _, err := repo.List(ctx, f.Root, f.Git)
	if err != nil {
		return nil, err
	}
	stamps := look(f.Root, len(paths), func(i int) string { return paths[i] })
	out := make([]FileStatus, 0, len(paths))
	for i, p := range paths {
		if s := stamps[i]; s.size >= 0 {
			out = append(out, FileStatus{
				Path: p, Size: s.size, Mtime: s.mtime, Ctime: s.ctime,
				Code: f.Languages.IsCode(p), Decides: f.Languages.IsConfig(p),
			})
		}
	}
	return out, nil
}

// Limits beyond which a person is asked before a tree is indexed for the first time: about five
// seconds, or about 50 MB on disk.
const (
	manyFilesToRead = 40_000
	manyBytesToRead = 300 << 20
	longLook        = 5 * time.Second
)

// Costly reports whether indexing the tree for the first time takes so long, or writes so much,
// that a person should be asked. It reads no file, only statuses.
func (f Files) Costly(ctx context.Context) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, longLook)
	defer cancel()
	files, err := f.Look(limited)
	if limited.Err() != nil && ctx.Err() == nil {
		return true, nil // for example a home directory
	}
	if err != nil {
		return false, err
	}
	n, size := 0, int64(0)
	for _, s := range files {
		if s.Code && s.Size <= maxFile {
			n, size = n+1, size+s.Size
		}
	}
	return n > manyFilesToRead || size > manyBytesToRead, nil
}

// Pick returns the first of the names that means one of the paths, which must be sorted. A name
// is relative to the root or absolute, with slashes of either kind, with or without its
// extension. The error, a kota.UnknownFileError, is about the last name.
func (f Files) Pick(paths []string, names ...string) (string, error) {
	for _, name := range names {
		for _, p := range f.spellings(name) {
			if _, found := slices.BinarySearch(paths, p); found {
				return p, nil
			}
		}
	}
	last := names[len(names)-1]
	return "", &kota.UnknownFileError{File: last, Nearest: words.Nearest(f.Relative(last), paths)}
}

// Wanted reports whether the filters of a query select a file.
func (f Files) Wanted(p string, q kota.SearchQuery) bool {
	if !q.Tests && f.Languages.IsTest(p) {
		return false
	}
	matches := func(globs []string) bool {
		return slices.ContainsFunc(globs, func(g string) bool {
			g = strings.TrimPrefix(g, "./")
			if words.Within(p, strings.TrimSuffix(g, "/")) {
				return true
			}
			if !strings.Contains(g, "/") {
				g = "**/" + g
			}
			pattern, _ := glob.Compile(g)
			return pattern.Match(p)
		})
	}
	return (len(q.Globs) == 0 || matches(q.Globs)) && !matches(q.Exclude)
}
