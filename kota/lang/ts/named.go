package ts

import (
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// named resolves a specifier that is a name: an alias, a package, or a module of Node.
func (l *lookup) named(spec string) lang.Target {
	found, loose := l.alias(spec)
	switch {
	case found != "":
		if t := l.typed(spec, found); t.Status == lang.Found && t.Path != "" {
			return t
		}
		return lang.Target{Path: found}
	case strings.HasPrefix(spec, "#") && loose == "":
		return l.imported(spec)
	}
	res := l.packaged(spec)
	if loose != "" && (res.Status != lang.Found || res.Inferred) {
		return lang.Target{Path: loose, Inferred: true}
	}
	return res
}

// typed resolves a name that leads to a script below "baseUrl" to the types of a package, if there
// are any: without "exports", TypeScript looks for types everywhere before it looks for scripts.
func (l *lookup) typed(spec, script string) lang.Target {
	none := lang.Target{Status: lang.Unresolved}
	if l.opts.mode != node10 || kindOf(path.Ext(script)) != lex.Script {
		return none
	}
	if a, _ := l.match(spec); a != nil {
		return none
	}
	if t := l.packaged(spec); t.Status == lang.Found && !t.Inferred && kindOf(path.Ext(t.Path)) != lex.Script {
		return t
	}
	return none
}

// alias resolves a name by the aliases of every configuration that may apply. found is by
// TypeScript's rules, loose as a bundler would, where those rules require an extension.
func (l *lookup) alias(spec string) (found, loose string) {
	for _, o := range l.configurations() {
		at := *l
		at.opts, at.strict = o, l.strict && o.mode == nodeNext
		if found := at.aliased(spec); found != "" {
			return found, ""
		}
		if at.strict = false; l.strict && loose == "" {
			loose = at.aliased(spec)
		}
	}
	return "", loose
}

// packaged resolves the name of a package or of a module of Node.
func (l *lookup) packaged(spec string) lang.Target {
	name, rest := splitPackage(spec)
	if own := l.scope(l.dir); own != nil && own.name == name && own.exports.v != nil {
		if res := l.inPackage(own, rest); res.Status == lang.Found {
			return res
		}
	}
	if found := l.inNodeModules(name, rest); found.Status == lang.Found && !builtin(spec) {
		return found
	}
	if p := l.packageNamed(name, l.dir); p != nil {
		if res := l.inPackage(p, rest); res.Status == lang.Found {
			res.Inferred = res.Inferred || !l.links(p)
			return res
		}
		if !builtin(spec) {
			return lang.Target{Status: lang.Unresolved}
		}
	}
	if builtin(spec) {
		return lang.Target{Status: lang.Builtin}
	}
	if t := l.bundled(spec); t.Status == lang.Found {
		return t
	}
	switch {
	case l.aliasFails(spec):
		return lang.Target{Status: lang.Unresolved}
	}
	return lang.Target{Status: lang.External}
}

// inNodeModules resolves the name of a package to one that is part of the tree below a node_modules:
// of the nearest directory that has it, as fixtures do.
func (l *lookup) inNodeModules(name, rest string) lang.Target {
	for d := l.dir; l.committed; d = path.Dir(d) {
		at := path.Join(d, "node_modules", name)
		if p := l.ownPackage(at); p != nil {
			return l.inPackage(p, rest)
		}
		if l.dirs[path.Join(d, "node_modules")] {
			loose := *l
			loose.strict = false
			if found := loose.load(path.Join(at, rest), false); found != "" {
				return lang.Target{Path: found}
			}
		}
		if d == "." {
			break
		}
	}
	return lang.Target{Status: lang.Unresolved}
}

// configurations lists the options that may apply to a file: those of the nearest configuration,
// then those of its project references.
func (l *lookup) configurations() []*options {
	out := []*options{l.opts}
	for _, f := range l.opts.references {
		if l.files[f] {
			out = append(out, l.config(f))
		}
	}
	return out
}

// aliased resolves a name by "paths" and "baseUrl".
func (l *lookup) aliased(spec string) string {
	a, star := l.match(spec)
	if a != nil {
		for _, t := range a.targets {
			p := strings.Replace(t, "*", star, 1)
			if l.files[p] && strings.Contains(path.Base(t), ".") && lex.OfFile(p)&lex.Module != 0 {
				return p
			}
			if found := l.load(p, false); found != "" {
				return found
			}
		}
	}
	if l.opts.hasBase {
		return l.load(path.Join(l.opts.base, spec), false)
	}
	return ""
}

// match returns the alias that best matches a name, and what its star matched. An exact alias
// wins, then the one with the longest prefix.
func (l *lookup) match(spec string) (*alias, string) {
	var best *alias
	for i := range l.opts.paths {
		a := &l.opts.paths[i]
		switch {
		case !a.star && a.prefix == spec:
			return a, ""
		case a.star && len(spec) >= len(a.prefix)+len(a.suffix) && strings.HasPrefix(spec, a.prefix) && strings.HasSuffix(spec, a.suffix):
			if best == nil || len(a.prefix) > len(best.prefix) {
				best = a
			}
		}
	}
	if best == nil {
		return nil, ""
	}
	return best, spec[len(best.prefix) : len(spec)-len(best.suffix)]
}

// aliasFails reports whether a name that was not found looks like an alias of this tree, so that
// the import is broken.
func (l *lookup) aliasFails(spec string) bool {
	for _, o := range l.configurations() {
		at := *l
		at.opts = o
		if a, _ := at.match(spec); a != nil && a.prefix != "" {
			return true
		}
	}
	return strings.HasPrefix(spec, "@/") || strings.HasPrefix(spec, "~/") || strings.HasPrefix(spec, "#")
}

// imported resolves a name with a leading # by the imports of its own package.
func (l *lookup) imported(spec string) lang.Target {
	own := l.scope(l.dir)
	if own == nil || own.imports.v == nil {
		return lang.Target{Status: lang.Unresolved}
	}
	targets := own.targets(own.imports, spec, l.conditions())
	for _, t := range targets {
		if strings.HasPrefix(t, "#") {
			continue // Node does not follow these either, and they may form a cycle
		}
		if !strings.HasPrefix(t, "./") {
			if res := l.named(t); res.Status != lang.Unresolved {
				return res
			}
			continue
		}
		if found := l.target(path.Join(own.dir, t)); found != "" {
			return lang.Target{Path: found, Inferred: l.opts.mode == node10}
		}
	}
	for _, t := range targets {
		if found := l.unbuilt(own.dir, path.Join(own.dir, t)); found != "" {
			return lang.Target{Path: found, Inferred: true}
		}
	}
	return lang.Target{Status: lang.Unresolved}
}

// target finds the file for a path in package.json: the file itself, or its source. No extension
// is added.
func (l *lookup) target(p string) string {
	if found := l.replaced(p, lex.Module); found != "" {
		return found
	}
	if l.files[p] {
		return p
	}
	return ""
}

// links reports whether the importing package means this package of the workspace, not one of the
// same name from a registry.
func (l *lookup) links(p *pkg) bool {
	own := l.scope(l.dir)
	if p.declared || own == p {
		return true
	}
	for d := own; d != nil; d = l.scope(path.Dir(d.dir)) {
		v := d.dependency(p.name)
		if _, linked := linkedTo(v); linked || strings.HasPrefix(v, "workspace:") {
			return true
		}
		if d.dir == "." {
			break
		}
	}
	return false
}

// inPackage resolves a subpath of a package; "" is its entry point.
func (l *lookup) inPackage(p *pkg, rest string) lang.Target {
	if p.exports.v != nil && l.opts.mode != node10 {
		return l.exported(p, rest)
	}
	for _, set := range l.passes() {
		found := ""
		if rest == "" {
			if found = l.entry(p, set); found == "" {
				found = l.added(path.Join(p.dir, "index"), set)
			}
		} else if found = l.file(path.Join(p.dir, rest), set); found == "" {
			found = l.directory(path.Join(p.dir, rest), set)
		}
		if found != "" {
			return lang.Target{Path: found}
		}
	}
	if rest != "" && l.files[path.Join(p.dir, rest)] {
		return lang.Target{Path: path.Join(p.dir, rest)}
	}
	return l.inferred(p, rest)
}

// exported resolves a subpath by the exports of its package.
func (l *lookup) exported(p *pkg, rest string) lang.Target {
	for _, t := range p.targets(p.exports, subpath(rest), l.conditions()) {
		if !strings.HasPrefix(t, "./") {
			continue
		}
		if found := l.target(path.Join(p.dir, t)); found != "" {
			return lang.Target{Path: found}
		}
	}
	return l.inferred(p, rest)
}

func subpath(rest string) string {
	if rest == "" {
		return "."
	}
	return "./" + rest
}

// inferred finds the source of an export whose file is not built.
func (l *lookup) inferred(p *pkg, rest string) lang.Target {
	every := append(l.conditions(), "source", "development", "import", "module", "node", "require", "browser")
	targets := p.targets(p.exports, subpath(rest), every)
	if rest == "" {
		for _, field := range []string{"source", "types", "typings", "module", "main"} {
			if t := p.json.str(field); t != "" {
				targets = append(targets, t)
			}
		}
		targets = append(targets, "src/index.ts", "index.ts", "lib/index.ts", "src/main.ts")
	} else {
		targets = append(targets, rest, path.Join("src", rest))
	}
	loose := *l
	loose.strict = false
	for _, t := range targets {
		at := path.Join(p.dir, t)
		if found := l.target(at); found != "" {
			return lang.Target{Path: found, Inferred: true}
		}
		if found := loose.unbuilt(p.dir, at); found != "" {
			return lang.Target{Path: found, Inferred: true}
		}
	}
	for _, t := range targets {
		if found := loose.load(path.Join(p.dir, t), false); found != "" {
			return lang.Target{Path: found, Inferred: true}
		}
	}
	return lang.Target{Status: lang.Unresolved}
}

// maxOutputs is the maximum number of nested output directories in a path.
const maxOutputs = 6

// unbuilt finds the source of a file in an output directory: src/a.ts for dist/esm/a.js. dir is
// the directory of the package.
func (l *lookup) unbuilt(dir, p string) string {
	rest := strings.TrimPrefix(p, dir+"/")
	if dir == "." {
		rest = p
	}
	parts := strings.Split(rest, "/")
	for n := 1; n < min(len(parts), maxOutputs) && outputs(parts[n-1]); n++ {
		tail := strings.Join(parts[n:], "/")
		for _, src := range []string{"src", "source", "lib", ".", "app"} {
			at := path.Join(dir, src, tail)
			if at == p {
				continue
			}
			for _, stem := range []string{at, plainStem(at)} {
				if found := l.replaced(stem, lex.Module); found != "" {
					return found
				}
				if found := l.added(stem, lex.Module); found != "" {
					return found
				}
				if l.dirs[stem] {
					if found := l.added(path.Join(stem, "index"), lex.Module); found != "" {
						return found
					}
				}
			}
		}
	}
	return ""
}

// plainStem removes the extension and what builds add to a file's name: "a.min.js" becomes "a".
func plainStem(p string) string {
	ext := path.Ext(p)
	stem := strings.TrimSuffix(strings.TrimSuffix(p, ext), ".d")
	for _, add := range []string{".min", ".esm", ".es", ".cjs", ".prod", ".development", ".production", ".umd", ".mjs"} {
		stem = strings.TrimSuffix(stem, add)
	}
	return stem
}

// outputs reports whether builds commonly write into directories of this name.
func outputs(dir string) bool {
	return slices.Contains([]string{
		"dist", "build", "lib", "out", "output", "esm", "cjs", "es", "es6", "es2015", "module", "modules", "umd", "types",
		"typings", "dts", "dist-types", "bundle", "bundles", "node", "browser", "prod", "dev", "commonjs", ".build", "_esm", "_cjs", "_types", "release",
	}, dir)
}

// builtin reports whether a specifier names a module of Node or Bun.
func builtin(spec string) bool {
	if strings.HasPrefix(spec, "node:") || strings.HasPrefix(spec, "bun:") {
		return true
	}
	name, _, _ := strings.Cut(spec, "/")
	switch name {
	case "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram",
		"diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2", "https", "inspector", "module", "net", "os",
		"path", "perf_hooks", "process", "punycode", "querystring", "readline", "repl", "stream", "string_decoder", "sys",
		"timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "worker_threads", "zlib", "bun":
		return spec == name || name == "fs" || name == "path" || name == "dns" || name == "stream" || name == "util" || name == "timers" || name == "readline" || name == "assert" || name == "inspector"
	}
	return false
}
