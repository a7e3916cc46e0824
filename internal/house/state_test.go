package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// A package variable is a table when nothing can change it: its declaration gives it a value that
// is not there to be changed, and no function assigns to it or to a part of it, appends to it,
// sorts it or takes its address. Any other is state.
//
// Types are not looked at. That misses what a function does with a table that is passed to it, and
// what a type holds.

// mutableState lists, for each package, the variables that can change.
func mutableState(all []file) map[string]figure {
	out, vars := map[string]figure{}, map[string]variable{}
	for _, f := range all {
		for _, d := range f.ast.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok || d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				spec := spec.(*ast.ValueSpec)
				for i, name := range spec.Names {
					v := variable{f, name.Name}
					if name.Name == "_" || embedded(d, spec) || f.ast.Name.Name == "main" && name.Name == "version" {
						continue // nobody reads it, the compiler sets it, or the linker
					}
					if why := changeable(f, spec, i); why != "" {
						count(out, f.dir, f, name, "var "+v.name+" "+why)
						continue
					}
					vars[f.dir+"."+name.Name] = v
				}
			}
		}
	}
	for _, f := range all {
		writes(f, vars, func(n ast.Node, v variable, how string) {
			count(out, v.dir, f, n, "var "+v.name+" "+how)
		})
	}
	for dir := range out {
		slices.Sort(out[dir].at)
	}
	return out
}

// variable is a package variable.
type variable struct {
	file
	name string
}

// embedded reports whether the compiler reads a variable's value from files.
func embedded(d *ast.GenDecl, s *ast.ValueSpec) bool {
	return d.Doc != nil && strings.Contains(rawText(d.Doc), "//go:embed") || s.Doc != nil && strings.Contains(rawText(s.Doc), "//go:embed")
}

// changing are packages and types whose values are there to be changed.
var changing = []string{"sync", "sync/atomic", "bytes.Buffer", "strings.Builder", "math/rand.Rand", "math/rand/v2.Rand"}

// fixedCalls are functions outside the module whose results do not change.
var fixedCalls = []string{
	"errors.New", "fmt.Errorf", "regexp.MustCompile", "html/template.Must", "text/template.Must", "time.Date", "time.Duration",
	"fmt.Sprintf", "strings.NewReplacer", "strings.Fields", "strings.Split", "strings.Repeat",
	"maps.Keys", "slices.Collect", "slices.Concat", "slices.Sorted", "encoding/json.RawMessage", "github.com/go-json-experiment/json/jsontext.Value",
}

// changeable says why the value of a variable is not that of a table, "" when it is.
func changeable(f file, spec *ast.ValueSpec, i int) string {
	if i >= len(spec.Values) {
		return "has no value: it is there to be changed"
	}
	switch x := spec.Values[i].(type) {
	case *ast.BasicLit, *ast.BinaryExpr:
		return "is to be a constant"
	case *ast.FuncLit:
		return "is to be a function"
	case *ast.SelectorExpr:
		return "is another name for what belongs elsewhere"
	case *ast.CallExpr:
		if fun, ok := x.Fun.(*ast.FuncLit); ok && fun.Type.Results != nil {
			if _, closure := fun.Type.Results.List[0].Type.(*ast.FuncType); closure {
				return "is what a function returns that may keep something"
			}
			return "" // a table that is computed
		}
	}
	why := ""
	ast.Inspect(spec, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				why = "holds a pointer"
			}
		case *ast.ChanType:
			why = "holds a channel"
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "new" || id.Name == "make") {
				why = "is there to be changed"
			}
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
				pkg := f.imported(fmt.Sprint(sel.X))
				if place := pkg + "." + sel.Sel.Name; pkg != "" && !strings.HasPrefix(pkg, module) && !slices.Contains(fixedCalls, place) {
					why = "is what " + place + " returns, which may change"
				}
			}
		case *ast.SelectorExpr:
			pkg := f.imported(fmt.Sprint(n.X))
			if slices.Contains(changing, pkg) || slices.Contains(changing, pkg+"."+n.Sel.Name) {
				why = "is of a type that can change"
			}
		}
		return why == ""
	})
	return why
}

// writes calls fault for each place of a file where a package variable can change.
func writes(f file, vars map[string]variable, fault func(n ast.Node, v variable, how string)) {
	written := func(e ast.Expr, how string) {
		if v, ok := rooted(f, e, vars); ok {
			fault(e, v, how)
		}
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, left := range n.Lhs {
					written(left, "is assigned to")
				}
			}
		case *ast.IncDecStmt:
			written(n.X, "is assigned to")
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				written(n.X, "has its address taken")
			}
		case *ast.CallExpr:
			if len(n.Args) > 0 && changesFirst(f, n.Fun) {
				written(n.Args[0], "is changed by a call")
			}
		}
		return true
	})
}

