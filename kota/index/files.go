package index

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/glob"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/naming"
	"github.com/coctostan/pictx/kota/worktree"
)

// Files are the files of one tree, and what can be said about them without an
// index. Other engines use it too.
type Files struct {
	Root      string // absolute, without links in it
	Git       bool   // Root is a git work tree
	Languages lang.Set
}

// FileStatus is a file of a tree as a look at its status shows it. Two that are equal
// have, as far as a status can tell, the same content.
type FileStatus struct {
	Path         string // relative to the root, with slashes
	Size         int64  // in bytes
	Mtime, Ctime int64  // in nanoseconds
	Code         bool   // an engine would scan it
	Decides      bool   // it decides what imports mean
}

// List lists the files of the tree that an index is made from, and others: relative
// to its root, sorted. Some of those that git tracks may be gone.
func (f Files) List(ctx context.Context) ([]string, error) {
	files, _, err := worktree.List(ctx, f.Root, f.Git)
	return files, err
}

// Diff lists the code that git says changed in a range of commits, or since one; in
// the latter case files that git does not track yet are new.
func (f Files) Diff(ctx context.Context, span string) (worktree.Diff, error) {
	return worktree.Changes(ctx, f.Root, span, f.Languages.IsCode)
}

// Look lists the files of the tree, sorted by path: those an index would hold and
// all others, without reading any.
func (f Files) Look(ctx context.Context) ([]FileStatus, error) {
	paths, _, err := worktree.List(ctx, f.Root, f.Git)
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

// What an index of a tree may take before a person is asked: some five seconds, or
// some 50 MB on disk.
const (
	manyFilesToRead = 40_000
	manyBytesToRead = 300 << 20
	longLook        = 5 * time.Second
)

// Costly reports whether the first index of the tree takes so long, or writes so
// much, that a person should be asked. It looks at the files without reading any.
func (f Files) Costly(ctx context.Context) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, longLook)
	defer cancel()
	files, err := f.Look(limited)
	if limited.Err() != nil && ctx.Err() == nil {
		return true, nil // a home directory, say
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

// Pick returns the first of these names that means one of the paths, which are
// sorted: relative to the root or absolute, with slashes of either kind, with or
// without its extension. The error, a kota.UnknownFileError, is about the last.
func (f Files) Pick(paths []string, names ...string) (string, error) {
	for _, name := range names {
		for _, p := range f.spellings(name) {
			if _, found := slices.BinarySearch(paths, p); found {
				return p, nil
			}
		}
	}
	last := names[len(names)-1]
	return "", &kota.UnknownFileError{File: last, Nearest: naming.Nearest(f.Relative(last), paths)}
}

// Wanted reports whether a query asks about a file.
func (f Files) Wanted(p string, q kota.SearchQuery) bool {
	if !q.Tests && f.Languages.IsTest(p) {
		return false
	}
	matches := func(globs []string) bool {
		return slices.ContainsFunc(globs, func(g string) bool {
			g = strings.TrimPrefix(g, "./")
			if Within(p, strings.TrimSuffix(g, "/")) {
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

// Within reports whether a path is in a directory, or is the directory.
func Within(p, dir string) bool { return dir == "." || strings.HasPrefix(p, dir+"/") || p == dir }
