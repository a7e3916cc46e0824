package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// root is the module's directory, seen from this one.
const root = "../.."

// How long things may get, in lines.
const (
	maxFile = 500
	maxFunc = 120
)

// file is one Go file of the module.
type file struct {
	name, dir string // slash-separated, relative to the module; dir "." for the root
	test      bool
	set       *token.FileSet
	ast       *ast.File
}

// files returns every Go file of the module, whatever it is built for.
func files(t *testing.T) []file {
	t.Helper()
	all := must.Get(parsed())(t)
	must.Stop(t, len(all) < 50, "only %d files were found", len(all))
	return all
}

// parsed parses the files once for all tests.
var parsed = sync.OnceValues(func() (all []file, err error) {
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		hidden := strings.HasPrefix(d.Name(), ".") && rel != "."
		if d.IsDir() && (hidden || d.Name() == "testdata" || d.Name() == "tmp") {
			return filepath.SkipDir
		}
		if hidden || d.IsDir() || !strings.HasSuffix(rel, ".go") {
			return nil
		}
		f, err := parse(rel, nil)
		all = append(all, f)
		return err
	})
	return all, err
})

// parse parses a file of the module, or src in its place.
func parse(name string, src any) (file, error) {
	f := file{name: name, dir: filepath.ToSlash(filepath.Dir(name)), test: strings.HasSuffix(name, "_test.go"), set: token.NewFileSet()}
	var err error
	f.ast, err = parser.ParseFile(f.set, filepath.Join(root, name), src, parser.ParseComments)
	return f, err
}

func TestEveryPackageHasADocComment(t *testing.T) {
	says := map[string]bool{}
	for _, f := range files(t) {
		if ignored(f) {
			continue
		}
		says[f.dir] = says[f.dir] || f.ast.Doc != nil && len(f.ast.Doc.Text()) > 40
	}
	for dir, ok := range says {
		must.Not(t, !ok, "%s has no package comment", dir)
	}
}

// ignored reports whether a file is a program of its own, run by name.
func ignored(f file) bool {
	for _, g := range f.ast.Comments {
		for _, c := range g.List {
			if c.Text == "//go:build ignore" {
				return true
			}
		}
	}
	return false
}

func TestFilesKeepTheRules(t *testing.T) {
	for _, f := range files(t) {
		if f.test {
			continue
		}
		for _, fault := range faults(f) {
			t.Error(fault)
		}
	}
}

// faults lists what is against the rules in a file other than a test.
func faults(f file) []string {
	var out []string
	at := func(n ast.Node, format string, args ...any) {
		out = append(out, fmt.Sprintf("%s:%d: %s", f.name, f.set.Position(n.Pos()).Line, fmt.Sprintf(format, args...)))
	}
	if n := f.set.File(f.ast.FileStart).LineCount(); n > maxFile {
		at(f.ast, "%d lines, at most %d", n, maxFile)
	}
	for _, s := range f.ast.Imports {
		if s.Name != nil && s.Name.Name == "." {
			at(s, "%s is imported without a name to find it by", s.Path.Value)
		}
	}
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if n := f.set.Position(d.End()).Line - f.set.Position(d.Pos()).Line + 1; n > maxFunc {
				at(d, "%s has %d lines, at most %d", d.Name.Name, n, maxFunc)
			}
			if d.Recv == nil && d.Name.Name == "init" {
				at(d, "func init")
			}
			if d.Name.IsExported() && reachable(d.Recv) && d.Doc == nil {
				at(d, "%s has no comment", d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				for _, fault := range specFaults(d, s) {
					at(s, "%s", fault)
				}
			}
		}
	}
	return out
}

// reachable reports whether a receiver's type can be named from outside.
func reachable(recv *ast.FieldList) bool {
	if recv == nil {
		return true
	}
	typ := recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// specFaults lists what is against the rules in one constant, variable or type.
func specFaults(d *ast.GenDecl, s ast.Spec) []string {
	var out []string
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
			out = append(out, s.Name.Name+" has no comment")
		}
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
				out = append(out, name.Name+" has no comment")
			}
		}
	}
	return out
}

func rawText(g *ast.CommentGroup) string {
	var b strings.Builder
	for _, c := range g.List {
		b.WriteString(c.Text + "\n")
	}
	return b.String()
}

func TestRulesFindFaults(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want int
	}{
		"clean":          {"// F does.\nfunc F() {}\n// T is.\ntype T int\n// M does.\nfunc (T) M() {}\nfunc f() {}\n", 0},
		"no comment":     {"func F() {}\ntype T int\nfunc (*T) M() {}\nconst C = 1\n", 4},
		"hidden method":  {"type t int\nfunc (t) M() {}\n", 0},
		"group comment":  {"// They are.\nconst (\n\tA = 1\n\tB = 2\n)\n", 0},
		"init":           {"func init() {}\n", 1},
		"method init":    {"type t int\nfunc (t) init() {}\n", 0},
		"dot import":     {"import . \"strings\"\n", 1},
		"long function":  {"func f() {" + strings.Repeat("\n", maxFunc) + "}\n", 1},
		"whole function": {"func f() {" + strings.Repeat("\n", maxFunc-1) + "}\n", 0},
		"long file":      {strings.Repeat("\n", maxFile), 1},
	} {
		f, err := parse("x/x.go", "package x\n"+c.src)
		if err != nil {
			t.Fatal(name, err)
		}
		got := faults(f)
		must.Not(t, len(got) != c.want, "%s: %d faults, want %d: %q", name, len(got), c.want, got)
	}
}
