package golang

import (
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/glob"
	"github.com/coctostan/pictx/kota/lang"
)

// written reports whether an import is in the file, not added by Link.
func written(im lang.Import) bool {
	return im.Kind == lang.Static || im.Kind == lang.Embedded && !strings.HasPrefix(im.Spec, "/")
}

// Resolve implements lang.Resolver.
func (r *Resolver) Resolve(from string, im lang.Import) lang.Target {
	dir := path.Dir(from)
	switch im.Kind {
	case lang.Static:
		p := r.place(dir, im.Spec)
		if p.status == lang.Spread && !slices.ContainsFunc(r.directory(p.dir).files, func(s source) bool { return s.read }) {
			return lang.Target{Path: r.dirs[p.dir][0], Inferred: p.inferred}
		}
		return lang.Target{Status: p.status, Inferred: p.inferred}
	case lang.Embedded:
		if to, ok := strings.CutPrefix(im.Spec, "/"); ok {
			return lang.Target{Path: to}
		}
		if len(r.embedded(dir, im.Spec)) > 0 {
			return lang.Target{Status: lang.Spread}
		}
		return lang.Target{Status: lang.Unresolved}
	case lang.Sibling, lang.Methods:
		return r.target(im, r.own(from), false)
	case lang.Called:
		if im.Spec == "." {
			return r.target(im, r.own(from), true)
		}
	}
	p := r.place(dir, im.Spec)
	if p.status != lang.Spread {
		return lang.Target{Status: lang.Unresolved}
	}
	return r.target(im, r.imported(from, p.dir), p.inferred || im.Kind == lang.Called)
}

// target returns the file that declares the first name of an import.
func (r *Resolver) target(im lang.Import, s scope, inferred bool) lang.Target {
	if len(im.Names) == 0 {
		return lang.Target{Path: s.main(), Inferred: inferred}
	}
	name := im.Names[0].Imported
	list, in := s.names[name], ""
	if owner, method, ok := strings.Cut(name, "."); ok {
		list, in = s.methods[method], owner
	}
	d, ok := s.first(list, in)
	if !ok {
		if p := s.unread(); p != "" {
			return lang.Target{Path: p, Inferred: true}
		}
		return lang.Target{Status: lang.Unresolved}
	}
	return lang.Target{Path: s.files[d.file].path, Inferred: inferred}
}

// Links implements lang.Resolver: the files of a package share names.
func (*Resolver) Links(*lang.Facts) bool { return true }

// Depends implements lang.Resolver. A file depends on its own package and on those it imports.
func (r *Resolver) Depends(from string, facts *lang.Facts, changed []string) bool {
	dirs := make(map[string]bool, len(changed))
	for _, f := range changed {
		dirs[path.Dir(f)] = true
	}
	if dirs[path.Dir(from)] {
		return true
	}
	return slices.ContainsFunc(facts.Imports, func(im lang.Import) bool {
		return im.Kind == lang.Static && dirs[r.place(path.Dir(from), im.Spec).dir]
	})
}

// linking is the state of linking one file.
type linking struct {
	*Resolver
	from    string
	facts   *lang.Facts
	own     scope
	targets map[linkKey]int // by added import, its index in out
	out     []lang.Import
	used    map[string]bool // directories of the imports from which names are used
}

// linkKey identifies an import that Link adds.
type linkKey struct {
	kind       lang.Kind
	spec, file string
}

// Link implements lang.Resolver.
func (r *Resolver) Link(from string, facts *lang.Facts) []lang.Import {
	l := &linking{
		Resolver: r, from: from, facts: facts, own: r.own(from),
		targets: make(map[linkKey]int), used: make(map[string]bool),
	}
	for _, im := range facts.Imports {
		if written(im) {
			l.out = append(l.out, im)
		}
	}
	imports := l.packages()
	for _, u := range facts.Uses {
		if r.ctx.Err() != nil {
			break
		}
		switch before, name, dotted := strings.Cut(u.Name, "."); {
		case !dotted:
			l.plain(u, imports)
		case before == "":
			l.method(u, name, imports)
		default:
			if p, ok := imports.named(before); ok {
				l.selected(u, p, name)
			}
		}
	}
	l.methodsElsewhere()
	l.whole(imports)
	l.embed()
	return l.out
}

