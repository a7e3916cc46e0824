package house

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// at is a position as the faults name it.
func (f file) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", f.name, f.set.Position(n.Pos()).Line)
}

// packageLines counts the lines of each package.
func packageLines(all []file) map[string]figure {
	out := map[string]figure{}
	for _, f := range all {
		n := out[f.dir].n
		if !ast.IsGenerated(f.ast) {
			n += f.set.File(f.ast.FileStart).LineCount()
		}
		out[f.dir] = figure{n: n}
	}
	return out
}

// whole is the place of the figures of everything that is shipped.
const whole = "pictx"

// shippedLines adds up the lines of what is shipped.
func shippedLines(all []file) map[string]figure {
	lines := 0
	for dir, f := range packageLines(all) {
		if shipped(dir) {
			lines += f.n
		}
	}
	return map[string]figure{whole: {n: lines}}
}

// shippedPackages counts the packages that are shipped.
func shippedPackages(all []file) map[string]figure {
	n := 0
	for dir := range packageLines(all) {
		if shipped(dir) {
			n++
		}
	}
	return map[string]figure{whole: {n: n}}
}

// shipped reports whether a package is part of the binary.
func shipped(dir string) bool {
	return !slices.ContainsFunc([]string{"bench", "internal", "man", "scripts"}, func(apart string) bool { return within(dir, apart) })
}

// commandsOf counts the commands that do something. A command has a manual page, which is
// generated; one with commands below it only lists them.
func commandsOf([]file) map[string]figure {
	return map[string]figure{whole: {n: len(leaves(pages()))}}
}

// flagsOf counts the flags that manual pages list, but for those of every command: of JSON,
// settings and help.
func flagsOf([]file) map[string]figure {
	option := regexp.MustCompile(`(?m)^\.TP\n(?:\\fB-\w\\fP, )?\\fB--([\w-]+)`)
	var out figure
	for _, page := range pages() {
		text, _ := os.ReadFile(filepath.Join(root, "man", page+".1")) // an error counts nothing, which the limit notices
		_, own, _ := strings.Cut(string(text), "\n.SH OPTIONS\n")
		own, _, _ = strings.Cut(own, "\n.SH ")
		for _, m := range option.FindAllStringSubmatch(own, -1) {
			if !slices.Contains([]string{"help", "json", "jq", "template", "config"}, m[1]) && !strings.HasPrefix(page, "pictx-completion") {
				out.n++
				out.at = append(out.at, page+" --"+m[1])
			}
		}
	}
	return map[string]figure{whole: out}
}

// pages lists the names of the manual pages.
func pages() []string {
	found, _ := filepath.Glob(filepath.Join(root, "man", "*.1")) // an error is that of the pattern
	for i, p := range found {
		found[i] = strings.TrimSuffix(filepath.Base(p), ".1")
	}
	return found
}

// leaves are the commands without commands below them, but for those of completion,
// which cobra brings along.
func leaves(pages []string) []string {
	return slices.DeleteFunc(slices.Clone(pages), func(p string) bool {
		return strings.HasPrefix(p, "pictx-completion") ||
			slices.ContainsFunc(pages, func(q string) bool { return strings.HasPrefix(q, p+"-") })
	})
}

// within reports whether dir is a package or below it.
func within(dir, pkg string) bool { return dir == pkg || strings.HasPrefix(dir, pkg+"/") }

// receiverMethods counts the methods of each type. One that exists once for each
// operating system is counted once.
func receiverMethods(all []file) map[string]figure {
	seen := map[string]map[string]bool{}
	for _, f := range all {
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv != nil {
				place := f.dir + "." + baseType(d.Recv.List[0].Type)
				if seen[place] == nil {
					seen[place] = map[string]bool{}
				}
				seen[place][d.Name.Name] = true
			}
		}
	}
	out := map[string]figure{}
	for place, names := range seen {
		out[place] = figure{n: len(names)}
	}
	return out
}

// baseType is the name of a receiver's type, without pointer and type parameters.
func baseType(typ ast.Expr) string {
	switch x := typ.(type) {
	case *ast.StarExpr:
		return baseType(x.X)
	case *ast.IndexExpr:
		return baseType(x.X)
	case *ast.IndexListExpr:
		return baseType(x.X)
	case *ast.ParenExpr:
		return baseType(x.X)
	case *ast.Ident:
		return x.Name
	}
	return "?"
}

// declaredType is a type of the module with the file that declares it.
type declaredType struct {
	file
	spec *ast.TypeSpec
}

// declaredTypes are the types of all packages by directory and name.
func declaredTypes(all []file) map[string]declaredType {
	out := map[string]declaredType{}
	for _, f := range all {
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				for _, s := range d.Specs {
					s := s.(*ast.TypeSpec)
					out[f.dir+"."+s.Name.Name] = declaredType{f, s}
				}
			}
		}
	}
	return out
}

