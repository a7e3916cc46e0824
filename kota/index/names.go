package index

import (
	"path"
	"path/filepath"
	"strings"
)

// spellings lists the paths that a name may mean: relative to the root or
// absolute, with slashes of either kind, with or without its extension.
func (f Files) spellings(name string) []string {
	p := f.Relative(name)
	out := []string{p}
	for _, l := range f.Languages.All() {
		for _, end := range l.Endings {
			out = append(out, p+end)
		}
	}
	return out
}

// Relative is a name as a path relative to the root, with slashes.
func (f Files) Relative(name string) string {
	p := strings.ReplaceAll(name, `\`, "/")
	if filepath.IsAbs(p) {
		if rel, err := filepath.Rel(f.Root, p); err == nil {
			p = filepath.ToSlash(rel)
		}
	}
	return path.Clean(p)
}
