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

// Files answers what can be said about the files of a tree without an index.
type Files struct {
	Root      string // absolute, with symbolic links resolved
	Git       bool   // Root is a git work tree
	Languages lang.Set
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
	paths, _, err := repo.List(limited, f.Root, f.Git)
	if limited.Err() != nil && ctx.Err() == nil {
		return true, nil // for example a home directory
	}
	if err != nil {
		return false, err
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return !f.Languages.IsCode(p) })
	n, size := 0, int64(0)
	for _, s := range look(f.Root, len(paths), func(i int) string { return paths[i] }) {
		if s.size >= 0 && s.size <= maxFile {
			n, size = n+1, size+s.size
		}
	}
	return n > manyFilesToRead || size > manyBytesToRead, nil
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
