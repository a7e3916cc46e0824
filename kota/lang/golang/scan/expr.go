package scan

import "go/ast"

func (w *walker) exprs(list []ast.Expr) {
	for _, x := range list {
		w.expr(x)
	}
}

// expr reads an expression or a type, which may be nil.
func (w *walker) expr(x ast.Expr) {
	switch x := x.(type) {
	case *ast.Ident:
		w.name(x)
	case *ast.SelectorExpr:
		w.selector(x)
	case *ast.CallExpr:
		w.expr(x.Fun)
		w.exprs(x.Args)
	case *ast.CompositeLit:
		w.expr(x.Type)
		w.literal(x, x.Type)
	case *ast.FuncLit:
		mark := w.mark()
		w.function(x.Type, x.Body)
		w.release(mark)
	case *ast.BinaryExpr:
		w.expr(x.X)
		w.expr(x.Y)
	case *ast.UnaryExpr:
		w.expr(x.X)
	case *ast.ParenExpr:
		w.expr(x.X)
	case *ast.StarExpr:
		w.expr(x.X)
	case *ast.KeyValueExpr:
		w.expr(x.Key)
		w.expr(x.Value)
	default:
		w.indexed(x)
	}
}

// indexed reads an expression with brackets, or a type.
func (w *walker) indexed(x ast.Expr) {
	switch x := x.(type) {
	case *ast.IndexExpr:
		w.expr(x.X)
		w.expr(x.Index)
	case *ast.IndexListExpr:
		w.expr(x.X)
		w.exprs(x.Indices)
	case *ast.SliceExpr:
		w.exprs([]ast.Expr{x.X, x.Low, x.High, x.Max})
	case *ast.TypeAssertExpr:
		w.expr(x.X)
		w.expr(x.Type)
	case *ast.ArrayType:
		w.expr(x.Len)
		w.expr(x.Elt)
	case *ast.MapType:
		w.expr(x.Key)
		w.expr(x.Value)
	case *ast.ChanType:
		w.expr(x.Value)
	case *ast.Ellipsis:
		w.expr(x.Elt)
	case *ast.StructType:
		w.fields(x.Fields)
	case *ast.InterfaceType:
		w.fields(x.Methods)
	case *ast.FuncType:
		mark := w.mark()
		w.function(x, nil)
		w.release(mark)
	}
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
