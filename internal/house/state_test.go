package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// A package variable is a table when nothing can change it: its declaration gives it
// a value whose type holds no pointer and no lock, and no function assigns to it or
// to a part of it, appends to it, sorts it or takes its address. Any other is state.
//
// Types are read from the syntax, which is fast and misses two things: what a
// function does with a table that is passed to it, and what is behind types of other
// modules, which are taken to be plain unless they are listed as changing.

// mutableState lists, for each package, the variables that can change.
func mutableState(all []file) map[string]figure {
	s := state{types: declaredTypes(all), funcs: map[string]declaredFunc{}, pointers: map[string]bool{}, vars: map[string]variable{}}
	for _, f := range all {
		s.declare(f)
	}
	out := map[string]figure{}
	for place, v := range s.vars {
		if why := s.notATable(v); why != "" {
			count(out, v.dir, v.file, v.name, "var "+v.name.Name+" "+why)
			v.done = true
			s.vars[place] = v
		}
	}
	for _, f := range all {
		s.writes(f, func(n ast.Node, v variable, how string) {
			if !v.done {
				count(out, v.dir, f, n, "var "+v.name.Name+" "+how)
			}
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
	name  *ast.Ident
	typ   ast.Expr // nil when the value says it
	value ast.Expr // nil when it has none
	free  bool     // may be anything: the linker or the compiler sets it
	done  bool     // it has a fault already
}

// declaredFunc is a function with the file that declares it.
type declaredFunc struct {
	file
	decl *ast.FuncDecl
}

type state struct {
	types map[string]declaredType
	funcs map[string]declaredFunc // by directory and name
	// pointers holds the methods that can change their receiver, by directory, type
	// and name.
	pointers map[string]bool
	vars     map[string]variable // by directory and name
}

// declare notes what a file declares.
func (s state) declare(f file) {
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				s.funcs[f.dir+"."+d.Name.Name] = declaredFunc{f, d}
			} else if _, ok := d.Recv.List[0].Type.(*ast.StarExpr); ok {
				s.pointers[f.dir+"."+baseType(d.Recv.List[0].Type)+"."+d.Name.Name] = true
			}
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				spec := spec.(*ast.ValueSpec)
				for i, name := range spec.Names {
					if name.Name == "_" {
						continue
					}
					v := variable{file: f, name: name, typ: spec.Type, free: embedded(d, spec) || f.ast.Name.Name == "main" && name.Name == "version"}
					if i < len(spec.Values) {
						v.value = spec.Values[i]
					}
					s.vars[f.dir+"."+name.Name] = v
				}
			}
		}
	}
}

// embedded reports whether the compiler reads a variable's value from files.
func embedded(d *ast.GenDecl, s *ast.ValueSpec) bool {
	return d.Doc != nil && strings.Contains(rawText(d.Doc), "//go:embed") || s.Doc != nil && strings.Contains(rawText(s.Doc), "//go:embed")
}

// notATable says why a variable is not a table, "" when it is one.
func (s state) notATable(v variable) string {
	switch {
	case v.free:
		return ""
	case v.value == nil:
		return "has no value: it is there to be changed"
	case v.typ != nil && !s.plain(v.file, v.typ, nil):
		return "is of a type that can change"
	}
	return s.judge(v.file, v.value, true)
}

// judge says why a value is not fixed, "" when it is. top is the value of the
// variable itself rather than an element of it.
func (s state) judge(f file, value ast.Expr, top bool) string {
	switch x := value.(type) {
	case *ast.ParenExpr:
		return s.judge(f, x.X, top)
	case *ast.CompositeLit:
		if x.Type != nil && !s.plain(f, x.Type, nil) {
			return "is of a type that can change"
		}
		for _, e := range x.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			if why := s.judge(f, e, false); why != "" {
				return why
			}
		}
		return ""
	case *ast.CallExpr:
		return s.judgeCall(f, x)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return "holds a pointer"
		}
	case *ast.BasicLit, *ast.BinaryExpr:
		if top {
			return "is to be a constant"
		}
	case *ast.FuncLit:
		if top {
			return "is to be a function"
		}
	case *ast.SelectorExpr:
		if top {
			return "is another name for what belongs elsewhere"
		}
	}
	return "" // a name
}

