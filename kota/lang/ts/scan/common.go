package scan

import (
	"slices"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// commonExport reads "exports.x = …", "module.exports = …", "module.exports = { a, b }" or
// "Object.assign(exports, …)" at the word exports.
func (p *parser) commonExport(i int) {
	module := p.Op(i-1) == '.'
	if module && !p.Is(i-2, "module") {
		return
	}
	line, start := p.Line(i), i
	if module {
		start = i - 2
	}
	switch {
	case p.Op(i+1) == ',' && p.assigns(start-4):
		p.mergeCommon(i+2, p.Pair(start-1, start))
	case p.Op(i+1) == '.' && p.IsWord(i+2) && p.Op(i+3) == '=':
		name, local := p.Word(i+2), p.Word(i+4)
		if local == "" || !p.endsValue(i+5) {
			local = name
			p.declareCommon(name, "", i, i+4)
		}
		p.object(local, i+4)
		p.exportCommon(lang.Export{Name: name, Local: local, Line: line})
	case !module || p.Op(i+1) != '=':
	case p.Op(i+2) == '{':
		p.mergeCommon(i+2, p.Next(i+2))
	case p.assigns(i + 2):
		p.mergeCommon(i+6, p.Pair(i+5, i+6))
	case p.Is(i+2, "require") && p.endsValue(p.Next(i+3)):
		p.passed[i+2] = true
	case p.isModuleName(i+2) && p.endsValue(i+3):
		p.star(p.imported[p.Word(i+2)], i+2, true)
	case p.IsWord(i+2) && !p.Is(i+2, "require") && p.endsValue(i+3) && !p.common[lang.Default]:
		p.exportCommon(lang.Export{Name: lang.Default, Local: p.Word(i + 2), Whole: true, Line: line})
		p.entries(p.literalOf(p.Word(i + 2)))
	}
}

// assigns reports whether "Object.assign(" begins at token i.
func (p *parser) assigns(i int) bool {
	return p.Is(i, "Object") && p.Op(i+1) == '.' && p.Is(i+2, "assign") && p.Op(i+3) == '('
}

// mergeCommon exports what the objects in a list between tokens i and end have.
func (p *parser) mergeCommon(i, end int) {
	for ; i < end; i = p.entryEnd(i, end) + 1 {
		p.exportObject(i, 0)
	}
}

// exportObject exports what the object at token i has: one that stands there, a variable, or a module.
// depth is the number of objects that it is spread in.
func (p *parser) exportObject(i, depth int) {
	_, again := p.passed[i]
	switch w := p.Word(i); {
	case again || depth > maxNested:
	case w == "require":
		p.passed[i] = false
	case w != "" && (p.Op(i+1) == ')' || p.endsValue(i+1)):
		p.exportObject(p.literalOf(w), depth)
		if p.isModuleName(i) {
			p.star(p.imported[w], i, false)
		}
	case p.Op(i) == '{':
		p.passed[i] = false
		p.entries(i)
		for _, n := range p.pattern(i) {
			if n.Imported != "" && n.Imported != lang.Namespace {
				p.exportCommon(lang.Export{Name: n.Imported, Local: n.Local, Line: p.Line(i)})
			}
		}
		for j, end := i+1, p.Pair(i, i); j < end; j = p.entryEnd(j, end) + 1 {
			if p.Op(j) == lex.Spread {
				p.exportObject(j+1, depth+1)
			}
		}
	}
}

// isModuleName reports whether a required module was assigned to the name at token i.
func (p *parser) isModuleName(i int) bool {
	k, ok := p.imported[p.Word(i)]
	return ok && slices.Contains(p.out.Imports[k].Names, lang.Name{Imported: lang.Namespace, Local: p.Word(i)})
}

// star exports what the k-th import has, as token i says: the module itself when it is the whole value
// that is exported.
func (p *parser) star(k, i int, whole bool) {
	p.out.Exports = append(p.out.Exports, lang.Export{Name: lang.Namespace, Local: lang.Namespace, From: k, Whole: whole, Line: p.Line(i)})
}

// endsValue reports whether a value ends before token i.
func (p *parser) endsValue(i int) bool {
	return i >= len(p.Toks) || p.Op(i) == ';' || p.Op(i) == ',' || p.Op(i) == '}' || p.Toks[i].First
}

// entries declares and exports those entries of an exported object whose value stands in the
// object itself: a and b in "{ a: 1, b() {}, c, d: e }". c and d are declared elsewhere. Token
// open is the {.
func (p *parser) entries(open int) {
	if open < 0 {
		return
	}
	for j, end := open+1, p.Pair(open, open); j < end; j++ {
		key := j
		if p.Is(j, "async") && p.IsWord(j+1) {
			key++
		}
		value := key + 2
		if p.Op(key+1) == '(' {
			value = key
		}
		if p.IsWord(key) && (p.Op(key+1) == '(' || p.Op(key+1) == ':' && (!p.IsWord(value) || !p.endsValue(value+1))) {
			p.declareCommon(p.Word(key), "", j, value)
			p.exportCommon(lang.Export{Name: p.Word(key), Local: p.Word(key), Line: p.Line(j)})
		}
		for j < end && p.Op(j) != ',' {
			j = p.Next(j)
		}
	}
}

// maxValue bounds the search for the end of a value, in tokens; a bracket with its contents
// counts as one. A minified line may consist of thousands of such statements.
const maxValue = 1000

// declareCommon declares the name to which the value at token value is assigned, in a statement
// or an entry that begins at token from. It declares nothing when the value is a module or
// another export.
func (p *parser) declareCommon(name, in string, from, value int) {
	if p.Is(value, "require") || p.Is(value, "exports") || p.Is(value, "module") || p.common[name] && in == "" {
		return
	}
	d := lang.Decl{Name: name, In: in, Class: lang.Const, Exported: in == "", Line: p.Line(from)}
	last := value
	for n := 0; n < maxValue && last+1 < len(p.Toks); n++ {
		if p.Op(last) == ',' || p.Op(last) == ';' || p.Op(last) == '}' || last > value && p.Toks[last].First && p.Ender(last-1) && !p.GoesOn(last) {
			break
		}
		last = p.Next(last)
	}
	if p.Is(value, "function") || p.Is(value, "async") || p.Op(value+1) == '(' && p.Is(value, name) || p.Op(p.Next(value)) == lex.Arrow {
		d.Class = lang.Function
	}
	if in != "" {
		d.Class = lang.Method
	}
	d.End = max(d.Line, p.LastLine(max(last-1, value)))
	p.out.Decls = append(p.out.Decls, d)
}

// prototype declares method b of A for "A.prototype.b = function () {}", at the word prototype.
func (p *parser) prototype(i int) {
	if p.Op(i-1) == '.' && p.IsWord(i-2) && p.Op(i-3) != '.' && p.Op(i+1) == '.' && p.IsWord(i+2) && p.Op(i+3) == '=' && (p.Is(i+4, "function") || p.Is(i+4, "async")) {
		p.declareCommon(p.Word(i+2), p.Word(i-2), i-2, i+4)
	}
}

// exportCommon records an export of the file itself, each name once.
func (p *parser) exportCommon(x lang.Export) {
	if p.common[x.Name] {
		return
	}
	if p.common == nil {
		p.common = make(map[string]bool)
	}
	p.common[x.Name], x.From = true, -1
	p.out.Exports = append(p.out.Exports, x)
}
