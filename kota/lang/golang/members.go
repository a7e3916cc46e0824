package golang

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"

	"github.com/coctostan/pictx/kota/lang"
)

// Members implements Members of lang.Language with Go's own type checker. What comes from outside the
// tree has no type there: of a receiver that does, nothing is said.
func Members(ctx context.Context, t lang.Tree, q lang.MemberSearch) []lang.MemberUse {
	c := &checker{
		Resolver: New(ctx, t), search: q, fset: token.NewFileSet(), parsed: make(map[string]*ast.File),
		packages: make(map[unit]*types.Package), member: make(map[token.Pos]lang.Owner),
	}
	c.home = unit{path.Dir(q.File), c.own(q.File).unit}
	if c.load(c.home, false); c.owner == nil {
		c.load(c.home, true)
	}
	var apart []unit
	for _, dir := range slices.Sorted(maps.Keys(c.dirs)) {
		if !slices.ContainsFunc(c.dirs[dir], q.Mentions) {
			continue
		}
		for _, s := range c.directory(dir).files {
			switch of := (unit{dir, s.unit}); {
			case !s.read || !q.Mentions(s.path):
			case !s.apart():
				c.load(of, false)
			case !slices.Contains(apart, of):
				apart = append(apart, of)
			}
		}
	}
	c.relatives()
	for _, of := range apart { // after the others, which import none of them
		c.load(of, true)
	}
	return c.out
}

// unit is a package: its directory and its name.
type unit struct{ dir, name string }

// apart reports whether the default build of those who import its package leaves a file out.
func (s source) apart() bool { return s.test || s.outside != "" }

// checker looks for a member of a type. Packages are checked once, without the bodies of functions that
// do not mention the member, and once more with the files that stand apart.
type checker struct {
	*Resolver
	search   lang.MemberSearch
	home     unit
	owner    *types.Named // nil when it is not found
	fset     *token.FileSet
	parsed   map[string]*ast.File
	packages map[unit]*types.Package
	member   map[token.Pos]lang.Owner // by declaration of a member of that name, what a use of it says
	out      []lang.MemberUse
}

// Import implements types.Importer.
func (c *checker) Import(spec string) (*types.Package, error) { return c.ImportFrom(spec, ".", 0) }

// ImportFrom implements types.ImporterFrom: a package from outside the tree is empty.
func (c *checker) ImportFrom(spec, dir string, _ types.ImportMode) (*types.Package, error) {
	if p := c.place(dir, spec); p.status == lang.Spread {
		return c.load(unit{p.dir, c.directory(p.dir).unit()}, false), nil
	}
	if spec == "unsafe" {
		return types.Unsafe, nil
	}
	return empty(spec, path.Base(spec)), nil
}

// empty returns a package that declares nothing.
func empty(spec, name string) *types.Package {
	p := types.NewPackage(spec, name)
	p.MarkComplete()
	return p
}

// load checks a package and records its uses of the member: those in the files that stand apart, which it
// checks together with the others, or those in the others.
func (c *checker) load(of unit, apart bool) *types.Package {
	if p := c.packages[of]; p != nil && !apart {
		return p
	}
	if !apart {
		c.packages[of] = empty(of.dir, of.name) // for packages that import each other
	}
	var files []*ast.File
	var uses []string
	for _, s := range c.ordered(of, apart) {
		if c.ctx.Err() != nil {
			return c.packages[of]
		}
		files = append(files, c.parse(s.path))
		if s.apart() == apart && c.search.Mentions(s.path) {
			uses = append(uses, s.path)
		}
	}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	conf := types.Config{Importer: c, FakeImportC: true, Error: func(error) {}, DisableUnusedImportCheck: true}
	pkg, _ := conf.Check(of.dir+" "+of.name, c.fset, files, info)
	if !apart {
		c.packages[of] = pkg
	}
	if c.owner == nil && of == c.home {
		c.owner = c.typeOf(pkg, c.search.Owner)
	}
	for _, p := range uses {
		c.uses(c.parsed[p], info)
	}
	return pkg
}

// ordered lists the files of a package, those of the default build first: of two declarations the
// first counts.
func (c *checker) ordered(of unit, apart bool) (list []source) {
	for _, wanted := range []bool{false, true} {
		for _, s := range c.directory(of.dir).files {
			if s.unit == of.name && s.read && s.apart() == wanted && (apart || !wanted) {
				list = append(list, s)
			}
		}
	}
	return list
}

// parse reads a file without the bodies of functions that do not mention the member.
func (c *checker) parse(p string) *ast.File {
	if f := c.parsed[p]; f != nil {
		return f
	}
	data, _ := c.tree.Read(p)
	f, err := parser.ParseFile(c.fset, p, outline(data, c.search.Name), parser.SkipObjectResolution)
	if err != nil {
		f, _ = parser.ParseFile(c.fset, p, data, parser.SkipObjectResolution)
	}
	c.parsed[p] = f
	return f
}