// imported is an imported package of the tree.
type imported struct {
	scope
	spec, local string // local may be "_" or "."
	dir         string
	line        int
}

type importedList []imported

func (list importedList) named(local string) (imported, bool) {
	i := slices.IndexFunc(list, func(p imported) bool { return p.local == local })
	if i < 0 {
		return imported{}, false
	}
	return list[i], true
}

// packages lists the imported packages of the tree.
func (l *linking) packages() importedList {
	var out importedList
	for _, im := range l.out {
		if im.Kind != lang.Static {
			continue
		}
		p := l.place(path.Dir(l.from), im.Spec)
		if p.status != lang.Spread {
			continue
		}
		x := imported{scope: l.imported(l.from, p.dir), spec: im.Spec, dir: p.dir, line: im.Line}
		if len(im.Names) > 0 {
			x.local = im.Names[0].Local
		}
		if x.local == "" {
			x.local = x.unit
		}
		out = append(out, x)
	}
	return out
}

// add adds a name to the import that takes names from a file, and adds that import first if
// needed.
func (l *linking) add(im lang.Import, file string, name lang.Name) {
	if file == l.from {
		return
	}
	key := linkKey{im.Kind, im.Spec, file}
	at, known := l.targets[key]
	if !known {
		at = len(l.out)
		l.targets[key] = at
		l.out = append(l.out, im)
	}
	l.out[at].Names = append(l.out[at].Names, name)
}

// plain links an unqualified name: of the own package, or of a dot import.
func (l *linking) plain(u lang.Use, imports importedList) {
	if d, ok := l.own.first(l.own.names[u.Name], ""); ok {
		l.add(lang.Import{Spec: ".", Kind: lang.Sibling, Line: u.Lines[0]}, l.own.files[d.file].path, lang.Name{Imported: u.Name, Local: u.Name})
		return
	}
	for _, p := range imports {
		if d, ok := p.first(p.names[u.Name], ""); ok && p.local == "." {
			l.used[p.dir] = true
			l.add(lang.Import{Spec: p.spec, Kind: lang.Selected, Line: p.line}, p.files[d.file].path, lang.Name{Imported: u.Name, Local: u.Name})
			return
		}
	}
	if l.missing(u.Name) {
		l.add(lang.Import{Spec: ".", Kind: lang.Sibling, Line: u.Lines[0]}, "\x00"+u.Name, lang.Name{Imported: u.Name, Local: u.Name})
	}
}

// missing reports whether a name that was not found should be declared in the package: it is not
// predeclared, and cannot be the name of an import.
func (l *linking) missing(name string) bool {
	if l.facts.Partial || isBuiltin(name) || strings.Contains("/"+l.from, "/testdata/") {
		return false
	}
	for _, im := range l.facts.Imports {
		if len(im.Names) > 0 && im.Kind == lang.Static && (im.Names[0].Local == "." || im.Names[0].Local == name) {
			return false
		}
	}
	_, qualified := slices.BinarySearchFunc(l.facts.Uses, name+".", func(u lang.Use, p string) int {
		if strings.HasPrefix(u.Name, p) {
			return 0
		}
		return strings.Compare(u.Name, p)
	})
	return !qualified
}

// isBuiltin reports whether a name is predeclared and one that the scanner keeps, because packages
// may redeclare it.
func isBuiltin(name string) bool {
	switch name {
	case "any", "comparable", "clear", "close", "complex", "copy", "delete",
		"imag", "max", "min", "print", "println", "real":
		return true
	}
	return false
}

// selected links a name that is qualified with an import, "pkg.Name".
func (l *linking) selected(u lang.Use, p imported, name string) {
	file := "\x00" + name // not found
	if d, ok := p.first(p.names[name], ""); ok {
		file = p.files[d.file].path
	}
	l.used[p.dir] = true
	l.add(lang.Import{Spec: p.spec, Kind: lang.Selected, Line: p.line}, file, lang.Name{Imported: name, Local: u.Name})
}

