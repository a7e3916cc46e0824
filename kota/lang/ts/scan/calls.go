package scan

import (
	"slices"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// calls finds import( and require( calls anywhere in the file, and what CommonJS code exports.
func (p *parser) calls() {
	p.begin()
	for i := range p.Toks {
		if p.Toks[i].Kind != lex.Word {
			p.pathAt(i)
			continue
		}
		switch n := p.Toks[i].End - p.Toks[i].Start; {
		case n == 6 && p.Is(i, "import") && p.Op(i+1) == '(' && p.Op(i-1) != '.':
			p.importCall(i)
		case n == 7 && p.Is(i, "require") && p.Op(i+1) == '(' && p.Op(i-1) != '.' && !p.Is(i-1, "function") && !p.importsEquals(i):
			p.requireCall(i)
		case n == 7 && p.Is(i, "exports"):
			p.commonExport(i)
		case p.Op(i+1) == '=':
			p.assignment(i)
		case n == 9 && p.Is(i, "prototype"):
			p.prototype(i)
		default:
			p.fileAt(i, int(n))
		}
	}
	p.dropImported()
}

// importsEquals reports whether the require at token i belongs to "import x =".
func (p *parser) importsEquals(i int) bool {
	return p.Op(i-1) == '=' && (p.Is(i-3, "import") || p.Is(i-4, "import"))
}

func (p *parser) importCall(i int) {
	im := lang.Import{Kind: lang.Dynamic, Line: p.Line(i)}
	spec, ok := p.Literal(i + 2)
	if ok && (p.Op(i+3) == ')' || p.Op(i+3) == ',' || p.Is(i+3, "as")) {
		im.Spec = spec
	}
	closing := p.Pair(i+1, i+1)
	if im.Spec != "" && p.isType(i, closing) {
		im.Kind, im.TypeOnly = lang.TypeOf, true
		if w := p.Word(i - 3); w != "" && p.Is(i-1, "typeof") && p.Op(i-2) == ':' && p.Op(closing+1) != '.' {
			im.Names = []lang.Name{{Imported: lang.Namespace, Local: w, TypeOnly: true}}
			p.taken[i-3] = true
		}
		if w := p.Word(closing + 2); p.Op(closing+1) == '.' && w != "" {
			im.Names = []lang.Name{{Imported: w, TypeOnly: true}}
			if p.Op(i-1) == '=' && p.Is(i-3, "type") && p.plain(closing+2, len(p.Toks)) == w {
				im.Names[0].Local = p.Word(i - 2)
			}
		}
	} else {
		im.Names = append(p.awaited(i, closing), p.thenNames(closing)...)
	}
	p.folder(&im, i+2)
	p.out.Imports = append(p.out.Imports, im)
}

// awaited lists the names to which the import( at token i is assigned, whose closing parenthesis
// is token closing, in "m = await import(…)" and "(await import(…)).a".
func (p *parser) awaited(i, closing int) []lang.Name {
	names := p.boundBefore(i)
	if of, after := p.path(closing + 2); p.Op(closing+1) == ')' && of != lang.Namespace && p.Is(i-1, "await") {
		if len(names) == 0 || p.Op(after) == '(' || p.Op(after) == '.' || p.Op(after) == '[' {
			return []lang.Name{{Imported: of}}
		}
		for j := range names {
			names[j].Imported = memberOf(of, names[j].Imported)
		}
		return names
	}
	return names
}

// path returns which member of a module the expression from token i on stands for, Namespace for the
// module itself, and the token after it. Only of the default export are members told apart.
func (p *parser) path(i int) (of string, after int) {
	of = lang.Namespace
	for (of == lang.Namespace || of == lang.Default) && p.Op(i) == '.' && p.Word(i+1) != "" {
		of, i = memberOf(of, p.Word(i+1)), i+2
	}
	return of, i
}

// isType reports whether the import( at token i, which ends at closing, is a type, as in
// "let x: import('y').Z".
func (p *parser) isType(i, closing int) bool {
	switch p.Word(i - 1) {
	case "typeof", "keyof", "extends", "as", "satisfies", "infer", "implements", "is":
		return true
	case "await", "return", "yield", "void", "default":
		return false
	}
	switch p.Op(i - 1) {
	case '<', '|', '&':
		return true
	}
	if p.Op(closing+1) != '.' {
		return p.Op(closing+1) == '>' && p.Op(i-1) == ','
	}
	switch p.Word(closing + 2) {
	case "then", "catch", "finally":
		return false
	}
	switch p.Op(i - 1) {
	case ':', '=', ',', lex.Arrow, '(':
		return true
	}
	return false
}

// boundBefore lists the names to which the call at token i is assigned, as in
// "const x = await import(…)".
func (p *parser) boundBefore(i int) []lang.Name {
	j := i - 1
	for p.Op(j) == '(' || p.Is(j, "await") {
		j--
	}
	if p.Op(j) != '=' {
		return nil
	}
	return p.given(p.target(j))
}

// thenNames lists the parameters that receive the module in "import(…).then((m) => …)".
func (p *parser) thenNames(closing int) []lang.Name {
	if p.Op(closing+1) != '.' || !p.Is(closing+2, "then") || p.Op(closing+3) != '(' {
		return nil
	}
	j := closing + 4
	if p.Is(j, "async") && p.Op(j+1) != lex.Arrow {
		j++
	}
	if p.Is(j, "function") {
		if j++; p.IsWord(j) {
			j++
		}
	}
	if p.Op(j) == '(' {
		j++
	}
	switch w := p.Word(j); {
	case w != "" && (p.Op(j+1) == ')' || p.Op(j+1) == lex.Arrow), p.Op(j) == '{':
		return p.given(j)
	}
	return nil
}

func (p *parser) requireCall(i int) {
	im := lang.Import{Kind: lang.Require, Line: p.Line(i)}
	spec, ok := p.Literal(i + 2)
	switch {
	case ok && p.Op(i+3) == ')':
		im.Spec = spec
	case p.Toks[i+1].Pair < 0 || int(p.Toks[i+1].Pair) == i+2:
		return // a call without arguments imports nothing
	case p.Op(p.Next(i+1)) == '{':
		return // a method of that name
	}
	p.folder(&im, i+2)
	after := p.Pair(i+1, i+1) + 1
	im.Names = p.required(i, after)
	if whole, ok := p.passed[i]; ok && (p.Op(after) == ')' || p.endsValue(after)) {
		p.star(len(p.out.Imports), i, whole)
		im.Names = nil
	}
	p.out.Imports = append(p.out.Imports, im)
}

// required lists the names to which the require at token i, or a member of it, is assigned. The
// member, as in "require('x').a", follows token after.
func (p *parser) required(i, after int) []lang.Name {
	names := p.boundBefore(i)
	of, after := p.path(after)
	if p.Op(after) == '(' && !p.Toks[after].First { // the names are assigned the result of that call
		return []lang.Name{{Imported: of}}
	}
	for j := range names {
		names[j].Imported = memberOf(of, names[j].Imported)
	}
	if len(names) == 0 && of != lang.Namespace {
		names = []lang.Name{{Imported: of}}
	}
	for _, n := range names {
		p.imported[n.Local] = len(p.out.Imports)
	}
	return names
}

// dropImported drops the declarations of variables that are recorded as names of imports.
func (p *parser) dropImported() {
	p.out.Decls = slices.DeleteFunc(p.out.Decls, func(d lang.Decl) bool {
		k, ok := p.imported[d.Name]
		if !ok || d.In != "" || d.Class < lang.Const || d.Class > lang.Var {
			return false
		}
		line := p.out.Imports[k].Line
		return d.Line <= line && line <= d.End
	})
}
