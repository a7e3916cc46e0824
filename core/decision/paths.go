package decision

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/glob"
)

// cleanPaths checks globs of governed files and returns them relative to the project,
// with / .
func cleanPaths(globs []string) (*[]string, error) {
	out := []string{}
	for _, g := range globs {
		if g = strings.TrimSpace(g); g == "" {
			continue
		}
		clean := strings.TrimPrefix(path.Clean(strings.ReplaceAll(g, `\`, "/")), "./")
		if _, err := glob.Compile(clean); err != nil || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
			return nil, &TextError{fmt.Sprintf("invalid glob %q: want one of files in the project", g)}
		}
		out = append(out, clean)
	}
	return &out, nil
}

// Governs reports whether a decision governs a file, named from the project's root
// with / . A glob that names a directory governs its files.
func (d *Decision) Governs(file string) bool {
	return slices.ContainsFunc(d.Paths, func(g string) bool { return governs(g, file) })
}
