package scan

import "go/ast"

func (w *walker) exprs(list []ast.Expr) {
	for _, x := range list {
		w.expr(x)
	}
}

// expr reads an expression or a type, which may be nil.
func (w *walker) expr(x ast.Expr) {
	if x != nil {
		ast.Walk(w, x)
	}
}

// Visit implements ast.Visitor. It reads what binds names, or has names that are no uses, and has
// the rest read in order.
func (w *walker) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.Ident:
		w.name(n)
	case *ast.SelectorExpr:
		w.selector(n)
	case *ast.CompositeLit:
		w.expr(n.Type)
		w.literal(n, n.Type)
	case *ast.FuncLit:
		mark := w.mark()
		w.function(n.Type, n.Body)
		w.release(mark)
	case *ast.FuncType:
		mark := w.mark()
		w.function(n, nil)
		w.release(mark)
	case *ast.StructType:
		w.fields(n.Fields)
	case *ast.InterfaceType:
		w.fields(n.Methods)
	default:
		return w
	}
	return nil
}

// literal reads the elements of a composite literal of type t. Keys of a struct are fields and no
// uses; keys of a map or an array are expressions.
func (w *walker) literal(x *ast.CompositeLit, t ast.Expr) {
	t = w.underlying(t)
	var key, elem ast.Expr
	isStruct := true
	switch t := t.(type) {
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
		if _, plain := kv.Key.(*ast.Ident); !isStruct || !plain {
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
	w.expr(x)
}

// underlying resolves a type name that the file declares.
func (w *walker) underlying(t ast.Expr) ast.Expr {
	for range 8 { // declarations may be cyclic
		id, ok := t.(*ast.Ident)
		if !ok || w.bound[id.Name] > 0 || w.types[id.Name] == nil {
			return t
		}
		t = w.types[id.Name]
	}
	return t
}