// method links a name after a dot to the methods of that name in all packages that the file
// knows.
func (l *linking) method(u lang.Use, name string, imports importedList) {
	if isCommon(name) {
		return
	}
	l.methodsOf(u, ".", name, l.own)
	for _, p := range imports {
		if p.local != "_" && token.IsExported(name) {
			l.methodsOf(u, p.spec, name, p.scope)
		}
	}
}

func (l *linking) methodsOf(u lang.Use, spec, name string, s scope) {
	for _, m := range s.methods[name] {
		d, ok := s.first(s.methods[name], m.in)
		if !ok || d != m {
			continue
		}
		l.add(lang.Import{Spec: spec, Kind: lang.Called, Line: u.Lines[0]}, s.files[d.file].path, lang.Name{Imported: m.in + "." + name, Local: u.Name})
	}
}

// isCommon reports whether a name is that of a method of an interface of the standard library. It
// does not tell which type is meant.
func isCommon(name string) bool {
	switch name {
	case "Error", "String", "GoString", "Format", "Unwrap", "Is", "As",
		"Read", "Write", "Close", "Seek", "ReadAt", "WriteAt", "WriteTo", "ReadFrom",
		"ReadByte", "WriteByte", "WriteString", "ReadRune", "Flush",
		"Len", "Less", "Swap", "Push", "Pop", "Lock", "Unlock",
		"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText",
		"Scan", "Value", "Set", "Get", "ServeHTTP", "Done", "Err", "Add", "Wait", "Name",
		"Fatal", "Fatalf", "Errorf", "Helper", "Run", "Log", "Logf", "Skip":
		return true
	}
	return false
}

// methodsElsewhere links the types that the file declares to the files that declare their
// methods: users of the type use those.
func (l *linking) methodsElsewhere() {
	for _, d := range l.facts.Decls {
		if d.In != "" || d.Class == lang.Function || d.Class == lang.Const || d.Class == lang.Var || d.Class == lang.Interface {
			continue
		}
		names := slices.Clone(l.own.having[d.Name])
		slices.Sort(names) // a method may be declared once per operating system
		for _, name := range slices.Compact(names) {
			if m, ok := l.own.first(l.own.methods[name], d.Name); ok {
				l.add(lang.Import{Spec: ".", Kind: lang.Methods, Line: d.Line}, l.own.files[m.file].path, lang.Name{Imported: d.Name + "." + name})
			}
		}
	}
}

// whole links imports from which no name is used: they are imported for their side effects.
func (l *linking) whole(imports importedList) {
	for _, p := range imports {
		if file := p.main(); !l.used[p.dir] && file != "" && file != l.from {
			l.out = append(l.out, lang.Import{Spec: p.spec, Kind: lang.Selected, Line: p.line})
			l.used[p.dir] = true
		}
	}
}

// maxEmbedded is the maximum number of files that are linked for one pattern.
const maxEmbedded = 100

// embed links the files that go:embed builds into the program.
func (l *linking) embed() {
	for _, im := range slices.Clone(l.out) {
		if im.Kind != lang.Embedded {
			continue
		}
		for _, f := range l.embedded(path.Dir(l.from), im.Spec) {
			l.out = append(l.out, lang.Import{Spec: "/" + f, Kind: lang.Embedded, Line: im.Line})
		}
	}
}

// embedded lists the files for a go:embed pattern: those that it matches, and those in
// directories that it matches.
func (r *Resolver) embedded(dir, pattern string) []string {
	key := [2]string{dir, pattern}
	out, known := r.matched[key]
	if !known {
		out = r.matches(dir, pattern)
		r.matched[key] = out
	}
	return out
}

func (r *Resolver) matches(dir, pattern string) []string {
	g, err := glob.Compile(path.Join(dir, pattern))
	if err != nil {
		return nil
	}
	var out []string
	for _, f := range r.tree.Files {
		if len(out) == maxEmbedded || r.ctx.Err() != nil {
			break
		}
		for p := f; p != "."; p = path.Dir(p) {
			if g.Match(p) {
				out = append(out, f)
				break
			}
			if p == dir {
				break
			}
		}
	}
	return out
}
