package golang

import (
	"path"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
)

// place is what an import path refers to. With status lang.Spread it is directory dir of the
// tree.
type place struct {
	status   lang.Status
	dir      string
	inferred bool
}

// place resolves an import path for a file in directory from.
func (r *Resolver) place(from, spec string) place {
	key := [2]string{from, spec}
	if p, known := r.placed[key]; known {
		return p
	}
	p := r.look(from, spec)
	r.placed[key] = p
	return p
}

func (r *Resolver) look(from, spec string) place {
	mod := r.modules.of(from)
	if r.ctx.Err() != nil {
		return place{status: lang.Unresolved}
	}
	if spec == "C" || spec == "unsafe" {
		return place{status: lang.Builtin}
	}
	if dir, ok := r.linked(from, mod, spec); ok {
		return place{lang.Spread, dir, !allowed(r.importPath(from, mod), spec)}
	}
	if mod != nil {
		if _, own := below(spec, mod.path); own {
			if dir, ok := r.nested(spec); ok {
				return place{lang.Spread, dir, true}
			}
			return place{status: lang.Unresolved}
		}
	}
	if first, _, _ := strings.Cut(spec, "/"); !strings.Contains(first, ".") {
		return place{status: lang.Builtin}
	}
	if dir, ok := r.nested(spec); ok {
		return place{lang.Spread, dir, true}
	}
	return place{status: lang.External}
}

// linked returns the directory from which the build would take a package, false when there is
// none in the tree.
func (r *Resolver) linked(from string, mod *module, spec string) (string, bool) {
	if mod == nil {
		return r.vendored(from, spec)
	}
	var replaced []replacement
	within := []*module{mod}
	vendor := ""
	if mod.vendored {
		vendor = mod.dir
	}
	if w := r.modules.using[mod]; w != nil {
		within, vendor = append(within, w.uses...), ""
		if w.vendored {
			vendor = w.dir
		}
		replaced = append(replaced, w.replaced...)
	}
	best := ""
	for _, m := range within {
		rest, ok := below(spec, m.path)
		if m.path == "std" { // the standard library itself
			rest, ok = spec, true
		}
		if dir := path.Join(m.dir, rest); ok && r.owns(m, dir) && (best == "" || len(dir) > len(best)) {
			best = dir
		}
	}
	if best != "" {
		return best, true
	}
	if vendor != "" {
		if dir := path.Join(vendor, "vendor", spec); r.dirs[dir] != nil {
			return dir, true
		}
	}
	return r.replaced(append(replaced, mod.replaced...), spec)
}

// owns reports whether a directory has Go files and belongs to a module.
func (r *Resolver) owns(m *module, dir string) bool {
	return r.dirs[dir] != nil && r.modules.of(dir) == m
}

// replaced returns the directory of a package in a module that is replaced by a directory.
func (r *Resolver) replaced(list []replacement, spec string) (string, bool) {
	best := -1
	for i, x := range list {
		if _, ok := below(spec, x.path); ok && (best < 0 || len(x.path) > len(list[best].path)) {
			best = i
		}
	}
	if best < 0 {
		return "", false
	}
	rest, _ := below(spec, list[best].path)
	dir := path.Join(list[best].dir, rest)
	return dir, r.dirs[dir] != nil
}

// vendored returns the directory of a package in the nearest vendor directory, for code outside
// all modules.
func (r *Resolver) vendored(from, spec string) (string, bool) {
	for d := from; ; d = path.Dir(d) {
		if dir := path.Join(d, "vendor", spec); r.dirs[dir] != nil {
			return dir, true
		}
		if d == "." {
			return "", false
		}
	}
}

// nested returns the directory of a package in any module of the tree, though the build would
// take a published version of it.
func (r *Resolver) nested(spec string) (string, bool) {
	for _, m := range r.modules.longest {
		if rest, ok := below(spec, m.path); ok {
			if dir := path.Join(m.dir, rest); r.owns(m, dir) {
				return dir, true
			}
		}
	}
	return "", false
}

// importPath returns the import path of a directory of a module.
func (r *Resolver) importPath(dir string, mod *module) string {
	if _, after, ok := strings.Cut("/"+dir+"/", "/vendor/"); ok {
		return strings.TrimSuffix(after, "/")
	}
	if mod == nil {
		return dir
	}
	return path.Join(mod.path, strings.TrimPrefix(strings.TrimPrefix(dir, mod.dir), "/"))
}

// allowed reports whether a package may import another: an internal package is visible only below
// its parent.
func allowed(from, spec string) bool {
	parts := strings.Split(spec, "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] == "internal" {
			_, ok := below(from, strings.Join(parts[:i], "/"))
			return ok || i == 0
		}
	}
	return true
}
