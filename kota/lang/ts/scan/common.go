package scan

import (
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// commonExport reads "exports.x = …", "module.exports = …" or "module.exports = { a, b }" at the
// word exports.
func (p *parser) commonExport(i int) {
	module := p.op(i-1) == '.'
	if module && !p.is(i-2, "module") {
		return
	}
	line := p.line(i)
	switch {
	case p.op(i+1) == '.' && p.isWord(i+2) && p.op(i+3) == '=':
		name, local := p.word(i+2), p.word(i+4)
		if local == "" || !p.endsValue(i+5) {
			local = name
			p.declareCommon(name, "", i, i+4)
		}
		p.object(local, i+4)
		p.exportCommon(lang.Export{Name: name, Local: local, Line: line})
	case !module || p.op(i+1) != '=':
	case p.op(i+2) == '{':
		p.entries(i + 2)
		for _, n := range p.pattern(i + 2) {
			if n.Imported != "" {
				p.exportCommon(lang.Export{Name: n.Imported, Local: n.Local, Line: line})
			}
		}
	case p.isWord(i+2) && !p.is(i+2, "require") && p.endsValue(i+3) && !p.common[lang.Default]:
		p.exportCommon(lang.Export{Name: lang.Default, Local: p.word(i + 2), Whole: true, Line: line})
		p.entries(p.literalOf(p.word(i + 2)))
	}
}

// endsValue reports whether a value ends before token i.
func (p *parser) endsValue(i int) bool {
	return i >= len(p.toks) || p.op(i) == ';' || p.op(i) == ',' || p.op(i) == '}' || p.toks[i].First
}

// entries declares and exports those entries of an exported object whose value stands in the
// object itself: a and b in "{ a: 1, b() {}, c, d: e }". c and d are declared elsewhere. Token
// open is the {.
func (p *parser) entries(open int) {
	if open < 0 {
		return
	}
	for j, end := open+1, p.pair(open, open); j < end; j++ {
		key := j
		if p.is(j, "async") && p.isWord(j+1) {
			key++
		}
		value := key + 2
		if p.op(key+1) == '(' {
			value = key
		}
		if p.isWord(key) && (p.op(key+1) == '(' || p.op(key+1) == ':' && (!p.isWord(value) || !p.endsValue(value+1))) {
			p.declareCommon(p.word(key), "", j, value)
			p.exportCommon(lang.Export{Name: p.word(key), Local: p.word(key), Line: p.line(j)})
		}
		for j < end && p.op(j) != ',' {
			j = p.next(j)
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
	if p.is(value, "require") || p.is(value, "exports") || p.is(value, "module") || p.common[name] && in == "" {
		return
	}
	d := lang.Decl{Name: name, In: in, Class: lang.Const, Exported: in == "", Line: p.line(from)}
	last := value
	for n := 0; n < maxValue && last+1 < len(p.toks); n++ {
		if p.op(last) == ',' || p.op(last) == ';' || p.op(last) == '}' || last > value && p.toks[last].First && p.ender(last-1) && !p.goesOn(last) {
			break
		}
		last = p.next(last)
	}
	if p.is(value, "function") || p.is(value, "async") || p.op(value+1) == '(' && p.is(value, name) || p.op(p.next(value)) == lex.Arrow {
		d.Class = lang.Function
	}
	if in != "" {
		d.Class = lang.Method
	}
	d.End = max(d.Line, p.lastLine(max(last-1, value)))
	p.out.Decls = append(p.out.Decls, d)
}

// prototype declares method b of A for "A.prototype.b = function () {}", at the word prototype.
func (p *parser) prototype(i int) {
	if p.op(i-1) == '.' && p.isWord(i-2) && p.op(i-3) != '.' && p.op(i+1) == '.' && p.isWord(i+2) && p.op(i+3) == '=' && (p.is(i+4, "function") || p.is(i+4, "async")) {
		p.declareCommon(p.word(i+2), p.word(i-2), i-2, i+4)
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