// interfaceMethods counts the methods of each interface, with those of interfaces of the module
// that it embeds: of those with a name, and of those that are written where they are used.
func interfaceMethods(all []file) map[string]figure {
	types := declaredTypes(all)
	out := map[string]figure{}
	for _, f := range all {
		named := map[*ast.InterfaceType]string{}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if i, ok := n.Type.(*ast.InterfaceType); ok {
					named[i] = f.dir + "." + n.Name.Name
				}
			case *ast.InterfaceType:
				out[cmp.Or(named[n], f.at(n))] = figure{n: methodsOf(f, n, types)}
			}
			return true
		})
	}
	return out
}

// methodsOf counts the methods of an interface. What it embeds from elsewhere counts as one.
func methodsOf(f file, i *ast.InterfaceType, types map[string]declaredType) int {
	n := 0
	for _, field := range i.Methods.List {
		n += max(1, len(field.Names))
		place := f.dir + "." + baseType(field.Type)
		if x, ok := field.Type.(*ast.SelectorExpr); ok {
			place = strings.TrimPrefix(f.imported(fmt.Sprint(x.X)), module+"/") + "." + x.Sel.Name
		}
		if t, ok := types[place]; ok && len(field.Names) == 0 {
			if embedded, ok := t.spec.Type.(*ast.InterfaceType); ok {
				n += methodsOf(t.file, embedded, types) - 1
			}
		}
	}
	return n
}

// imported is the path of the import that a file knows by a name, "" when there is
// none.
func (f file) imported(name string) string {
	for _, s := range f.ast.Imports {
		to := strings.Trim(s.Path.Value, `"`)
		own := importName(to)
		if s.Name != nil {
			own = s.Name.Name
		}
		if own == name {
			return to
		}
	}
	return ""
}

// importName is the name of an imported package by default: the last part of its
// path that is not a version.
func importName(to string) string {
	parts := strings.Split(to, "/")
	last := parts[len(parts)-1]
	if len(parts) > 1 && len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		last = parts[len(parts)-2]
	}
	return strings.TrimPrefix(last, "go-")
}

// functionLines is the length that nine of ten functions do not exceed, under the
// one place "module".
func functionLines(all []file) map[string]figure {
	var lengths []int
	for _, f := range all {
		if ast.IsGenerated(f.ast) {
			continue
		}
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				lengths = append(lengths, f.set.Position(d.End()).Line-f.set.Position(d.Pos()).Line+1)
			}
		}
	}
	if len(lengths) == 0 {
		return nil
	}
	slices.Sort(lengths)
	return map[string]figure{"module": {n: lengths[(len(lengths)*9+9)/10-1]}}
}

// parameters counts the parameters of each function and of each method of an interface.
func parameters(all []file) map[string]figure {
	out := map[string]figure{}
	for _, f := range all {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			var name string
			var typ *ast.FuncType
			switch n := n.(type) {
			case *ast.FuncDecl:
				if name, typ = n.Name.Name, n.Type; n.Recv != nil {
					name = baseType(n.Recv.List[0].Type) + "." + name
				}
			case *ast.Field: // a method of an interface, or what is a function otherwise
				if t, ok := n.Type.(*ast.FuncType); ok && len(n.Names) == 1 {
					name, typ = n.Names[0].Name, t
				}
			}
			if typ != nil {
				place := f.name + " " + name
				if n := (figure{n: countParameters(typ), at: []string{f.at(n)}}); n.n >= out[place].n {
					out[place] = n
				}
			}
			return true
		})
	}
	return out
}

func countParameters(typ *ast.FuncType) int {
	n := 0
	for _, field := range typ.Params.List {
		n += max(1, len(field.Names))
	}
	return n
}

// portMethods counts the methods of the interfaces that core declares: what it asks of
// the rest of the house.
func portMethods(all []file) map[string]figure {
	ports := interfaceMethods(all)
	maps.DeleteFunc(ports, func(place string, _ figure) bool { return !strings.HasPrefix(place, "core/") })
	return ports
}

// complexities counts the ways through each function: one, and one more for each
// if, loop, case, && and ||. What a function literal holds counts for the function
// around it.
func complexities(all []file) map[string]figure {
	out := map[string]figure{}
	for _, f := range all {
		for _, d := range f.ast.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := d.Name.Name
			if d.Recv != nil {
				name = baseType(d.Recv.List[0].Type) + "." + name
			}
			out[f.name+" "+name] = figure{n: complexity(d), at: []string{f.at(d)}}
		}
	}
	return out
}

func complexity(d *ast.FuncDecl) int {
	n := 1
	ast.Inspect(d, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}
