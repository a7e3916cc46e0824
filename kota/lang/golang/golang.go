// Package golang is the Language of Go: Scanner extracts facts from a file, Resolver resolves imports and finds
// the file that declares a name, Members asks Go's type checker whose member a line uses.
//
// It runs no Go tool. On every machine the default build is the one for linux/amd64 with cgo and
// without build tags.
//
// It must not know what an index does with the results.
package golang

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
)

// Language returns the Language of Go.
func Language() lang.Language {
	return lang.Language{
		Name:       "Go",
		Extensions: []string{".go"},
		IsConfig:   isConfig,
		Manifest:   "go.mod",
		IsTest:     func(p string) bool { return ofPath(p) != lang.Production },
		Roles:      func(lang.Tree) func(string, *lang.Facts) lang.Role { return role },
		IsProgram:  func(name string) bool { return name == "go.mod" || path.Ext(name) == ".go" },
		Scanner:    func() lang.Scanner { return new(Scanner) },
		Resolver:   func(ctx context.Context, t lang.Tree) lang.Resolver { return New(ctx, t) },
		Subject:    func(test string) string { return strings.TrimSuffix(path.Base(test), "_test.go") },
		Members:    Members,
	}
}

// isConfig reports whether a file decides what imports resolve to.
func isConfig(p string) bool {
	base := path.Base(p)
	return base == "go.mod" || base == "go.work" || base == "modules.txt" && path.Base(path.Dir(p)) == "vendor"
}

// ofPath returns the role that a path alone implies.
func ofPath(p string) lang.Role {
	switch {
	case strings.HasSuffix(p, "_test.go"):
		return lang.Test
	case slices.Contains(strings.Split(path.Dir(p), "/"), "testdata"):
		return lang.Support
	}
	return lang.Production
}

// role returns the role of a file. One with a function that go test runs is a Test. Other files among
// the tests, and files that import testing, are Support.
func role(p string, facts *lang.Facts) lang.Role {
	place := ofPath(p)
	if facts == nil {
		return place
	}
	switch {
	case slices.Contains(strings.Split(path.Dir(p), "/"), "testdata"):
		return lang.Support
	case facts.RunsTests:
		return lang.Test
	case place == lang.Test, slices.ContainsFunc(facts.Imports, func(im lang.Import) bool { return im.Spec == "testing" }):
		return lang.Support
	}
	return place
}