// outline returns a source in which those bodies of functions are blank that do not have a name. A
// body ends, as gofmt writes it, with the first line that is a brace.
func outline(src []byte, name string) []byte {
	out := bytes.Clone(src)
	for at := 0; at < len(out); {
		start := bytes.Index(out[at:], []byte("\nfunc "))
		if start < 0 {
			break
		}
		at += start + 1
		line, _, _ := bytes.Cut(out[at:], []byte("\n"))
		open := at + len(line)
		if bytes.HasSuffix(line, []byte("(")) {
			if n := bytes.Index(out[open:], []byte("\n)")); n > 0 {
				line, _, _ = bytes.Cut(out[open+n+1:], []byte("\n"))
				open += n + 1 + len(line)
			}
		}
		end := bytes.Index(out[open:], []byte("\n}\n"))
		if !bytes.HasSuffix(line, []byte("{")) || end < 0 {
			continue
		}
		if body := out[open : open+end]; !bytes.Contains(body, []byte(name)) {
			for i, c := range body {
				if c != '\n' {
					body[i] = ' '
				}
			}
		}
		at = open + end
	}
	return out
}

// typeOf returns the type of a name that a package declares, nil when there is none.
func (c *checker) typeOf(pkg *types.Package, name string) *types.Named {
	if pkg == nil {
		return nil
	}
	if t, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok {
		named, _ := types.Unalias(t.Type()).(*types.Named)
		return named
	}
	return nil
}

// uses records the uses of the member in a file.
func (c *checker) uses(f *ast.File, info *types.Info) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if n.Sel.Name == c.search.Name {
				c.use(n.Sel, n.X, info)
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == c.search.Name {
				c.use(key, nil, info)
			}
		}
		return true
	})
}

// use records the use of a member at a name. of is the expression before the dot, nil for a key.
func (c *checker) use(at *ast.Ident, of ast.Expr, info *types.Info) {
	says := lang.Unsaid
	switch o := info.Uses[at].(type) {
	case *types.Func:
		if o.Signature().Recv() == nil {
			return
		}
		says = c.says(o.Origin())
	case *types.Var:
		if !o.IsField() {
			return
		}
		says = c.says(o.Origin())
	case nil:
		x, named := of.(*ast.Ident)
		if _, isPackage := info.Uses[x].(*types.PkgName); of == nil || named && (info.Uses[x] == nil || isPackage) {
			return // a package from outside, or the key of a map
		}
	default:
		return
	}
	c.add(at.Pos(), says)
}

// add records a line.
func (c *checker) add(at token.Pos, says lang.Owner) {
	p := c.fset.PositionFor(at, false)
	c.out = append(c.out, lang.MemberUse{File: p.Filename, Line: p.Line, Says: says})
}

// says returns what the use of a member says of the owner. It is remembered by the member's
// declaration: types of a package with its tests are others.
func (c *checker) says(o types.Object) lang.Owner {
	if says, known := c.member[o.Pos()]; known && o.Pkg() != nil {
		return says
	}
	says := lang.Disowned
	switch f, _ := o.(*types.Func); {
	case o.Pkg() == nil: // the method of error: of any
		return lang.Unsaid
	case c.owner == nil:
		says = lang.Unsaid
	case f == nil:
		if s, ok := c.owner.Underlying().(*types.Struct); ok {
			for v := range s.Fields() {
				if v.Pos() == o.Pos() {
					says = lang.Owned
				}
			}
		}
	default:
		says = c.saysMethod(f)
	}
	c.member[o.Pos()] = says
	return says
}

// saysMethod is says for a method.
func (c *checker) saysMethod(f *types.Func) lang.Owner {
	of := f.Signature().Recv().Type()
	if p, ok := of.(*types.Pointer); ok {
		of = p.Elem()
	}
	if n, ok := of.(*types.Named); ok && n.Obj().Name() == c.search.Owner && f.Pkg().Path() == c.owner.Obj().Pkg().Path() {
		return lang.Owned
	}
	if i, ok := of.Underlying().(*types.Interface); ok && implements(c.owner, i) {
		return lang.Assignable
	}
	return lang.Disowned
}

// implements reports whether a type, or a pointer to it, implements an interface.
func implements(t types.Type, i *types.Interface) bool {
	return types.Implements(t, i) || !types.IsInterface(t) && types.Implements(types.NewPointer(t), i)
}

// relatives records the declarations of the member in the interfaces that the owner implements and in
// the types that implement it.
func (c *checker) relatives() {
	if c.owner == nil {
		return
	}
	wanted, _ := c.owner.Underlying().(*types.Interface)
	for _, pkg := range c.packages {
		for _, name := range pkg.Scope().Names() {
			t := c.typeOf(pkg, name)
			if t == nil || t == c.owner {
				continue
			}
			i, _ := t.Underlying().(*types.Interface)
			o, _, _ := types.LookupFieldOrMethod(t, true, pkg, c.search.Name)
			if f, ok := o.(*types.Func); ok && f.Pkg() != nil && (i != nil && implements(c.owner, i) || wanted != nil && implements(t, wanted)) {
				c.add(f.Pos(), lang.Assignable)
			}
		}
	}
}
