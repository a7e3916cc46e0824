package scan

import (
	"github.com/coctostan/pictx/kota/lang"
)

// clause records that the names in tokens i to end are not uses.
func (p *parser) clause(i, end int) { p.clauses = append(p.clauses, i, end) }

// importClause reads an import statement, whose keyword is token i, and returns the index after
// it.
func (p *parser) importClause(i, end int, at scope, exported bool) int {
	im := lang.Import{Kind: lang.Static, Line: p.Line(i)}
	j := i + 1
	if spec, ok := p.Literal(j); ok {
		im.Spec = spec
		p.out.Imports = append(p.out.Imports, im)
		return p.attributes(j+1, end)
	}
	if p.typeFirst(j) {
		im.TypeOnly = true
		j++
	} else if (p.Is(j, "defer") || p.Is(j, "source")) && (p.Op(j+1) == '*' || p.IsWord(j+1) && !p.Is(j+1, "from")) {
		j++
	}
	if p.IsWord(j) && p.Op(j+1) == '=' {
		return p.importEquals(j, end, im, at, exported)
	}
	if p.IsWord(j) {
		im.Names = append(im.Names, lang.Name{Imported: lang.Default, Local: p.Word(j)})
		j++
		if p.Op(j) == ',' {
			j++
		}
	}
	switch {
	case p.Op(j) == '*' && p.Is(j+1, "as"):
		im.Names = append(im.Names, lang.Name{Imported: lang.Namespace, Local: p.Word(j + 2)})
		j += 3
	case p.Op(j) == '{':
		im.Names = append(im.Names, p.specifiers(j)...)
		j = p.Next(j)
	}
	spec, ok := p.Literal(j + 1)
	if !p.Is(j, "from") || !ok {
		return i // not an import, or a broken one
	}
	im.Spec, im.TypeOnly = spec, im.TypeOnly || allTypes(im.Names)
	p.out.Imports = append(p.out.Imports, im)
	p.clause(i, j+2)
	return p.attributes(j+2, end)
}

// typeFirst reports whether the word type at token j is the modifier of "import type" or
// "export type", not a name, as in "import type from 'x'".
func (p *parser) typeFirst(j int) bool {
	switch {
	case !p.Is(j, "type"):
		return false
	case p.Op(j+1) == '{' || p.Op(j+1) == '*':
		return true
	case p.Is(j+1, "from"):
		return p.Is(j+2, "from") || p.Op(j+2) == '='
	}
	return p.IsWord(j + 1)
}

// allTypes reports whether every name is imported as a type.
func allTypes(names []lang.Name) bool {
	for _, n := range names {
		if !n.TypeOnly {
			return false
		}
	}
	return len(names) > 0
}

// attributes returns the index after what may follow a specifier: "with { type: 'json' }" and a
// semicolon.
func (p *parser) attributes(i, end int) int {
	if (p.Is(i, "with") || p.Is(i, "assert") && i < end && !p.Toks[i].First) && p.Op(i+1) == '{' {
		i = p.Next(i + 1)
	}
	if p.Op(i) == ';' {
		i++
	}
	return min(i, end)
}

// importEquals reads `import x = require("y")`, or the alias of a namespace in "import x = A.B".
func (p *parser) importEquals(j, end int, im lang.Import, at scope, exported bool) int {
	local := p.Word(j)
	n := p.StmtEnd(j, end)
	spec, ok := p.Literal(j + 4)
	if !p.Is(j+2, "require") || p.Op(j+3) != '(' || !ok {
		var mark *exportMark
		if exported {
			mark = &exportMark{}
		}
		p.declare(local, lang.NamespaceDecl, j, n-1, at, mark)
		return n
	}
	im.Kind, im.Spec, im.Names = lang.Equals, spec, []lang.Name{{Imported: lang.Namespace, Local: local}}
	p.out.Imports = append(p.out.Imports, im)
	if exported {
		p.out.Exports = append(p.out.Exports, lang.Export{Name: local, Local: lang.Namespace, From: len(p.out.Imports) - 1, Line: im.Line})
	}
	p.clause(j, n)
	return n
}

// specifiers reads the list in braces that token i opens.
func (p *parser) specifiers(i int) []lang.Name {
	end := p.Pair(i, i)
	var out []lang.Name
	for j := i + 1; j < end; {
		if n := p.specifier(j); n.Imported != "" {
			out = append(out, n)
		}
		for j < end && p.Op(j) != ',' {
			j = p.Next(j)
		}
		j++
	}
	return out
}

// specifier reads "a", "a as b", or either with "type" before it, at token j.
// The words "type" and "as" may themselves be names.
func (p *parser) specifier(j int) lang.Name {
	n := lang.Name{}
	switch {
	case !p.Is(j, "type") || !p.nameAt(j+1):
	case !p.Is(j+1, "as"):
		n.TypeOnly = true
	case p.Is(j+2, "as"):
		n.TypeOnly = p.nameAt(j + 3)
	default:
		n.TypeOnly = !p.nameAt(j + 2)
	}
	if n.TypeOnly {
		j++
	}
	n.Imported = p.name(j)
	n.Local = n.Imported
	if p.Is(j+1, "as") && p.nameAt(j+2) {
		n.Local = p.name(j + 2)
	}
	return n
}

