package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coctostan/pictx/kota/lang"
)

// declare reads the declarations of a file. All of them are exports, because other files of the
// package can use them; capitalized ones are marked as exported.
func (r *reading) declare(file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			r.function(d)
		case *ast.GenDecl:
			r.general(d)
		}
	}
}

// add adds a declaration, and exports it unless nothing can refer to it.
func (r *reading) add(d lang.Decl) {
	if d.Name == "_" || d.Name == "" || d.Line == 0 {
		return
	}
	d.End = max(d.End, d.Line)
	d.Exported = ast.IsExported(d.Name)
	r.out.Decls = append(r.out.Decls, d)
	name := d.Name
	switch {
	case d.Class == lang.Method:
		name = d.In + "." + d.Name
	case d.In != "", name == "init", name == "main" && d.Class == lang.Function:
		return
	}
	r.out.Exports = append(r.out.Exports, lang.Export{Name: name, Local: name, From: -1, Line: d.Line})
}

func (r *reading) function(d *ast.FuncDecl) {
	out := lang.Decl{Name: d.Name.Name, Class: lang.Function, Line: r.line(d.Name.Pos()), End: r.line(d.End())}
	if d.Recv != nil {
		if out.In = receiver(d.Recv); out.In == "" {
			return
		}
		out.Class = lang.Method
	} else if r.test && runs(d) {
		r.out.RunsTests = true
	}
	r.add(out)
}

// receiver returns the name of a method's receiver type.
func receiver(list *ast.FieldList) string {
	if len(list.List) == 0 {
		return ""
	}
	t := list.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// runs reports whether go test runs a function.
func runs(d *ast.FuncDecl) bool {
	for _, kind := range []struct {
		prefix string
		params int
	}{{"Test", 1}, {"Benchmark", 1}, {"Fuzz", 1}, {"Example", 0}} {
		rest, ok := strings.CutPrefix(d.Name.Name, kind.prefix)
		if first, _ := utf8.DecodeRuneInString(rest); !ok || rest != "" && unicode.IsLower(first) {
			continue
		}
		if d.Type.Params.NumFields() != kind.params {
			return false
		}
		// TestMain(m *testing.M) runs the tests, and is none.
		return d.Name.Name != "TestMain" || !strings.HasSuffix(types.ExprString(d.Type.Params.List[0].Type), ".M")
	}
	return false
}

// general reads a declaration of types, constants or variables.
func (r *reading) general(d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			r.typ(s)
		case *ast.ValueSpec:
			class := lang.Var
			if d.Tok == token.CONST {
				class = lang.Const
			}
			for k, n := range s.Names {
				r.add(lang.Decl{Name: n.Name, Class: class, Line: r.line(n.Pos()), End: r.line(s.End())})
				if len(s.Values) == len(s.Names) {
					r.bind(n, s.Values[k])
				}
			}
		}
	}
}

// bind exports what a name is bound to under that name, too: b in "var A = b", "type A = pkg.b".
func (r *reading) bind(name *ast.Ident, to ast.Expr) {
	local := ""
	switch x := ast.Unparen(to).(type) {
	case *ast.Ident:
		local = x.Name
	case *ast.SelectorExpr:
		if of, ok := x.X.(*ast.Ident); ok {
			local = of.Name + "." + x.Sel.Name
		}
	}
	if local != "" && name.Name != "_" && types.Universe.Lookup(local) == nil {
		r.out.Exports = append(r.out.Exports, lang.Export{Name: name.Name, Local: local, From: -1, Line: r.line(name.Pos())})
	}
}

// typ reads a type declaration and its members.
func (r *reading) typ(s *ast.TypeSpec) {
	out := lang.Decl{Name: s.Name.Name, Class: lang.TypeAlias, Line: r.line(s.Name.Pos()), End: r.line(s.End())}
	var members *ast.FieldList
	class := lang.Property
	switch t := s.Type.(type) {
	case *ast.StructType:
		out.Class, members = lang.Struct, t.Fields
	case *ast.InterfaceType:
		out.Class, members, class = lang.Interface, t.Methods, lang.Method
	}
	r.add(out)
	if s.Assign.IsValid() {
		r.bind(s.Name, s.Type)
	}
	if members == nil {
		return
	}
	for _, f := range members.List {
		for _, n := range f.Names {
			r.add(lang.Decl{Name: n.Name, In: out.Name, Class: class, Line: r.line(n.Pos()), End: r.line(f.End())})
		}
	}
}
