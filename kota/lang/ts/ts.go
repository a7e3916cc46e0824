// Package ts is TypeScript and JavaScript as the index knows them, with the
// components of Vue, Svelte and Astro: ts/scan reads a file, ts/resolve finds what
// it imports, ts/role tells the tests, ts/ext knows the extensions, and what else
// names tell is here.
//
// It must not know what an index does with what it says.
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

// Language returns TypeScript and JavaScript.
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
		Related:   naming.Related,
		Head:      head.Of,
		Mentions:  scan.Mentions,
		Target:    target,
		Subject:   role.Subject,
		Describes: ext.Described,
		Stems:     stems,
	}
}

// resolver answers for the Resolver of package resolve.
type resolver struct{ *resolve.Resolver }

// Resolve implements lang.Resolver.
func (r resolver) Resolve(from string, im lang.Import) lang.Target {
	return r.Resolver.Resolve(resolve.Request{
		From: from, Spec: im.Spec, Dynamic: im.Kind == lang.Dynamic,
		Require: im.Kind == lang.Require || im.Kind == lang.Equals,
	})
}

// isConfig reports whether a file may decide what imports mean, by its name.
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

// isProgram reports whether a file is code that is not just the configuration of
// some tool, or the configuration of the compiler.
func isProgram(name string) bool {
	if name == "tsconfig.json" || name == "jsconfig.json" {
		return true
	}
	return ext.OfFile(name) != 0 && !strings.HasPrefix(name, ".") && !strings.Contains(name, ".config.")
}

// packageOf is the name of the package that a specifier names.
func packageOf(spec string) string {
	parts := strings.SplitN(spec, "/", 3)
	if strings.HasPrefix(spec, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// target is the path that a relative specifier means, without its extension.
func target(from, spec string) string {
	if !strings.HasPrefix(spec, ".") {
		return ""
	}
	return stem(path.Join(path.Dir(from), spec))
}

// stems lists the paths that a relative specifier may name a file by: that
// without its extension, and the directory when the file is its index.
func stems(file string) []string {
	s := stem(file)
	if path.Base(s) == "index" {
		return []string{s, path.Dir(s)}
	}
	return []string{s}
}

// stem is a path without the extension of code.
func stem(p string) string {
	if ext.OfFile(p) == 0 {
		return p
	}
	return strings.TrimSuffix(strings.TrimSuffix(p, path.Ext(p)), ".d")
}
