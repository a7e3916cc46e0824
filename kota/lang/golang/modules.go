package golang

import (
	"cmp"
	"path"
	"slices"
	"strconv"
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

// directive is a line of a go.mod or go.work: a verb and its arguments.
type directive []string

// directives reads the lines of a go.mod or go.work. It ignores directives that the parser does
// not know: newer versions of Go may add them.
func directives(f string, data []byte) ([]directive, error) {
	parsed, err := modfile.ParseLax(f, data, nil)
	if err != nil {
		return nil, err
	}
	var out []directive
	add := func(tokens []string) {
		d := make(directive, len(tokens))
		for i, t := range tokens {
			if d[i] = t; t != "" && (t[0] == '"' || t[0] == '`') {
				d[i], _ = strconv.Unquote(t)
			}
		}
		out = append(out, d)
	}
	for _, s := range parsed.Syntax.Stmt {
		switch s := s.(type) {
		case *modfile.Line:
			add(s.Token)
		case *modfile.LineBlock:
			for _, l := range s.Line {
				add(slices.Concat(s.Token, l.Token))
			}
		}
	}
	return out, nil
}

// lines reads a configuration file. A missing one has no lines.
func (m *modules) lines(f string) []directive {
	data, ok := m.read(f)
	if !ok {
		return nil
	}
	out, err := directives(f, data)
	if err != nil {
		m.notes = append(m.notes, f+" cannot be read: it has syntax errors")
	}
	return out
}

func (m *modules) module(f string) {
	mod := &module{dir: path.Dir(f)}
	for _, d := range m.lines(f) {
		switch {
		case d[0] == "module" && len(d) == 2:
			mod.path = d[1]
		case d[0] == "replace":
			mod.replaced = append(mod.replaced, d.replacement(mod.dir)...)
		}
	}
	if mod.path != "" {
		mod.vendored = m.files[path.Join(mod.dir, "vendor/modules.txt")]
		m.byDir[mod.dir] = mod
	}
}

// replacement returns the replacement in a "replace" line, none when its target is not a
// directory of the tree.
func (d directive) replacement(dir string) []replacement {
	at := slices.Index(d, "=>")
	if at < 2 || at+1 >= len(d) {
		return nil
	}
	to := d[at+1]
	if !modfile.IsDirectoryPath(to) || path.IsAbs(to) || !inTree(path.Join(dir, to)) {
		return nil
	}
	return []replacement{{d[1], path.Join(dir, to)}}
}

func inTree(p string) bool { return p != ".." && !strings.HasPrefix(p, "../") }

func (m *modules) workspace(f string) {
	w := workspace{dir: path.Dir(f), vendored: m.files[path.Join(path.Dir(f), "vendor/modules.txt")]}
	for _, d := range m.lines(f) {
		switch {
		case d[0] == "use" && len(d) == 2:
			if mod := m.byDir[path.Join(w.dir, d[1])]; mod != nil {
				w.uses = append(w.uses, mod)
			}
		case d[0] == "replace":
			w.replaced = append(w.replaced, d.replacement(w.dir)...)
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
