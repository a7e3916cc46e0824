package scan

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/coctostan/pictx/kota/lang"
)

// clause records that the names in tokens i to end are not uses.
func (p *parser) clause(i, end int) { p.clauses = append(p.clauses, i, end) }

// importClause reads an import statement, whose keyword is token i, and returns the index after
// it.
func (p *parser) importClause(i, end int, at scope, exported bool) int {
	im := lang.Import{Kind: lang.Static, Line: p.line(i)}
	j := i + 1
	if spec, ok := p.literal(j); ok {
		im.Spec = spec
		p.out.Imports = append(p.out.Imports, im)
		return p.attributes(j+1, end)
	}
	if p.typeFirst(j) {
		im.TypeOnly = true
		j++
	} else if (p.is(j, "defer") || p.is(j, "source")) && (p.op(j+1) == '*' || p.isWord(j+1) && !p.is(j+1, "from")) {
		j++
	}
	if p.isWord(j) && p.op(j+1) == '=' {
		return p.importEquals(j, end, im, at, exported)
	}
	if p.isWord(j) {
		im.Names = append(im.Names, lang.Name{Imported: lang.Default, Local: p.word(j)})
		j++
		if p.op(j) == ',' {
			j++
		}
	}
	switch {
	case p.op(j) == '*' && p.is(j+1, "as"):
		im.Names = append(im.Names, lang.Name{Imported: lang.Namespace, Local: p.word(j + 2)})
		j += 3
	case p.op(j) == '{':
		im.Names = append(im.Names, p.specifiers(j)...)
		j = p.next(j)
	}
	spec, ok := p.literal(j + 1)
	if !p.is(j, "from") || !ok {
		return i // not an import, or a broken one
	}
	im.Spec, im.TypeOnly = spec, im.TypeOnly || allTypes(im.Names)
	p.out.Imports = append(p.out.Imports, im)
	p.clause(i, j+2)
	return p.attributes(j+2, end)
}

// typeFirst reports whether the word type at token j is the modifier of "import type" or
// "export type", not a name, as in "import type from 'x'". In Flow's "import typeof" it is not one either.
func (p *parser) typeFirst(j int) bool {
	switch {
	case p.is(j, "typeof"):
		return true
	case !p.is(j, "type"):
		return false
	case p.op(j+1) == '{' || p.op(j+1) == '*':
		return true
	case p.is(j+1, "from"):
		return p.is(j+2, "from") || p.op(j+2) == '='
	}
	return p.isWord(j + 1)
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
	if (p.is(i, "with") || p.is(i, "assert") && i < end && !p.toks[i].First) && p.op(i+1) == '{' {
		i = p.next(i + 1)
	}
	if p.op(i) == ';' {
		i++
	}
	return min(i, end)
}

