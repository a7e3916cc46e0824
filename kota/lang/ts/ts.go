// Package ts is the Language of TypeScript and JavaScript, including component files of Vue,
// Svelte and Astro. ts/lex cuts a file into tokens, ts/scan extracts facts from those. What follows from
// names and configurations is here: which files are tests, and which file an import refers to. That is found
// by TypeScript's rules, whether node_modules is installed or not; what those would miss because it is not
// built, not linked or needs a bundler is found too, and marked as inferred.
//
// All it knows of the tree is the list of its files and a function that reads a configuration file. It must
// not know what an index does with the results. Start reading at Resolver.Find: files.go resolves relative
// specifiers, named.go aliases and packages.
package ts

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/glob"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
	"github.com/coctostan/pictx/kota/lang/ts/scan"
)

// Language returns the Language of TypeScript and JavaScript.
func Language() lang.Language {
	return lang.Language{
		Name:         "TypeScript and JavaScript",
		Extensions:   lex.Scanned,
		Endings:      lex.Omitted,
		IsConfig:     isConfig,
		Manifest:     "package.json",
		IsTest:       func(p string) bool { return OfPath(p) != lang.Production },
		Roles:        func(t lang.Tree) func(string, *lang.Facts) lang.Role { return NewRoles(t).Role },
		ChoosesTests: func(p string) bool { return IsConfig(p) || configuresBundler(p) },
		IsProgram:    isProgram,
		Scanner:      func() lang.Scanner { return new(scan.Scanner) },
		Resolver: func(ctx context.Context, t lang.Tree) lang.Resolver {
			return NewResolver(ctx, t.Files, t.Read)
		},
		Package:   func(spec string) string { name, _ := splitPackage(spec); return name },
		Head:      scan.Head,
		Mentions:  scan.Mentions,
		Subject:   Subject,
		Describes: lex.Described,
	}
}

// Resolve implements lang.Resolver. A file that is only named may be no module, and is left out then. It may be
// named from where the program starts, the package or the tree.
func (r *Resolver) Resolve(from string, im lang.Import) lang.Target {
	if im.Kind == lang.Matched {
		return lang.Target{Path: im.Spec, Inferred: true}
	}
	q := Request{From: from, Spec: im.Spec, Dynamic: im.Kind == lang.Dynamic, Require: im.Kind == lang.Require || im.Kind == lang.Equals}
	t := r.Find(q)
	switch im.Kind {
	case lang.Matching:
		if len(r.matches(from, im.Spec)) == 0 {
			return lang.Target{Status: lang.Computed}
		}
		return lang.Target{Status: lang.Spread}
	case lang.Named:
		if rest, relative := strings.CutPrefix(im.Spec, "./"); t.Status != lang.Found && relative && path.Ext(rest) != "" {
			q.Spec = "/" + rest
			t = r.Find(q)
		}
		if t.Inferred = true; t.Status != lang.Found {
			t = lang.Target{Status: lang.Spread}
		}
	}
	return t
}

// maxMatched is how many files one path with a * in it imports.
const maxMatched = 300

// Links implements lang.Resolver.
func (*Resolver) Links(facts *lang.Facts) bool {
	return slices.ContainsFunc(facts.Imports, func(im lang.Import) bool { return im.Kind == lang.Matching })
}

// Depends implements lang.Resolver: what a file declares changes no path.
func (*Resolver) Depends(string, *lang.Facts, []string) bool { return false }

// Link implements lang.Resolver: it adds the files that paths with a * in them match.
func (r *Resolver) Link(from string, facts *lang.Facts) []lang.Import {
	out := slices.DeleteFunc(slices.Clone(facts.Imports), func(im lang.Import) bool { return im.Kind == lang.Matched })
	for _, im := range slices.Clone(out) {
		if im.Kind == lang.Matching {
			for _, f := range r.matches(from, im.Spec) {
				out = append(out, lang.Import{Spec: f, Kind: lang.Matched, Line: im.Line})
			}
		}
	}
	return out
}

// matches lists the modules that a path with a * in it matches; a regular expression may stand behind it.
func (r *Resolver) matches(from, spec string) (out []string) {
	spec, match, _ := strings.Cut(spec, " ")
	dir := path.Dir(from)
	if rest, ok := strings.CutPrefix(spec, "/"); ok {
		spec, dir = rest, r.PackageDir(from)
	}
	p, err := glob.Compile(path.Join(dir, spec))
	re, bad := regexp.Compile(match[min(1, len(match)):max(strings.LastIndex(match, "/"), min(1, len(match)))])
	if err != nil || bad != nil {
		return nil
	}
	for _, f := range r.list {
		if f != from && lex.OfFile(f)&lex.Module != 0 && p.Match(f) && re.MatchString("./"+f) && len(out) < maxMatched {
			out = append(out, f)
		}
	}
	return out
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
	return lex.OfFile(name) != 0 && !strings.HasPrefix(name, ".") && !strings.Contains(name, ".config.")
}