// judgeCall says why the result of a call is not fixed, "" when it is.
func (s state) judgeCall(f file, call *ast.CallExpr) string {
	fun := call.Fun
	if generic, ok := fun.(*ast.IndexExpr); ok {
		fun = generic.X
	}
	switch fun := fun.(type) {
	case *ast.FuncLit:
		if !s.plainResult(f, fun.Type) {
			return "is what a function returns that may keep something"
		}
	case *ast.Ident:
		if fun.Name == "new" || fun.Name == "make" {
			return "is there to be changed"
		}
		if d, ok := s.funcs[f.dir+"."+fun.Name]; ok && !s.plainResult(d.file, d.decl.Type) {
			return "is what " + fun.Name + " returns, which can change"
		}
	case *ast.SelectorExpr:
		place := strings.TrimPrefix(f.imported(fmt.Sprint(fun.X)), module+"/") + "." + fun.Sel.Name
		d, own := s.funcs[place]
		_, conversion := s.types[place]
		switch {
		case own && !s.plainResult(d.file, d.decl.Type):
			return "is what " + place + " returns, which can change"
		case !own && !conversion && !slices.Contains(fixedCalls, place):
			return "is what " + place + " returns, which may change"
		}
	}
	return ""
}

// fixedCalls are functions outside the module whose results do not change.
var fixedCalls = []string{
	"errors.New", "fmt.Errorf", "regexp.MustCompile", "html/template.Must", "text/template.Must", "time.Date", "time.Duration",
	"fmt.Sprintf", "strings.NewReplacer", "strings.Fields", "strings.Split", "strings.Repeat",
	"maps.Keys", "slices.Collect", "slices.Concat", "slices.Sorted", "encoding/json.RawMessage", "github.com/go-json-experiment/json/jsontext.Value",
}

// plainResult reports whether what a function returns is a table and no closure,
// which may keep something.
func (s state) plainResult(f file, fun *ast.FuncType) bool {
	if fun.Results == nil {
		return false
	}
	result := fun.Results.List[0].Type
	_, closure := result.(*ast.FuncType)
	return !closure && s.plain(f, result, nil)
}

// plain reports whether values of a type are without locks, channels and pointers.
// seen holds the types on the way, which may refer to themselves.
func (s state) plain(f file, typ ast.Expr, seen []string) bool {
	switch x := typ.(type) {
	case *ast.ArrayType:
		return s.plain(f, x.Elt, seen)
	case *ast.MapType:
		return s.plain(f, x.Key, seen) && s.plain(f, x.Value, seen)
	case *ast.StructType:
		return !slices.ContainsFunc(x.Fields.List, func(field *ast.Field) bool { return !s.plain(f, field.Type, seen) })
	case *ast.StarExpr:
		sel, ok := x.X.(*ast.SelectorExpr)
		return ok && slices.Contains(fixedPointers, f.imported(fmt.Sprint(sel.X))+"."+sel.Sel.Name)
	case *ast.ChanType:
		return false
	case *ast.IndexExpr:
		return s.plain(f, x.X, seen)
	case *ast.Ident:
		return s.plainName(f.dir+"."+x.Name, seen)
	case *ast.SelectorExpr:
		pkg := strings.TrimPrefix(f.imported(fmt.Sprint(x.X)), module+"/")
		return !slices.Contains(changing, pkg) && !slices.Contains(changing, pkg+"."+x.Sel.Name) && s.plainName(pkg+"."+x.Sel.Name, seen)
	}
	return true // a function, an interface
}

func (s state) plainName(place string, seen []string) bool {
	t, ok := s.types[place]
	return !ok || slices.Contains(seen, place) || s.plain(t.file, t.spec.Type, append(seen, place))
}

// changing are packages and types outside the module whose values are there to be
// changed.
var changing = []string{"sync", "sync/atomic", "bytes.Buffer", "strings.Builder", "math/rand.Rand", "math/rand/v2.Rand", "context.CancelFunc"}

// fixedPointers are the pointers whose targets do not change.
var fixedPointers = []string{"regexp.Regexp", "strings.Replacer", "html/template.Template", "text/template.Template", "time.Location"}