// name returns the identifier or string at token i.
func (p *parser) name(i int) string {
	if s, ok := p.Literal(i); ok {
		return s
	}
	return p.Word(i)
}

func (p *parser) nameAt(i int) bool { return p.name(i) != "" }

// export reads a statement that begins with export.
func (p *parser) export(i, end int, at scope) int {
	j := i + 1
	typeOnly := p.Is(j, "type") && (p.Op(j+1) == '{' || p.Op(j+1) == '*')
	if typeOnly {
		j++
	}
	p.lists = p.lists || at.in == "" && !at.ambient && (p.Op(j) == '*' || p.Op(j) == '{')
	switch {
	case p.Op(j) == '*':
		return p.exportAll(i, j, end, typeOnly)
	case p.Op(j) == '{':
		return p.exportList(i, j, end, at, typeOnly)
	case p.Op(j) == '=':
		return p.exportValue(i, j+1, end, "export=")
	case p.Op(j) == '@':
		for j < end && p.Op(j) == '@' {
			j = p.decorator(j, end)
		}
		return p.exported(i, j, end, at)
	case p.Is(j, "as") && p.Is(j+1, "namespace"):
		return p.StmtEnd(j, end)
	case p.Is(j, "import"):
		return p.importClause(j, end, at, true)
	}
	return p.exported(i, j, end, at)
}

// exported reads a declaration or a default value after "export". The statement begins at token
// i, the rest of it at token j.
func (p *parser) exported(i, j, end int, at scope) int {
	ex := &exportMark{}
	if p.Is(j, "default") {
		ex.deflt = true
		j++
		for p.Op(j) == '@' {
			j = p.decorator(j, end)
		}
	}
	if n := p.declaration(j, end, at, ex); n > j {
		return n
	}
	if ex.deflt {
		return p.exportValue(i, j, end, lang.Default)
	}
	return p.StmtEnd(j, end)
}

// exportValue reads the value of "export default" or "export =".
func (p *parser) exportValue(i, j, end int, name string) int {
	n := p.StmtEnd(j, end)
	p.lists = true
	p.object(lang.Default, j)
	e := lang.Export{Name: lang.Default, Local: name, From: -1, Whole: name != lang.Default, Line: p.Line(i)}
	if w := p.Word(j); w != "" && (j+1 >= n || p.Op(j+1) == ';') {
		e.Local = w
	}
	p.out.Exports = append(p.out.Exports, e)
	if e.Local == name {
		p.out.Decls = append(p.out.Decls, lang.Decl{Name: lang.Default, Class: lang.Const, Exported: true, Line: p.Line(i), End: p.LastLine(n - 1)})
		p.out.Exports[len(p.out.Exports)-1].Local = lang.Default
	}
	return n
}

// exportAll reads "export * from" and "export * as a from".
func (p *parser) exportAll(i, j, end int, typeOnly bool) int {
	j++
	e := lang.Export{Name: lang.Namespace, Local: lang.Namespace, TypeOnly: typeOnly, Line: p.Line(i)}
	if p.Is(j, "as") && p.nameAt(j+1) {
		e.Name = p.name(j + 1)
		j += 2
	}
	spec, ok := p.Literal(j + 1)
	if !p.Is(j, "from") || !ok {
		return p.StmtEnd(j, end)
	}
	e.From = len(p.out.Imports)
	p.out.Imports = append(p.out.Imports, lang.Import{Spec: spec, Kind: lang.ReExport, TypeOnly: typeOnly, Line: e.Line})
	p.out.Exports = append(p.out.Exports, e)
	return p.attributes(j+2, end)
}

// exportList reads "export { a as b }", with or without "from 'x'".
func (p *parser) exportList(i, j, end int, at scope, typeOnly bool) int {
	names := p.specifiers(j)
	after := p.Next(j)
	from := -1
	if spec, ok := p.Literal(after + 1); ok && p.Is(after, "from") {
		from = len(p.out.Imports)
		p.out.Imports = append(p.out.Imports, lang.Import{Spec: spec, Kind: lang.ReExport, TypeOnly: typeOnly || allTypes(names), Line: p.Line(i)})
		after = after + 2
	}
	if !at.ambient || from >= 0 {
		for _, n := range names {
			name := n.Local
			if from < 0 && at.in != "" {
				name = at.in + "." + name
			}
			p.out.Exports = append(p.out.Exports, lang.Export{Name: name, Local: n.Imported, From: from, TypeOnly: typeOnly || n.TypeOnly, Line: p.Line(i)})
		}
	}
	p.clause(i, after)
	return p.attributes(after, end)
}
