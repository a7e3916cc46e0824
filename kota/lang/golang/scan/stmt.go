package scan

import (
	"go/ast"
	"go/token"
)

// block reads statements in a scope of their own.
func (w *walker) block(list []ast.Stmt) {
	mark := w.mark()
	for _, s := range list {
		w.stmt(s)
	}
	w.release(mark)
}

// stmt reads a statement, which may be nil.
func (w *walker) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt, *ast.ReturnStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt, *ast.IncDecStmt:
		ast.Walk(w, s)
	case *ast.AssignStmt:
		w.exprs(s.Rhs)
		w.assigned(s.Lhs, s.Tok == token.DEFINE)
	case *ast.DeclStmt:
		w.local(s.Decl)
	case *ast.LabeledStmt:
		w.stmt(s.Stmt)
	case *ast.BlockStmt:
		w.block(s.List)
	default:
		mark := w.mark()
		w.compound(s)
		w.release(mark)
	}
}

// assigned reads the left side of an assignment. With define it binds new names.
func (w *walker) assigned(list []ast.Expr, define bool) {
	for _, x := range list {
		if id, ok := x.(*ast.Ident); ok && define {
			w.bind(id)
		} else {
			w.expr(x)
		}
	}
}

// local reads a declaration in a function, and binds its names.
func (w *walker) local(d ast.Decl) {
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, s := range g.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			w.bind(s.Name) // a type may refer to itself
			mark := w.mark()
			w.spec(s)
			w.release(mark)
		case *ast.ValueSpec:
			w.spec(s)
			w.bind(s.Names...)
		}
	}
}

// compound reads a statement that contains statements. Names of its header stay bound.
func (w *walker) compound(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.IfStmt:
		w.stmt(s.Init)
		w.expr(s.Cond)
		w.block(s.Body.List)
		w.stmt(s.Else)
	case *ast.ForStmt:
		w.stmt(s.Init)
		w.expr(s.Cond)
		w.stmt(s.Post)
		w.block(s.Body.List)
	case *ast.RangeStmt:
		w.expr(s.X)
		var names []ast.Expr
		for _, x := range []ast.Expr{s.Key, s.Value} {
			if x != nil {
				names = append(names, x)
			}
		}
		w.assigned(names, s.Tok == token.DEFINE)
		w.block(s.Body.List)
	case *ast.SwitchStmt:
		w.stmt(s.Init)
		w.expr(s.Tag)
		w.clauses(s.Body, nil)
	case *ast.TypeSwitchStmt:
		w.stmt(s.Init)
		w.clauses(s.Body, w.subject(s.Assign))
	case *ast.SelectStmt:
		w.clauses(s.Body, nil)
	}
}

// subject reads the header of a type switch. It returns the identifier that the clauses bind, nil
// without one.
func (w *walker) subject(s ast.Stmt) *ast.Ident {
	if a, ok := s.(*ast.AssignStmt); ok && len(a.Lhs) == 1 {
		w.exprs(a.Rhs)
		id, _ := a.Lhs[0].(*ast.Ident)
		return id
	}
	w.stmt(s)
	return nil
}

// clauses reads the clauses of a switch or a select. If name is not nil, each clause binds it.
func (w *walker) clauses(body *ast.BlockStmt, name *ast.Ident) {
	for _, s := range body.List {
		mark := w.mark()
		switch c := s.(type) {
		case *ast.CaseClause:
			w.exprs(c.List)
			if name != nil {
				w.bind(name)
			}
			w.block(c.Body)
		case *ast.CommClause:
			w.stmt(c.Comm)
			w.block(c.Body)
		}
		w.release(mark)
	}
}
