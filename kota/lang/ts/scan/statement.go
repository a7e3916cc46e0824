package scan

import (
	"strings"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// maxDepth is the depth to which nested namespaces are read.
const maxDepth = 16

// scope is where a statement stands.
type scope struct {
	in      string // the namespace, "" at the top level
	depth   int
	ambient bool // inside "declare module" or "declare global": imports there are the file's own, exports are not
}

// statements reads the statements from token i to end.
func (p *parser) statements(i, end int, at scope) {
	for i < end {
		n := p.statement(i, end, at)
		if n <= i {
			n = p.Next(i)
		}
		i = n
	}
}

// statement reads one statement and returns the index after it.
func (p *parser) statement(i, end int, at scope) int {
	switch {
	case p.Op(i) == '@':
		return p.decorator(i, end)
	case p.Op(i) == ';' || p.Op(i) == '}':
		return i + 1
	case !p.IsWord(i):
		return p.StmtEnd(i, end)
	case p.Is(i, "import") && p.Op(i+1) != '(' && p.Op(i+1) != '.' && p.Op(i+1) != '<':
		p.isModule = p.isModule || !at.ambient
		return p.importClause(i, end, at, false)
	case p.Is(i, "export"):
		p.isModule = p.isModule || !at.ambient && at.in == ""
		return p.export(i, end, at)
	}
	if n := p.declaration(i, end, at, nil); n > i {
		return n
	}
	return p.StmtEnd(i, end)
}

// decorator returns the index after a decorator.
func (p *parser) decorator(i, end int) int {
	i++
	for i < end && (p.IsWord(i) || p.Op(i) == '.') {
		if p.IsWord(i) && p.Op(i-1) != '.' && p.Op(i-1) != '@' {
			return i
		}
		i++
	}
	if i < end && p.Op(i) == '(' {
		i = p.Next(i)
	}
	return i
}

// exportMark is how a declaration is exported.
type exportMark struct {
	deflt    bool
	typeOnly bool
}

// declaration reads the declaration at token i and returns the index after it, or i when none
// begins there. ex is nil unless it is exported.
func (p *parser) declaration(i, end int, at scope, ex *exportMark) int {
	j := i
	for p.modifies(j, end) {
		j++
	}
	switch p.Word(j) {
	case "function":
		return p.function(i, j, end, at, ex)
	case "class":
		return p.class(i, j, end, at, ex, lang.ClassDecl)
	case "interface":
		if p.IsWord(j + 1) {
			return p.class(i, j, end, at, ex, lang.Interface)
		}
	case "enum":
		if p.IsWord(j + 1) {
			return p.class(i, j, end, at, ex, lang.Enum)
		}
	case "const", "let", "var", "using":
		if p.Is(j, "const") && p.Is(j+1, "enum") {
			return p.class(i, j+1, end, at, ex, lang.Enum)
		}
		if p.IsWord(j+1) && !p.Is(j+1, "in") || p.Op(j+1) == '{' || p.Op(j+1) == '[' {
			return p.variables(i, j, end, at, ex)
		}
	case "type":
		if p.IsWord(j+1) && !p.Toks[j+1].First && (p.Op(j+2) == '=' || p.Op(j+2) == '<') {
			return p.alias(i, j, end, at, ex)
		}
	case "namespace", "module", "global":
		return p.namespace(i, j, end, at, ex)
	}
	return i
}

// modifies reports whether token i is a modifier of the word after it on the same line.
func (p *parser) modifies(i, end int) bool {
	if i+1 >= end || p.Toks[i+1].Kind != lex.Word || p.Toks[i+1].First {
		return false
	}
	switch p.Word(i) {
	case "declare", "abstract":
		return true
	case "async":
		return p.Is(i+1, "function")
	case "await":
		return p.Is(i+1, "using")
	}
	return false
}

// declare records a declaration.
func (p *parser) declare(name string, c lang.Class, from, last int, at scope, ex *exportMark) {
	p.out.Decls = append(p.out.Decls, lang.Decl{Name: name, In: at.in, Class: c, Exported: ex != nil, Line: p.Line(from), End: p.LastLine(last)})
	if at.in != "" || at.ambient {
		return
	}
	e := lang.Export{Name: name, Local: name, From: -1, TypeOnly: c == lang.Interface || c == lang.TypeAlias, Line: p.Line(from)}
	if ex == nil {
		p.unmarked = append(p.unmarked, e)
		return
	}
	if ex.deflt {
		e.Name = lang.Default
	}
	e.TypeOnly = e.TypeOnly || ex.typeOnly
	p.out.Exports = append(p.out.Exports, e)
}

// function reads a function. The statement begins at token i, the keyword is token j.
func (p *parser) function(i, j, end int, at scope, ex *exportMark) int {
	j++
	if p.Op(j) == '*' {
		j++
	}
	name := p.Word(j)
	if name == "" {
		if ex == nil || !ex.deflt || p.Op(j) != '(' && p.Op(j) != '<' {
			return i
		}
		name = lang.Default
	} else {
		j++
	}
	j = p.Angles(j, end)
	if p.Op(j) == '(' {
		j = p.Next(j)
	}
	n := 0
	if open := p.Body(j, end); open >= 0 {
		n = min(p.Pair(open, end-1)+1, end)
	} else {
		n = p.StmtEnd(max(j-1, i), end)
	}
	p.declare(name, lang.Function, i, n-1, at, ex)
	return n
}

// class reads a class, an interface or an enum. The statement begins at token i, the keyword is
// token j.
func (p *parser) class(i, j, end int, at scope, ex *exportMark, c lang.Class) int {
	j++
	name := p.Word(j)
	switch {
	case name == "extends" && c == lang.ClassDecl, name == "":
		if ex == nil || !ex.deflt {
			return i
		}
		name = lang.Default
	default:
		j++
	}
	j = p.Angles(j, end)
	open := p.Body(j, end)
	if open < 0 {
		n := p.StmtEnd(i, end)
		p.declare(name, c, i, n-1, at, ex)
		return n
	}
	last := p.Pair(open, end-1)
	p.declare(name, c, i, last, at, ex)
	if c == lang.Enum {
		p.enumMembers(open+1, min(last, end), name)
	} else {
		p.members(open+1, min(last, end), name)
	}
	return min(last+1, end)
}

// alias reads a type alias. The statement begins at token i, the keyword is token j.
func (p *parser) alias(i, j, end int, at scope, ex *exportMark) int {
	n := p.StmtEnd(p.Angles(j+2, end)-1, end)
	last := n - 1
	if p.Op(last) == ';' && last > j+2 {
		last--
	}
	p.declare(p.Word(j+1), lang.TypeAlias, i, last, at, ex)
	if at.in == "" && p.Op(j+2) == '=' {
		p.bindTo(p.Word(j+1), j+3, n)
	}
	if open := p.Angles(j+2, end) + 1; p.Op(open) == '{' && p.Pair(open, -1) == last {
		p.members(open+1, last, p.Word(j+1))
	}
	return n
}

// namespace reads "namespace A {", "declare module 'x' {" or "declare global {".
func (p *parser) namespace(i, j, end int, at scope, ex *exportMark) int {
	k := j + 1
	inner := scope{in: at.in, depth: at.depth + 1, ambient: at.ambient}
	augments := -1
	switch spec, quoted := p.Literal(k); {
	case quoted && p.Is(j, "module"):
		inner.ambient = true
		if p.Op(k+1) == '{' && !strings.Contains(spec, "*") {
			augments = len(p.out.Imports)
			p.out.Imports = append(p.out.Imports, lang.Import{Spec: spec, Kind: lang.Augments, TypeOnly: true, Line: p.Line(i)})
		}
		k++
	case p.Is(j, "global") && p.Op(k) == '{':
		inner.ambient = true
	case p.IsWord(k) && !p.Toks[k].First && !p.Is(j, "global"):
		inner.in = p.Word(k)
		for k++; p.Op(k) == '.' && p.IsWord(k+1); k += 2 {
			inner.in += "." + p.Word(k+1)
		}
	default:
		return i
	}
	if p.Op(k) != '{' {
		return i
	}
	last := p.Pair(k, end-1)
	if !inner.ambient {
		p.declare(inner.in, lang.NamespaceDecl, i, last, at, ex)
		if at.in != "" {
			inner.in = at.in + "." + inner.in
		}
	}
	declared := len(p.out.Decls)
	if inner.depth <= maxDepth {
		p.statements(k+1, min(last, end), inner)
	}
	if augments >= 0 {
		p.augmented(augments, p.out.Decls[declared:])
	}
	return min(last+1, end)
}

// augmented adds the names that a "declare module" declares to its import: they belong to that
// module. Names that the file imports from elsewhere are left out.
func (p *parser) augmented(at int, decls []lang.Decl) {
	taken := make(map[string]bool)
	for _, im := range p.out.Imports {
		for _, n := range im.Names {
			taken[n.Local] = true
		}
	}
	im := &p.out.Imports[at]
	for _, d := range decls {
		if d.In == "" && !taken[d.Name] {
			taken[d.Name] = true
			im.Names = append(im.Names, lang.Name{Imported: d.Name, Local: d.Name, TypeOnly: true})
		}
	}
}
