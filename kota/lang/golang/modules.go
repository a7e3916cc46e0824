package golang

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/coctostan/pictx/kota/lang"
)

// Limits on configuration.
const (
	maxConfig  = 1 << 20 // bytes per go.mod or go.work
	maxModules = 5000    // modules, and workspaces
)

// module is a go.mod.
type module struct {
	dir, path string
	replaced  []replacement
	vendored  bool // the build uses its vendor directory
}

// replacement is a directory of the tree that replaces a module.
type replacement struct{ path, dir string }

// workspace is a go.work.
type workspace struct {
	dir      string
	uses     []*module
	replaced []replacement
	vendored bool
}

// modules holds all modules and workspaces of a tree.
type modules struct {
	tree    lang.Tree
	files   map[string]bool // configuration files
	byDir   map[string]*module
	longest []*module // by module path, longest first
	works   []workspace
	using   map[*module]*workspace // by module, the nearest workspace that uses it
	nearest map[string]*module     // by directory; a cache
	asked   map[string]bool
	notes   []string
}

// readModules reads the modules and workspaces of a tree.
func readModules(t lang.Tree) *modules {
	m := &modules{
		tree: t, files: make(map[string]bool), byDir: make(map[string]*module),
		nearest: make(map[string]*module), asked: make(map[string]bool), using: make(map[*module]*workspace),
	}
	var works []string
	for _, f := range t.Files {
		switch path.Base(f) {
		case "go.mod":
			m.files[f] = true
		case "go.work":
			works = append(works, f)
		case "modules.txt":
			m.files[f] = true
		}
	}
	for f := range m.files {
		if path.Base(f) == "go.mod" && len(m.byDir) < maxModules {
			m.module(f)
		}
	}
	for _, mod := range m.byDir {
		m.longest = append(m.longest, mod)
	}
	slices.SortFunc(m.longest, func(a, b *module) int {
		return cmp.Or(len(b.path)-len(a.path), strings.Compare(a.path, b.path), strings.Compare(a.dir, b.dir))
	})
	if len(m.byDir) > 0 && !slices.Contains(works, "go.work") {
		works = append(works, "go.work") // git often ignores it, so that it is not listed
	}
	for _, f := range works[:min(len(works), maxModules)] {
		m.workspace(f)
	}
	slices.SortFunc(m.works, func(a, b workspace) int { return cmp.Or(len(b.dir)-len(a.dir), strings.Compare(a.dir, b.dir)) })
	for i := range m.works {
		for _, mod := range m.works[i].uses {
			if m.using[mod] == nil {
				m.using[mod] = &m.works[i]
			}
		}
	}
	slices.Sort(m.notes)
	return m
}

// read reads a configuration file.
func (m *modules) read(f string) ([]byte, bool) {
	m.asked[f] = true
	data, ok := m.tree.Read(f)
	return data, ok && len(data) <= maxConfig
}

// parse reads a go.mod or go.work with one of the parsers of modfile. A missing one has nothing.
func parse[T any](m *modules, f string, parsers ...func(string, []byte, modfile.VersionFixer) (*T, error)) *T {
	if data, ok := m.read(f); ok {
		for _, parser := range parsers {
			if out, err := parser(f, data, nil); err == nil {
				return out
			}
		}
		m.notes = append(m.notes, f+" cannot be read: it has syntax errors")
	}
	return new(T)
}

func (m *modules) module(f string) {
	parsed := parse(m, f, modfile.Parse, modfile.ParseLax) // newer versions of Go may add directives
	if parsed.Module == nil || parsed.Module.Mod.Path == "" {
		return
	}
	dir := path.Dir(f)
	m.byDir[dir] = &module{
		dir: dir, path: parsed.Module.Mod.Path, replaced: replacements(parsed.Replace, dir),
		vendored: m.files[path.Join(dir, "vendor/modules.txt")],
	}
}

// replacements lists the modules that a go.mod or go.work replaces by directories of the tree.
func replacements(list []*modfile.Replace, dir string) (out []replacement) {
	for _, r := range list {
		if to := r.New.Path; modfile.IsDirectoryPath(to) && !path.IsAbs(to) && inTree(path.Join(dir, to)) {
			out = append(out, replacement{r.Old.Path, path.Join(dir, to)})
		}
	}
	return out
}

func inTree(p string) bool { return p != ".." && !strings.HasPrefix(p, "../") }

func (m *modules) workspace(f string) {
	dir := path.Dir(f)
	parsed := parse(m, f, modfile.ParseWork)
	w := workspace{dir: dir, vendored: m.files[path.Join(dir, "vendor/modules.txt")], replaced: replacements(parsed.Replace, dir)}
	for _, u := range parsed.Use {
		if mod := m.byDir[path.Join(dir, u.Path)]; mod != nil {
			w.uses = append(w.uses, mod)
		}
	}
	if len(w.uses) > 0 {
		m.works = append(m.works, w)
	}
}

// of returns the module that a directory belongs to, nil without one.
func (m *modules) of(dir string) *module {
	mod, known := m.nearest[dir]
	if known {
		return mod
	}
	if mod = m.byDir[dir]; mod == nil && dir != "." {
		mod = m.of(path.Dir(dir))
	}
	m.nearest[dir] = mod
	return mod
}

// below returns the rest of an import path after a module path. ok is false when the import is
// not in that module.
func below(spec, modulePath string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(spec, modulePath)
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	return strings.TrimPrefix(rest, "/"), true
}
