package history

import (
	"path/filepath"

	"github.com/bmatcuk/doublestar/v4"
)

// Ignored reports whether a session is not to be stored: whether a pattern of the
// settings matches its file or its directory, "" for unknown. A pattern that cannot be
// read matches nothing; a warning about the settings names it.
func Ignored(patterns []string, paths ...string) bool {
	for _, pattern := range patterns {
		for _, p := range paths {
			if ok, _ := doublestar.Match(pattern, filepath.ToSlash(p)); ok && p != "" {
				return true
			}
		}
	}
	return false
}
