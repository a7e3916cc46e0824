package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
)

//lint:file-ignore SA1019 what the parser resolves within one file is all that is needed

// walker finds the uses of names that no function binds: what the parser finds no declaration for, or
// one at the top level.
type walker struct {
	file    *ast.File
	free    map[*ast.Ident]bool // what the parser finds no declaration for
	imports map[string]bool     // the local names of imports
	lines   map[string][]int    // by name, of its uses
	line    func(token.Pos) int
}

// uses records the uses of names that no function binds.
func (r *reading) uses(file *ast.File) {
	w := &walker{file: file, free: make(map[*ast.Ident]bool), imports: make(map[string]bool), lines: make(map[string][]int), line: r.line}
	for _, x := range file.Unresolved {
		w.free[x] = true
	}
	for _, im := range file.Imports {
		if im.Name != nil {
			w.imports[im.Name.Name] = true
		} else if spec, err := strconv.Unquote(im.Path.Value); err == nil {
			w.imports[path.Base(spec)] = true
		}
	}
	for _, d := range file.Decls {
		ast.Walk(w, d)
	}
	for name, lines := range w.lines {
		slices.Sort(lines) // the walk does not follow the source order everywhere
		r.out.Uses = append(r.out.Uses, lang.Use{Name: name, Lines: slices.Compact(lines)})
	}
	slices.SortFunc(r.out.Uses, func(a, b lang.Use) int { return strings.Compare(a.Name, b.Name) })
}

// Visit implements ast.Visitor.
func (w *walker) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.Ident:
		if w.isFree(n) && n.Name != "_" && (n.Obj != nil || !isPredeclared(n.Name)) {
			w.use(n.Name, n.Pos())
		}
	case *ast.SelectorExpr:
		w.selector(n)
		return nil
	case *ast.CompositeLit:
		if n.Type != nil {
			ast.Walk(w, n.Type)
		}
		w.literal(n, n.Type)
		return nil
	}
	return w
}

// use records that a name is used.
func (w *walker) use(name string, at token.Pos) { w.lines[name] = append(w.lines[name], w.line(at)) }

// isFree reports whether a name is used and no function binds it.
func (w *walker) isFree(x *ast.Ident) bool {
	return w.free[x] || x.Obj != nil && x.Obj == w.file.Scope.Lookup(x.Name) && x.Obj.Pos() != x.Pos()
}

// selector records the names before and after a dot.
func (w *walker) selector(x *ast.SelectorExpr) {
	before, ok := x.X.(*ast.Ident)
	if ok = ok && w.isFree(before); !ok || !w.imports[before.Name] {
		ast.Walk(w, x.X)
		w.use("."+x.Sel.Name, x.Sel.Pos()) // of an unknown owner
	}
	if ok && before.Obj == nil { // the name of a package may differ from the end of its path
		w.use(before.Name+"."+x.Sel.Name, x.Sel.Pos())
	}
}

// isPredeclared reports whether a name is predeclared and one that packages do not redeclare.
// Others, such as min, any and print, are redeclared in practice.
func isPredeclared(name string) bool { return types.Universe.Lookup(name) != nil && !isBuiltin(name) }

// literal reads the elements of a composite literal of type t. Keys of a struct are fields and no
// uses; keys of a map or an array are expressions.
func (w *walker) literal(x *ast.CompositeLit, t ast.Expr) {
	var key, elem ast.Expr
	isStruct := true
	switch t := underlying(t).(type) {
	case *ast.ArrayType:
		elem, isStruct = t.Elt, false
	case *ast.MapType:
		key, elem, isStruct = t.Key, t.Value, false
	}
	for _, e := range x.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			w.element(e, elem)
			continue
		}
		if id, plain := kv.Key.(*ast.Ident); plain && !isStruct && id.Obj == nil && !isPredeclared(id.Name) {
			w.use(id.Name, id.Pos()) // the parser leaves keys out
		} else if !isStruct || !plain {
			w.element(kv.Key, key)
		}
		w.element(kv.Value, elem)
	}
}

// element reads an element of a composite literal. Its type may be omitted and is then t.
func (w *walker) element(x, t ast.Expr) {
	if lit, ok := x.(*ast.CompositeLit); ok && lit.Type == nil {
		if star, ok := t.(*ast.StarExpr); ok {
			t = star.X
		}
		w.literal(lit, t)
		return
	}
	ast.Walk(w, x)
}

// underlying resolves a type name that the file declares.
func underlying(t ast.Expr) ast.Expr {
	for range 8 { // declarations may be cyclic
		id, ok := t.(*ast.Ident)
		if !ok || id.Obj == nil {
			return t
		}
		spec, ok := id.Obj.Decl.(*ast.TypeSpec)
		if !ok {
			return t
		}
		t = spec.Type
	}
	return t
}