// writes calls fault for each place of a file where a package variable can change.
func (s state) writes(f file, fault func(n ast.Node, v variable, how string)) {
	written := func(e ast.Expr, how string) {
		if v, ok := s.rooted(f, e); ok {
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
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				written(n.Key, "is assigned to")
				written(n.Value, "is assigned to")
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				written(n.X, "has its address taken")
			}
		case *ast.CallExpr:
			if len(n.Args) > 0 && changesFirst(f, n.Fun) {
				written(n.Args[0], "is changed by a call")
			}
		case *ast.SelectorExpr:
			if v, ok := s.rooted(f, n.X); ok && s.pointers[s.typeOf(v)+"."+n.Sel.Name] {
				fault(n, v, "has its address taken by a method")
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
		switch f.imported(fmt.Sprint(x.X)) {
		case "sort":
			return !strings.HasPrefix(x.Sel.Name, "Search") && !strings.HasSuffix(x.Sel.Name, "AreSorted") && x.Sel.Name != "SliceIsSorted"
		case "slices":
			return !strings.HasPrefix(x.Sel.Name, "Sorted") && slices.ContainsFunc(
				[]string{"Sort", "Reverse", "Delete", "Insert", "Compact", "Replace"},
				func(p string) bool { return strings.HasPrefix(x.Sel.Name, p) })
		case "maps":
			return slices.Contains([]string{"Copy", "DeleteFunc", "Insert"}, x.Sel.Name)
		}
	}
	return false
}

// rooted finds the package variable that an expression is, or is a part of.
func (s state) rooted(f file, e ast.Expr) (variable, bool) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return s.rooted(f, x.X)
	case *ast.IndexExpr:
		return s.rooted(f, x.X)
	case *ast.SliceExpr:
		return s.rooted(f, x.X)
	case *ast.StarExpr:
		return s.rooted(f, x.X)
	case *ast.Ident:
		// Without an object, it is declared in another file of the package.
		if x.Obj != nil && x.Obj != f.ast.Scope.Lookup(x.Name) {
			return variable{}, false
		}
		v, ok := s.vars[f.dir+"."+x.Name]
		return v, ok
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok && id.Obj == nil {
			if own, ok := strings.CutPrefix(f.imported(id.Name), module+"/"); ok {
				v, ok := s.vars[own+"."+x.Sel.Name]
				return v, ok
			}
		}
		return s.rooted(f, x.X)
	}
	return variable{}, false
}

// typeOf is the type of a variable by directory and name, "" for one without a name.
func (s state) typeOf(v variable) string {
	typ := v.typ
	if lit, ok := v.value.(*ast.CompositeLit); ok && typ == nil {
		typ = lit.Type
	}
	switch x := typ.(type) {
	case *ast.Ident:
		return v.dir + "." + x.Name
	case *ast.SelectorExpr:
		return strings.TrimPrefix(v.imported(fmt.Sprint(x.X)), module+"/") + "." + x.Sel.Name
	}
	return ""
}

func TestStateIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string // the variables at fault, in the order of their names
	}{
		"no variables":             {"const a = 1\nfunc f() { var b int; b = 2; _ = b }", ""},
		"table of strings":         {"var a = []string{\"x\"}\nfunc f() int { return len(a) + len(a[0]) }", ""},
		"table of structs":         {"var a = []t{{n: 1, f: func() int { return 1 }}}\ntype t struct { n int; f func() int; t []t }", ""},
		"table by name":            {"var a = map[string][]int{\"x\": {1}}\nfunc f() { for k, v := range a { _, _ = k, v } }", ""},
		"table of built values":    {"var a = []t{build(1)}\ntype t struct { n int }\nfunc build(n int) t { return t{n} }", ""},
		"computed table":           {"var a = func() map[string]int { return nil }()", ""},
		"expression":               {"import \"regexp\"\nvar a = regexp.MustCompile(`x`)\nvar b = map[string]*regexp.Regexp{\"x\": regexp.MustCompile(`x`)}", ""},
		"sentinel":                 {"import \"errors\"\nvar errA = errors.New(\"a\")\nvar _ = errA", ""},
		"embedded":                 {"import \"embed\"\n//go:embed x\nvar a embed.FS", ""},
		"copied":                   {"var a = []int{1}\nfunc f(s []int) { b := append(s, a...); copy(b, a); b[0] = a[0] }", ""},
		"local of the same name":   {"var a = []int{1}\nfunc f(a []int) { a[0] = 2 }\nfunc g() { a := 1; a++; _ = &a }", ""},
		"field of the same name":   {"var a = []int{1}\nfunc f(t struct { a int }) { t.a = 2 }", ""},
		"method that only reads":   {"var a = t{1}\ntype t struct { n int }\nfunc (t t) m() {}\nfunc f() { a.m() }", ""},
		"sorted copy":              {"import \"slices\"\nvar a = []int{1}\nfunc f() { slices.Sorted(slices.Values(a)) }", ""},
		"version of a library":     {"var version string", "version"},
		"without a value":          {"var a map[string]int\nvar b, c int", "a b c"},
		"number":                   {"var a = 1\nvar b = -1 + 2", "a b"},
		"function":                 {"var a = func() {}", "a"},
		"closure":                  {"var a = func() func() int { n := 0; return func() int { n++; return n } }()", "a"},
		"pointer":                  {"var a = &t{}\nvar b = []*t{{}}\nvar c = new(t)\ntype t struct{}", "a b c"},
		"pointer further down":     {"var a = []t{{}}\ntype t struct { u u }\ntype u struct { p *t }", "a"},
		"lock":                     {"import \"sync\"\nvar a = t{}\ntype t struct { mu sync.Mutex }", "a"},
		"atomic":                   {"import \"sync/atomic\"\nvar a atomic.Pointer[int]\nvar b = [1]atomic.Int64{}", "a b"},
		"channel":                  {"var a = make(chan int)\nvar b = t{}\ntype t struct { c chan int }", "a b"},
		"made":                     {"var a = make([]int, 3)\nvar b = make(map[string]int)", "a b"},
		"built pointer":            {"var a = build()\nfunc build() *int { return nil }", "a"},
		"of a library":             {"import \"other.org/b\"\nvar a = b.New()\nvar c = b.Default", "a c"},
		"assigned":                 {"var a = []int{1}\nfunc f() { a = nil }", "a"},
		"element assigned":         {"var a = [][]int{{1}}\nfunc f() { a[0][0] = 2 }", "a"},
		"element assigned by name": {"var a = map[string]int{}\nfunc f() { a[\"x\"] = 2 }", "a"},
		"field assigned":           {"var a = t{1}\ntype t struct { n int }\nfunc f() { a.n = 2 }", "a"},
		"counted":                  {"var a = []int{1}\nfunc f() { a[0]++ }", "a"},
		"appended":                 {"var a = []int{1}\nfunc f() { _ = append(a, 2) }", "a"},
		"part appended":            {"var a = []int{1}\nfunc f() { _ = append(a[:0], 2) }", "a"},
		"deleted":                  {"var a = map[int]int{}\nfunc f() { delete(a, 1) }\nvar b = map[int]int{}\nfunc g() { clear(b) }", "a b"},
		"overwritten":              {"var a = []int{1}\nfunc f() { copy(a, a) }", "a"},
		"sorted":                   {"import (\"slices\"; \"sort\")\nvar a, b = []int{1}, []int{1}\nfunc f() { slices.SortFunc(a, nil); sort.Ints(b) }", "a b"},
		"address taken":            {"var a = []int{1}\nfunc f() *int { return &a[0] }", "a"},
		"address of a field taken": {"var a = t{1}\ntype t struct { n int }\nfunc f() *int { return &(a).n }", "a"},
		"method that may change":   {"var a = t{1}\ntype t struct { n int }\nfunc (t *t) m() {}\nfunc f() { a.m() }", "a"},
		"loop":                     {"var a = []int{1}\nfunc f() { for a[0] = range 3 {} }", "a"},
		"in another file":          {"var a = []int{1}\n-- x/y.go --\nfunc f() { a[0] = 2 }", "a"},
		"in another package":       {"var A = []int{1}\n-- y/y.go --\nimport \"" + module + "/x\"\nfunc f() { x.A[0] = 2 }", "A"},
	} {
		figures := mutableState(planted(t, "-- x/x.go --\n"+c.text))
		var got []string
		for _, at := range figures["x"].at {
			got = append(got, strings.Fields(at)[2])
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want || figures["x"].n != len(got) {
			t.Errorf("%s: %d variables can change, want %q: %q", name, figures["x"].n, c.want, figures["x"].at)
		}
	}
	all := planted(t, "-- cmd/x/main.go --\npackage main\nvar version string\nvar other string\n")
	if got := mutableState(all)["cmd/x"].at; len(got) != 1 || !strings.Contains(got[0], "other") {
		t.Errorf("the version, which the linker sets, is not apart: %q", got)
	}
}
