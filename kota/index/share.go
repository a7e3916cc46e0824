package index

import (
	"context"
	"slices"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/scan"
)

// Seen is a file of a tree as a look at its status tells it. Two that are equal
// have, as far as a status can tell, the same content.
type Seen struct {
	Path         string // relative to the root, with slashes
	Size         int64  // in bytes
	Mtime, Ctime int64  // in nanoseconds
	Code         bool   // an engine would scan it
	Decides      bool   // it decides what imports mean
}

// Look lists the files of a tree, sorted by path: those an index would hold and
// all others, without reading any.
func Look(ctx context.Context, root string, git bool) ([]Seen, error) {
	paths, _, err := list(ctx, root, git)
	if err != nil {
		return nil, err
	}
	stamps := look(root, len(paths), func(i int) string { return paths[i] })
	out := make([]Seen, 0, len(paths))
	for i, p := range paths {
		if s := stamps[i]; s.size >= 0 {
			out = append(out, Seen{Path: p, Size: s.size, Mtime: s.mtime, Ctime: s.ctime, Code: scan.Supported(p), Decides: isConfig(p)})
		}
	}
	return out, nil
}

// Pick returns the first of these names that means one of the paths, which are
// sorted: relative to the root or absolute, with slashes of either kind, with or
// without its extension. The error, a kota.UnknownFileError, is about the last.
func Pick(root string, paths []string, names ...string) (string, error) {
	for _, name := range names {
		for _, p := range spellings(root, name) {
			if _, found := slices.BinarySearch(paths, p); found {
				return p, nil
			}
		}
	}
	last := names[len(names)-1]
	return "", &kota.UnknownFileError{File: last, Nearest: nearest(spelling(root, last), paths, 3)}
}

// IsTest reports whether a file is a test, by the convention of its path.
func IsTest(p string) bool { return isTest(p) }

// Wanted reports whether a file is one that a query asks about.
func Wanted(p string, q kota.SearchQuery) bool { return wanted(p, q) }

// Within reports whether a path is in a directory, or is it.
func Within(p, dir string) bool { return within(p, dir) }

// Relative is a name as a path relative to the root, with slashes.
func Relative(root, name string) string { return spelling(root, name) }
