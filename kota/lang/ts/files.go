package ts

import (
	"path"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// passes returns the kinds of files to look for, one set after the other.
func (l *lookup) passes() []lex.FileKind {
	if l.opts.mode == node10 {
		return []lex.FileKind{lex.Source | lex.Types, lex.Script}
	}
	return []lex.FileKind{lex.Module}
}

// relative resolves a specifier that is relative to the importing file.
func (l *lookup) relative(spec string) lang.Target {
	p := path.Join(l.dir, spec)
	if strings.HasPrefix(p, "../") || p == ".." {
		return lang.Target{Status: lang.Unresolved}
	}
	onlyDir := strings.HasSuffix(spec, "/") || spec == "." || spec == ".." || strings.HasSuffix(spec, "/.") || strings.HasSuffix(spec, "/..")
	if found := l.load(p, onlyDir); found != "" {
		return lang.Target{Path: found}
	}
	for _, other := range l.elsewhere(p) {
		if found := l.load(other, onlyDir); found != "" {
			return lang.Target{Path: found}
		}
	}
	return l.guess(p)
}

// elsewhere lists where a path may also be, because rootDirs merges several directories into one.
func (l *lookup) elsewhere(p string) []string {
	best := ""
	for _, d := range l.opts.rootDirs {
		if (d == "." || strings.HasPrefix(p, d+"/")) && len(d) >= len(best) {
			best = d
		}
	}
	if best == "" {
		return nil
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(p, best), "/")
	var out []string
	for _, d := range l.opts.rootDirs {
		if d != best {
			out = append(out, path.Join(d, rest))
		}
	}
	return out
}

// absolute resolves a specifier with a leading slash as bundlers do: from the root of the package
// or of the tree.
func (l *lookup) absolute(spec string) lang.Target {
	for _, root := range []string{l.packageDir(), ".", path.Join(l.packageDir(), "public")} {
		if found := l.load(path.Join(root, spec), false); found != "" {
			return lang.Target{Path: found, Inferred: true}
		}
	}
	return lang.Target{Status: lang.Unresolved}
}

func (l *lookup) packageDir() string { return l.PackageDir(l.dir + "/") }

// PackageDir returns the directory of the package that a file belongs to, that of the tree without one.
func (r *Resolver) PackageDir(file string) string {
	if p := r.scope(path.Dir(file)); p != nil {
		return p.dir
	}
	return "."
}

// load finds the file or directory that a path refers to. The path may lack an extension, or have
// that of the compiled file.
func (l *lookup) load(p string, onlyDir bool) string {
	if p == "" || strings.HasPrefix(p, "../") {
		return ""
	}
	for _, set := range l.passes() {
		if !onlyDir {
			if found := l.file(p, set); found != "" {
				return found
			}
		}
		if !l.strict {
			if found := l.directory(p, set); found != "" {
				return found
			}
		}
	}
	if !onlyDir && l.files[p] {
		return p
	}
	return ""
}

// file finds the file that a path refers to.
func (l *lookup) file(p string, set lex.FileKind) string {
	if found := l.replaced(p, set); found != "" {
		return found
	}
	if l.strict {
		return ""
	}
	return l.added(p, set)
}

// added tries a path with an extension added.
func (l *lookup) added(p string, set lex.FileKind) string {
	return l.first(p, set, lex.Added)
}

// first returns the first existing file that has this stem and one of these extensions, limited
// to a set of kinds.
func (l *lookup) first(stem string, set lex.FileKind, list []string) string {
	for _, e := range list {
		if kindOf(e)&set == 0 {
			continue
		}
		for _, s := range l.opts.suffixes {
			if f := stem + s + e; l.files[f] {
				return f
			}
		}
	}
	return ""
}

// kindOf returns the kind of an extension for a search by kind. Anything that is not code counts
// as declarations.
func kindOf(extension string) lex.FileKind {
	if k := lex.KindOf(extension); k&lex.Module != 0 {
		return k
	}
	return lex.Types
}

// replaced tries the sources that may compile to a path: a.ts for a.js.
func (l *lookup) replaced(p string, set lex.FileKind) string {
	stem, origins := lex.Origins(p)
	switch {
	case origins != nil:
		return l.first(stem, set, origins)
	case stem == p || set&lex.Types == 0:
		return ""
	}
	if f := lex.Declarations(p); l.files[f] {
		return f
	}
	return ""
}

// directory finds the file that a directory refers to.
func (l *lookup) directory(p string, set lex.FileKind) string {
	if !l.dirs[p] {
		return ""
	}
	if pk := l.ownPackage(p); pk != nil {
		if found := l.entry(pk, set); found != "" {
			return found
		}
	}
	return l.added(path.Join(p, "index"), set)
}

// ownPackage returns the package.json of a directory of the tree, nil without one.
func (l *lookup) ownPackage(p string) *pkg {
	if !l.files[path.Join(p, "package.json")] {
		return nil
	}
	return l.packageAt(p)
}

// entry finds the entry point of a package without exports.
func (l *lookup) entry(p *pkg, set lex.FileKind) string {
	target := ""
	if set&lex.Types != 0 {
		target = p.typesField()
	}
	if target == "" {
		target = p.json.str("main")
	}
	if target == "" {
		return ""
	}
	at := path.Join(p.dir, target)
	if l.files[at] && kindOf(path.Ext(at))&set != 0 {
		return at
	}
	if found := l.replaced(at, set); found != "" {
		return found
	}
	if found := l.added(at, set); found != "" {
		return found
	}
	if l.dirs[at] {
		return l.added(path.Join(at, "index"), set)
	}
	return ""
}

// typesField returns the path of the package's types, as package.json gives it.
func (p *pkg) typesField() string {
	versions := p.json.get("typesVersions").items()
	if t := p.types(); t != "" && len(versions) > 0 {
		for _, to := range versions[0].v.get("*").strings() {
			return strings.Replace(to, "*", strings.TrimPrefix(t, "./"), 1)
		}
	}
	return p.types()
}

func (p *pkg) types() string {
	if t := p.json.str("types"); t != "" {
		return t
	}
	return p.json.str("typings")
}

// guess resolves a relative path in ways that TypeScript does not.
func (l *lookup) guess(p string) lang.Target {
	loose := *l
	loose.strict = false
	if found := loose.load(p, false); found != "" {
		return lang.Target{Path: found, Inferred: true}
	}
	for _, stem := range []string{p, path.Join(p, "index")} {
		for _, e := range lex.Guessed {
			if l.files[stem+e] {
				return lang.Target{Path: stem + e, Inferred: true}
			}
		}
	}
	if found := l.unbuilt(l.packageDir(), p); found != "" {
		return lang.Target{Path: found, Inferred: true}
	}
	return lang.Target{Status: lang.Unresolved}
}
