package scan

import (
	"go/ast"
	"go/token"
	"path"
	"strconv"
)

// found is one use of a name.
type found struct {
	name string
	pos  token.Pos
}

// walker finds the uses of names that no function binds.
type walker struct {
	found   []found
	scope   []string       // bound names, innermost last
	bound   map[string]int // by name, how often it is bound
	imports map[string]bool
	types   map[string]ast.Expr // by name, the types that the file declares
	own     map[string]bool     // names that the file declares
}

// reset prepares for another file.
func (w *walker) reset(file *ast.File) {
	w.found, w.scope = w.found[:0], w.scope[:0]
	w.bound, w.imports = make(map[string]int), make(map[string]bool)
	w.types, w.own = make(map[string]ast.Expr), make(map[string]bool)
	for _, im := range file.Imports {
		if im.Name != nil {
			w.imports[im.Name.Name] = true
		} else if spec, err := strconv.Unquote(im.Path.Value); err == nil {
			w.imports[path.Base(spec)] = true
		}
	}
	for _, d := range file.Decls {
		w.note(d)
	}
}

// note records the names of a top-level declaration.
func (w *walker) note(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			w.own[d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				w.types[s.Name.Name], w.own[s.Name.Name] = s.Type, true
			case *ast.ValueSpec:
				for _, n := range s.Names {
					w.own[n.Name] = true
				}
			}
		}
	}
}

// mark returns the current end of the scope, for release.
func (w *walker) mark() int { return len(w.scope) }

// bind adds names to the innermost scope.
func (w *walker) bind(names ...*ast.Ident) {
	for _, n := range names {
		w.scope = append(w.scope, n.Name)
		w.bound[n.Name]++
	}
}

// release removes the names that were bound since a mark.
func (w *walker) release(mark int) {
	for _, n := range w.scope[mark:] {
		w.bound[n]--
	}
	w.scope = w.scope[:mark]
}

// name records the use of a name that is neither bound nor predeclared.
func (w *walker) name(x *ast.Ident) {
	if x.Name == "_" || w.bound[x.Name] > 0 || isPredeclared(x.Name) && !w.own[x.Name] {
		return
	}
	w.found = append(w.found, found{x.Name, x.Pos()})
}

// isPredeclared reports whether a name is predeclared and one that packages do not redeclare.
// Others, such as min, any and print, are redeclared in practice.
func isPredeclared(name string) bool {
	switch name {
	case "bool", "byte", "complex64", "complex128", "error", "float32", "float64",
		"int", "int8", "int16", "int32", "int64", "rune", "string",
		"uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
		"true", "false", "nil", "iota",
		"append", "cap", "len", "make", "new", "panic", "recover":
		return true
	}
	return false
}

// selector records the names before and after a dot.
func (w *walker) selector(x *ast.SelectorExpr) {
	before, ok := x.X.(*ast.Ident)
	if !ok || w.bound[before.Name] > 0 {
		w.expr(x.X)
		w.member(x.Sel)
		return
	}
	imported := w.imports[before.Name]
	if !imported {
		w.name(before)
		w.member(x.Sel)
	}
	if imported || !w.own[before.Name] { // the name of a package may differ from the end of its path
		w.found = append(w.found, found{before.Name + "." + x.Sel.Name, x.Sel.Pos()})
	}
}

// member records a name after a dot whose owner is unknown.
func (w *walker) member(x *ast.Ident) {
	w.found = append(w.found, found{"." + x.Name, x.Pos()})
}

// declaration reads a top-level declaration.
func (w *walker) declaration(d ast.Decl) {
	mark := w.mark()
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			w.receiver(d.Recv)
		}
		w.function(d.Type, d.Body)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			w.spec(s)
			w.release(mark)
		}
	}
	w.release(mark)
}

// receiver reads the receiver of a method and binds its type parameters.
func (w *walker) receiver(list *ast.FieldList) {
	for _, f := range list.List {
		t := f.Type
		if star, ok := t.(*ast.StarExpr); ok {
			t = star.X
		}
		var params []ast.Expr
		switch x := t.(type) {
		case *ast.IndexExpr:
			t, params = x.X, []ast.Expr{x.Index}
		case *ast.IndexListExpr:
			t, params = x.X, x.Indices
		}
		w.expr(t)
		for _, p := range params {
			if id, ok := p.(*ast.Ident); ok {
				w.bind(id)
			}
		}
		w.bind(f.Names...)
	}
}

// function reads a signature and a body. Names of the signature stay bound.
func (w *walker) function(t *ast.FuncType, body *ast.BlockStmt) {
	w.typeParams(t.TypeParams)
	lists := []*ast.FieldList{t.Params, t.Results}
	for _, list := range lists {
		w.fields(list)
	}
	for _, list := range lists {
		if list != nil {
			for _, f := range list.List {
				w.bind(f.Names...)
			}
		}
	}
	if body != nil {
		w.block(body.List)
	}
}

// typeParams binds type parameters and reads their constraints, which may refer to them.
func (w *walker) typeParams(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		w.bind(f.Names...)
	}
	w.fields(list)
}

// fields reads the types of a list of fields or parameters.
func (w *walker) fields(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		w.expr(f.Type)
	}
}

// spec reads the types and values of a declaration. It does not bind the declared names.
func (w *walker) spec(s ast.Spec) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		w.typeParams(s.TypeParams)
		w.expr(s.Type)
	case *ast.ValueSpec:
		w.expr(s.Type)
		w.exprs(s.Values)
	}
}
