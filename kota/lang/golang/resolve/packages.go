package resolve

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
)

// Resolver is the lang.Linker of Go, for one state of a tree. It is not safe for
// concurrent use.
type Resolver struct {
	ctx     context.Context
	tree    lang.Tree
	modules *modules
	dirs    map[string][]string // the Go files of each directory
	placed  map[[2]string]place
	matched map[[2]string][]string // by directory and pattern of go:embed
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
		t.Files = nil // of no module of another language
	}
	r.modules = readModules(t)
	return r
}

// Consulted implements lang.Resolver.
func (r *Resolver) Consulted() []string { return sortedKeys(r.modules.asked) }

// Notes implements lang.Resolver.
func (r *Resolver) Notes() []string { return r.modules.notes }

// source is a Go file.
type source struct {
	path          string
	unit, outside string
	test          bool // its name ends with _test.go
	read          bool
	starts        bool // something in it runs when the program starts
}

// declared is where a directory declares a name: the number of a file, and for a
// method the type it belongs to.
type declared struct {
	file int
	in   string
}

// directory is what the files of a directory declare.
type directory struct {
	files   []source
	names   map[string][]declared // of the packages there
	methods map[string][]declared
	having  map[string][]string // the methods of each type
}

// directory reads what the files of a directory declare.
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

// find returns the number of a file, -1 when there is none.
func (d *directory) find(p string) int {
	return slices.IndexFunc(d.files, func(s source) bool { return s.path == p })
}

// unit is the name of the package that others import from a directory: that of the
// files which the default build takes, where there are some.
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

// scope is who asks for a name: the files that it is looked for in.
type scope struct {
	*directory
	unit    string
	tests   bool   // names that tests declare count
	outside string // of the file that asks
}

// first chooses between the files that declare a name: the default build has one of
// them, and a file that it leaves out goes with those that it leaves out for the same
// reason. It returns false when there is none.
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

// own is the scope of the package that a file belongs to.
func (r *Resolver) own(file string) scope {
	d := r.directory(path.Dir(file))
	s := scope{directory: d, tests: strings.HasSuffix(file, "_test.go")}
	if i := d.find(file); i >= 0 {
		s.unit, s.outside = d.files[i].unit, d.files[i].outside
	}
	return s
}

// imported is the scope of a package that a file imports from a directory. The tests
// of a package see what its own tests declare.
func (r *Resolver) imported(file, dir string) scope {
	d := r.directory(dir)
	own := r.own(file)
	return scope{directory: d, unit: d.unit(), tests: own.tests && path.Dir(file) == dir, outside: own.outside}
}

// unread is a file of a directory of which nothing is known, "" when there is none: it
// may declare whatever is not found.
func (d *directory) unread() string {
	for _, s := range d.files {
		if !s.read {
			return s.path
		}
	}
	return ""
}

// main is the file of a package that stands for it where no name of it is used: one
// that does something when the program starts.
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