// importEquals reads `import x = require("y")`, or the alias of a namespace in "import x = A.B".
func (p *parser) importEquals(j, end int, im lang.Import, at scope, exported bool) int {
	local := p.word(j)
	n := p.stmtEnd(j, end)
	spec, ok := p.literal(j + 4)
	if !p.is(j+2, "require") || p.op(j+3) != '(' || !ok {
		p.declare(local, lang.NamespaceDecl, j, n-1, at, nil)
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
	end := p.pair(i, i)
	var out []lang.Name
	for j := i + 1; j < end; {
		if n := p.specifier(j); n.Imported != "" {
			out = append(out, n)
		}
		for j < end && p.op(j) != ',' {
			j = p.next(j)
		}
		j++
	}
	return out
}

// specifier reads "a", "a as b", or either with "type" or Flow's "typeof" before it, at token j.
// The words "type" and "as" may themselves be names.
func (p *parser) specifier(j int) lang.Name {
	n := lang.Name{}
	switch {
	case p.is(j, "typeof"):
		n.TypeOnly = p.nameAt(j+1) && !p.is(j+1, "as")
	case !p.is(j, "type") || !p.nameAt(j+1):
	case !p.is(j+1, "as"):
		n.TypeOnly = true
	case p.is(j+2, "as"):
		n.TypeOnly = p.nameAt(j + 3)
	default:
		n.TypeOnly = !p.nameAt(j + 2)
	}
	if n.TypeOnly {
		j++
	}
	n.Imported = p.name(j)
	n.Local = n.Imported
	if p.is(j+1, "as") && p.nameAt(j+2) {
		n.Local = p.name(j + 2)
	}
	return n
}

// name returns the identifier or string at token i.
func (p *parser) name(i int) string {
	if s, ok := p.literal(i); ok {
		return s
	}
	return p.word(i)
}

func (p *parser) nameAt(i int) bool { return p.name(i) != "" }

// export reads a statement that begins with export.
func (p *parser) export(i, end int, at scope) int {
	j := i + 1
	typeOnly := p.is(j, "type") && (p.op(j+1) == '{' || p.op(j+1) == '*')
	if typeOnly {
		j++
	}
	p.lists = p.lists || at.in == "" && !at.ambient && (p.op(j) == '*' || p.op(j) == '{')
	switch {
	case p.op(j) == '*':
		return p.exportAll(i, j, end, typeOnly)
	case p.op(j) == '{':
		return p.exportList(i, j, end, at, typeOnly)
	case p.op(j) == '=':
		return p.exportValue(i, j+1, end, "export=")
	case p.op(j) == '@':
		for j < end && p.op(j) == '@' {
			j = p.decorator(j, end)
		}
		return p.exported(i, j, end, at)
	case p.is(j, "as") && p.is(j+1, "namespace"):
		return p.stmtEnd(j, end)
	case p.is(j, "import"):
		return p.importClause(j, end, at, true)
	}
	return p.exported(i, j, end, at)
}

// exported reads a declaration or a default value after "export". The statement begins at token
// i, the rest of it at token j.
func (p *parser) exported(i, j, end int, at scope) int {
	ex := &exportMark{}
	if p.is(j, "default") {
		ex.deflt = true
		j++
		for p.op(j) == '@' {
			j = p.decorator(j, end)
		}
	}
	if n := p.declaration(j, end, at, ex); n > j {
		return n
	}
	if ex.deflt {
		return p.exportValue(i, j, end, lang.Default)
	}
	return p.stmtEnd(j, end)
}

// exportValue reads the value of "export default" or "export =".
func (p *parser) exportValue(i, j, end int, name string) int {
	n := p.stmtEnd(j, end)
	p.lists = true
	p.object(lang.Default, j)
	e := lang.Export{Name: lang.Default, Local: name, From: -1, Whole: name != lang.Default, Line: p.line(i)}
	if w := p.word(j); w != "" && (j+1 >= n || p.op(j+1) == ';') {
		e.Local = w
	}
	p.out.Exports = append(p.out.Exports, e)
	if e.Local == name {
		p.out.Decls = append(p.out.Decls, lang.Decl{Name: lang.Default, Class: lang.Const, Exported: true, Line: p.line(i), End: p.lastLine(n - 1)})
		p.out.Exports[len(p.out.Exports)-1].Local = lang.Default
	}
	return n
}

// exportAll reads "export * from" and "export * as a from".
func (p *parser) exportAll(i, j, end int, typeOnly bool) int {
	j++
	e := lang.Export{Name: lang.Namespace, Local: lang.Namespace, TypeOnly: typeOnly, Line: p.line(i)}
	if p.is(j, "as") && p.nameAt(j+1) {
		e.Name = p.name(j + 1)
		j += 2
	}
	spec, ok := p.literal(j + 1)
	if !p.is(j, "from") || !ok {
		return p.stmtEnd(j, end)
	}
	e.From = len(p.out.Imports)
	p.out.Imports = append(p.out.Imports, lang.Import{Spec: spec, Kind: lang.ReExport, TypeOnly: typeOnly, Line: e.Line})
	p.out.Exports = append(p.out.Exports, e)
	return p.attributes(j+2, end)
}

// exportList reads "export { a as b }", with or without "from 'x'".
func (p *parser) exportList(i, j, end int, at scope, typeOnly bool) int {
	names := p.specifiers(j)
	after := p.next(j)
	from := -1
	if spec, ok := p.literal(after + 1); ok && p.is(after, "from") {
		from = len(p.out.Imports)
		p.out.Imports = append(p.out.Imports, lang.Import{Spec: spec, Kind: lang.ReExport, TypeOnly: typeOnly || allTypes(names), Line: p.line(i)})
		after = after + 2
	}
	if !at.ambient || from >= 0 {
		for _, n := range names {
			name := n.Local
			if from < 0 && at.in != "" {
				name = at.in + "." + name
			}
			p.out.Exports = append(p.out.Exports, lang.Export{Name: name, Local: n.Imported, From: from, TypeOnly: typeOnly || n.TypeOnly, Line: p.line(i)})
		}
	}
	p.clause(i, after)
	return p.attributes(after, end)
}

// unescape resolves the escapes in the text of a string literal.
func unescape(s []byte) string {
	if !strings.Contains(string(s), `\`) {
		return string(s)
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if s[i] == 'u' || s[i] == 'x' {
			if r, n := escaped(s[i:]); n > 0 {
				b.WriteRune(r)
				i += n - 1
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// escaped decodes uXXXX, u{X} or xXX at the start of s and returns its length, 0 when it is
// invalid.
func escaped(s []byte) (rune, int) {
	digits, n := "", 0
	switch {
	case s[0] == 'x' && len(s) >= 3:
		digits, n = string(s[1:3]), 3
	case len(s) > 1 && s[1] == '{':
		if end := strings.IndexByte(string(s), '}'); end > 0 {
			digits, n = string(s[2:end]), end+1
		}
	case len(s) >= 5:
		digits, n = string(s[1:5]), 5
	}
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || v > utf8.MaxRune {
		return 0, 0
	}
	return rune(v), n
}