// changesFirst reports whether a function changes its first argument.
func changesFirst(f file, fun ast.Expr) bool {
	switch x := fun.(type) {
	case *ast.Ident:
		return x.Obj == nil && slices.Contains([]string{"append", "clear", "copy", "delete"}, x.Name)
	case *ast.SelectorExpr:
		name := x.Sel.Name
		switch f.imported(fmt.Sprint(x.X)) {
		case "sort":
			return !strings.HasPrefix(name, "Search") && !strings.HasSuffix(name, "AreSorted") && name != "SliceIsSorted"
		case "slices":
			return !strings.HasPrefix(name, "Sorted") && slices.ContainsFunc(
				[]string{"Sort", "Reverse", "Delete", "Insert", "Compact", "Replace"}, func(p string) bool { return strings.HasPrefix(name, p) })
		case "maps":
			return slices.Contains([]string{"Copy", "DeleteFunc", "Insert"}, name)
		}
	}
	return false
}

// rooted finds the package variable that an expression is, or is a part of.
func rooted(f file, e ast.Expr, vars map[string]variable) (variable, bool) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return rooted(f, x.X, vars)
	case *ast.IndexExpr:
		return rooted(f, x.X, vars)
	case *ast.SliceExpr:
		return rooted(f, x.X, vars)
	case *ast.Ident:
		// Without an object, it is declared in another file of the package.
		if x.Obj != nil && x.Obj != f.ast.Scope.Lookup(x.Name) {
			return variable{}, false
		}
		v, ok := vars[f.dir+"."+x.Name]
		return v, ok
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok && id.Obj == nil {
			if own, ok := strings.CutPrefix(f.imported(id.Name), module+"/"); ok {
				v, ok := vars[own+"."+x.Sel.Name]
				return v, ok
			}
		}
		return rooted(f, x.X, vars)
	}
	return variable{}, false
}

func TestStateIsFound(t *testing.T) {
	for _, tables := range []string{
		"func f() { var b int; b = 2; _ = b }",
		"var a = []t{{n: 1, f: func() int { return 1 }}}\ntype t struct { n int; f func() int }\nfunc g() int { return len(a) }",
		"var a = map[string][]int{\"x\": {1}}\nfunc f() { for k, v := range a { _, _ = k, v } }",
		"import (\"regexp\"; \"errors\")\nvar a = regexp.MustCompile(`x`)\nvar b = errors.New(\"b\")\nvar c = func() map[string]int { return nil }()",
		"import \"embed\"\n//go:embed x\nvar a embed.FS",
		"import \"slices\"\nvar a = []int{1}\nfunc f(s []int) { b := append(s, a...); copy(b, a); b[0] = a[0]; slices.Sorted(slices.Values(a)) }",
		"var a = []int{1}\nfunc f(a []int) { a[0] = 2 }\nfunc g(t struct { a int }) { t.a = 2; b := 1; _ = &b }",
	} {
		must.Equal(t, mutableState(planted(t, "-- x/x.go --\n"+tables))["x"].n, 0, "variables that can change in\n%s", tables)
	}
	for text, names := range map[string]string{
		"var a map[string]int\nvar b, c int": "a b c", "var a = 1\nvar b = -1 + 2": "a b", "var a = func() {}": "a",
		"var a = func() func() int { n := 0; return func() int { n++; return n } }()":                                      "a",
		"var a = &t{}\nvar b = []*t{{}, &t{}}\nvar c = new(t)\ntype t struct{}":                                            "a b c",
		"import \"sync/atomic\"\nvar a = [1]atomic.Int64{}":                                                                "a",
		"var a = make(chan int)\nvar b = make([]int, 3)":                                                                   "a b",
		"import \"other.org/b\"\nvar a = b.New()\nvar c = b.Default":                                                       "a c",
		"var a = [][]int{{1}}\nfunc f() { a[0][0] = 2 }":                                                                   "a",
		"var a = t{1}\ntype t struct { n int }\nfunc f() { a.n++ }":                                                        "a",
		"var a, b = []int{1}, map[int]int{}\nfunc f() { _ = append(a[:0], 2); delete(b, 1) }":                              "a b",
		"import (\"slices\"; \"sort\")\nvar a, b = []int{1}, []int{1}\nfunc f() { slices.SortFunc(a, nil); sort.Ints(b) }": "a b",
		"var a = t{1}\ntype t struct { n int }\nfunc f() *int { return &(a).n }":                                           "a",
		"var a = []int{1}\n-- x/y.go --\nfunc f() { a[0] = 2 }":                                                            "a",
		"var A = []int{1}\n-- y/y.go --\nimport \"" + module + "/x\"\nfunc f() { x.A[0] = 2 }":                             "A",
	} {
		var got []string
		for _, at := range mutableState(planted(t, "-- x/x.go --\n"+text))["x"].at {
			got = append(got, strings.Fields(at)[2])
		}
		slices.Sort(got)
		must.Equal(t, strings.Join(got, " "), names, "the variables that can change in\n%s", text)
	}
}
