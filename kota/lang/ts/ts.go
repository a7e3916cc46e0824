// Package ts is the Language of TypeScript and JavaScript, including component files of Vue,
// Svelte and Astro. ts/lex cuts a file into tokens, ts/scan extracts facts from those, ts/resolve
// resolves imports, ts/role finds the tests, ts/head reads types in declarations and ts/ext knows
// file extensions. What else follows from names alone is here.
//
// It must not know what an index does with the results.
package ts

import (
	"context"
	"path"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/ext"
	"github.com/coctostan/pictx/kota/lang/ts/head"
	"github.com/coctostan/pictx/kota/lang/ts/resolve"
	"github.com/coctostan/pictx/kota/lang/ts/role"
	"github.com/coctostan/pictx/kota/lang/ts/scan"
	"github.com/coctostan/pictx/kota/naming"
)

// Language returns the Language of TypeScript and JavaScript.
func Language() lang.Language {
	return lang.Language{
		Name:         "TypeScript and JavaScript",
		Extensions:   ext.Scanned,
		Endings:      ext.Omitted,
		IsConfig:     isConfig,
		Manifest:     "package.json",
		IsTest:       func(p string) bool { return role.OfPath(p) != lang.Production },
		Roles:        func(t lang.Tree) lang.Roles { return role.New(t) },
		ChoosesTests: role.IsConfig,
		IsProgram:    isProgram,
		Scanner:      func() lang.Scanner { return new(scan.Scanner) },
		Resolver: func(ctx context.Context, t lang.Tree) lang.Resolver {
			return resolver{resolve.New(ctx, t.Files, t.Read)}
		},
		Package:   packageOf,
		Typed:     naming.Typed,
		Head:      head.Of,
		Mentions:  scan.Mentions,
		Target:    target,
		Subject:   role.Subject,
		Describes: ext.Described,
		Stems:     stems,
	}
}

// resolver adapts the Resolver of package resolve to lang.Resolver.
type resolver struct{ *resolve.Resolver }

// Resolve implements lang.Resolver. A file that is only named may be no module, and is left out then.
func (r resolver) Resolve(from string, im lang.Import) lang.Target {
	t := r.Resolver.Resolve(resolve.Request{
		From: from, Spec: im.Spec, Dynamic: im.Kind == lang.Dynamic,
		Require: im.Kind == lang.Require || im.Kind == lang.Equals,
	})
	if im.Kind == lang.Named {
		if t.Inferred = true; t.Status != lang.Found {
			t = lang.Target{Status: lang.Spread}
		}
	}
	return t
}

// isConfig reports whether a file may decide, by its name, what imports resolve to or which files
// are tests.
func isConfig(p string) bool {
	base := path.Base(p)
	switch base {
	case "package.json", "pnpm-workspace.yaml", "jest.config.json":
		return true
	}
	if strings.HasPrefix(base, ".mocharc") {
		return true
	}
	return strings.HasSuffix(base, ".json") && (strings.HasPrefix(base, "tsconfig") || strings.HasPrefix(base, "jsconfig"))
}

// isProgram reports whether a file of this name shows that a project is in TypeScript or
// JavaScript: code that does not just configure a tool, or the compiler's configuration.
func isProgram(name string) bool {
	if name == "tsconfig.json" || name == "jsconfig.json" {
		return true
	}
	return ext.OfFile(name) != 0 && !strings.HasPrefix(name, ".") && !strings.Contains(name, ".config.")
}

// packageOf returns the package in a specifier: "@a/b" of "@a/b/c".
func packageOf(spec string) string {
	parts := strings.SplitN(spec, "/", 3)
	if strings.HasPrefix(spec, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// target returns the path that a relative specifier refers to, without extension, "" for any
// other specifier.
func target(from, spec string) string {
	if !strings.HasPrefix(spec, ".") {
		return ""
	}
	return stem(path.Join(path.Dir(from), spec))
}

// stems lists the paths by which relative specifiers refer to a file: without its extension and,
// for an index file, its directory.
func stems(file string) []string {
	s := stem(file)
	if path.Base(s) == "index" {
		return []string{s, path.Dir(s)}
	}
	return []string{s}
}

// stem returns a path without the extension of code.
func stem(p string) string {
	if ext.OfFile(p) == 0 {
		return p
	}
	return strings.TrimSuffix(strings.TrimSuffix(p, path.Ext(p)), ".d")
}
