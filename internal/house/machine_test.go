package house

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// qualified calls visit for each use of a name of an imported package, as path and
// name.
func qualified(f file, visit func(n ast.Node, pkg, name string)) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if x, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := x.X.(*ast.Ident); ok && id.Obj == nil { // not a variable of that name
				if pkg := f.imported(id.Name); pkg != "" {
					visit(x, pkg, x.Sel.Name)
				}
			}
		}
		return true
	})
}

// count adds a position to a place.
func count(out map[string]figure, place string, f file, n ast.Node, what string) {
	fig := out[place]
	fig.n++
	fig.at = append(fig.at, f.at(n)+" "+what)
	out[place] = fig
}

// downcasts counts, for each package, the type assertions and the cases of type
// switches that name a type of the store; within the store, one of its own structs.
func downcasts(all []file) map[string]figure {
	types := declaredTypes(all)
	out := map[string]figure{}
	for _, f := range all {
		check := func(typ ast.Expr) {
			if name := storeType(f, typ, types); name != "" {
				count(out, f.dir, f, typ, name)
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeAssertExpr:
				check(n.Type)
			case *ast.TypeSwitchStmt:
				for _, s := range n.Body.List {
					for _, typ := range s.(*ast.CaseClause).List {
						check(typ)
					}
				}
			}
			return true
		})
	}
	return out
}

// storeType is the name of a concrete type of the store, "" for any other type.
func storeType(f file, typ ast.Expr, types map[string]declaredType) string {
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	switch x := typ.(type) {
	case *ast.SelectorExpr:
		pkg := strings.TrimPrefix(f.imported(fmt.Sprint(x.X)), module+"/")
		if within(pkg, "sqlite") {
			return pkg + "." + x.Sel.Name
		}
	case *ast.Ident:
		t, ok := types[f.dir+"."+x.Name]
		if !ok || !within(f.dir, "sqlite") {
			return ""
		}
		if _, ok := t.spec.Type.(*ast.StructType); ok {
			return f.dir + "." + x.Name
		}
	}
	return ""
}

// clock are the functions of package time by which a result depends on when it is
// computed.
var clock = []string{"Now", "Since", "Until", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Sleep"}

// impurities counts, for each package of core, where it asks the clock or prints.
func impurities(all []file) map[string]figure {
	out := map[string]figure{}
	for _, f := range all {
		if !within(f.dir, "core") {
			continue
		}
		qualified(f, func(n ast.Node, pkg, name string) {
			switch {
			case pkg == "time" && slices.Contains(clock, name),
				pkg == "context" && (strings.HasPrefix(name, "WithTimeout") || strings.HasPrefix(name, "WithDeadline")),
				pkg == "fmt" && (strings.HasPrefix(name, "Print") || strings.HasPrefix(name, "Scan")),
				pkg == "os" && strings.HasPrefix(name, "Std"),
				within(pkg, "log"):
				count(out, f.dir, f, n, pkg+"."+name)
			}
		})
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				if id, ok := c.Fun.(*ast.Ident); ok && id.Obj == nil && (id.Name == "print" || id.Name == "println") {
					count(out, f.dir, f, n, id.Name)
				}
			}
			return true
		})
	}
	return out
}

// fileFunctions are those functions of the standard library that touch files.
var fileFunctions = map[string][]string{
	"os": {
		"Chdir", "Chmod", "Chown", "Chtimes", "CopyFS", "Create", "CreateTemp", "DirFS", "Lchown", "Link", "Lstat", "Mkdir", "MkdirAll", "MkdirTemp",
		"Open", "OpenFile", "OpenInRoot", "OpenRoot", "ReadDir", "ReadFile", "Readlink", "Remove", "RemoveAll", "Rename", "Stat", "Symlink", "Truncate", "WriteFile",
	},
	"path/filepath": {"EvalSymlinks", "Glob", "Walk", "WalkDir"},
	"io/ioutil":     {"ReadAll", "ReadDir", "ReadFile", "TempDir", "TempFile", "WriteFile"},
}

// fileUses counts, for each package, where it touches files. A package below one
// that may is counted under its own name.
func fileUses(all []file) map[string]figure {
	out := map[string]figure{}
	for _, f := range all {
		qualified(f, func(n ast.Node, pkg, name string) {
			if slices.Contains(fileFunctions[pkg], name) {
				count(out, f.dir, f, n, pkg+"."+name)
			}
		})
	}
	return out
}

// importing counts, for each package that want accepts, the files that import one
// of these packages or what is below them.
func importing(all []file, want func(dir string) bool, pkgs ...string) map[string]figure {
	out := map[string]figure{}
	for _, f := range all {
		for _, s := range f.ast.Imports {
			to := strings.Trim(s.Path.Value, `"`)
			if want(f.dir) && slices.Contains(pkgs, to) {
				count(out, f.dir, f, s, to)
			}
		}
	}
	return out
}

// hooksImportingOS counts the files of hooks and the packages below it that import
// os.
func hooksImportingOS(all []file) map[string]figure {
	return importing(all, func(dir string) bool { return within(dir, "hooks") }, "os")
}

// startingProcesses counts the files of each package that can start a process.
func startingProcesses(all []file) map[string]figure {
	return importing(all, func(string) bool { return true }, "os/exec")
}
