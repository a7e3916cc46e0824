package golang

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
)

// Resolver is the lang.Resolver of Go, for one state of a tree. It is not safe for
// concurrent use.
type Resolver struct {
	ctx     context.Context
	tree    lang.Tree
	modules *modules
	dirs    map[string][]string // the Go files of each directory
	placed  map[[2]string]place
	matched map[[2]string][]string // by directory and go:embed pattern
	loaded  map[string]*directory
}

// New returns the Resolver of a tree. Once ctx has ended it finds nothing.
func New(ctx context.Context, t lang.Tree) *Resolver {
	r := &Resolver{
		ctx: ctx, tree: t, dirs: make(map[string][]string),
		placed: make(map[[2]string]place), matched: make(map[[2]string][]string), loaded: make(map[string]*directory),
	}
	for _, f := range t.Files {
		if strings.HasSuffix(f, ".go") {
			dir := path.Dir(f)
			r.dirs[dir] = append(r.dirs[dir], f)
		}
	}
	if len(r.dirs) == 0 {
		t.Files = nil // without Go files, read no go.mod
	}
	r.modules = readModules(t)
	return r
}

// Consulted implements lang.Resolver.
func (r *Resolver) Consulted() []string { return slices.Sorted(maps.Keys(r.modules.asked)) }

// Notes implements lang.Resolver.
func (r *Resolver) Notes() []string { return r.modules.notes }

// source is a Go file of a directory.
type source struct {
	path          string
	unit, outside string
	test          bool // its name ends with _test.go
	read          bool
	starts        bool // it has code that runs when the program starts
}

// declared is a declaration of a name: the index of its file and, for a method, its type.
type declared struct {
	file int
	in   string
}

// directory holds the Go files of a directory and their declarations.
type directory struct {
	files   []source
	names   map[string][]declared // by name, top-level declarations of all packages there
	methods map[string][]declared
	having  map[string][]string // by type, its methods
}

// directory returns the Go files of a directory and their declarations.
func (r *Resolver) directory(dir string) *directory {
	if d := r.loaded[dir]; d != nil {
		return d
	}
	d := &directory{names: make(map[string][]declared), methods: make(map[string][]declared), having: make(map[string][]string)}
	r.loaded[dir] = d
	for _, f := range r.dirs[dir] {
		if r.ctx.Err() != nil {
			break
		}
		facts, ok := r.tree.Facts(f)
		i := len(d.files)
		d.files = append(d.files, source{
			path: f, unit: facts.Unit, outside: facts.Outside, read: ok && !facts.ImportsOnly,
			test: strings.HasSuffix(f, "_test.go"),
		})
		for _, x := range facts.Decls {
			switch {
			case x.In == "":
				d.names[x.Name] = append(d.names[x.Name], declared{i, ""})
				d.files[i].starts = d.files[i].starts || x.Name == "init"
			case x.Class == lang.Method:
				d.methods[x.Name] = append(d.methods[x.Name], declared{i, x.In})
				d.having[x.In] = append(d.having[x.In], x.Name)
			}
		}
	}
	return d
}

// find returns the index of a file, -1 when there is none.
func (d *directory) find(p string) int {
	return slices.IndexFunc(d.files, func(s source) bool { return s.path == p })
}

// unit returns the name of the package that others import from a directory. Files of the default
// build decide, if there are any.
func (d *directory) unit() string {
	unit := ""
	for _, s := range d.files {
		switch {
		case s.test || s.unit == "":
		case s.outside == "":
			return s.unit
		case unit == "" && s.unit != "main":
			unit = s.unit
		}
	}
	return unit
}

// scope is where a name is looked up: the files of a package, as a certain file sees them.
type scope struct {
	*directory
	unit    string
	tests   bool   // declarations in tests are visible
	outside string // that of the asking file
}

// first chooses among the declarations of a name. Declarations of the same package count only. It
// prefers a file that the default build excludes for the same reason as the asking file, then a
// file of the default build. It returns false when there is none.
func (s scope) first(list []declared, in string) (declared, bool) {
	best, rank := declared{}, 0
	for _, d := range list {
		f := &s.files[d.file]
		if f.unit != s.unit || f.test && !s.tests || in != "" && d.in != in {
			continue
		}
		now := 1
		switch {
		case f.outside == s.outside && s.outside != "":
			now = 3
		case f.outside == "":
			now = 2
		}
		if now > rank {
			best, rank = d, now
		}
	}
	return best, rank > 0
}

// own returns the scope of the package that a file belongs to.
func (r *Resolver) own(file string) scope {
	d := r.directory(path.Dir(file))
	s := scope{directory: d, tests: strings.HasSuffix(file, "_test.go")}
	if i := d.find(file); i >= 0 {
		s.unit, s.outside = d.files[i].unit, d.files[i].outside
	}
	return s
}

// imported returns the scope of a package that a file imports from a directory. External tests of
// a package also see declarations of its internal tests.
func (r *Resolver) imported(file, dir string) scope {
	d := r.directory(dir)
	own := r.own(file)
	return scope{directory: d, unit: d.unit(), tests: own.tests && path.Dir(file) == dir, outside: own.outside}
}

// unread returns a file of a directory that was not read, "" when there is none. It may declare
// any name that is not found.
func (d *directory) unread() string {
	for _, s := range d.files {
		if !s.read {
			return s.path
		}
	}
	return ""
}

// main returns the file that stands for a package of which no name is used: preferably one with
// code that runs when the program starts.
func (s scope) main() string {
	best, rank := "", 0
	for _, f := range s.files {
		now := 1
		switch {
		case f.test || !f.read:
			continue
		case f.outside == "" && f.starts:
			now = 3
		case f.outside == "":
			now = 2
		}
		if now > rank {
			best, rank = f.path, now
		}
	}
	return best
}
