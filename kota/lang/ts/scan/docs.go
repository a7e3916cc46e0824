package scan

import (
	"bytes"
	"slices"
	"sort"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
	"github.com/coctostan/pictx/kota/lang/ts/syntax"
)

// docs reads the JSDoc comments of a JavaScript file. Types stand there: "@typedef" and "@callback"
// declare one, "@type {A}" uses one, "import('./x').A" and "@import { A } from './x'" import one.
type docs struct {
	*parser
	line, at int // line of the offset at
	tok      int // first token at the top level that ends behind the offset at
	words    []docWord
	hidden   []string // type parameters of the comment
}

// docWord is a name in a type.
type docWord struct {
	from, to, line int
}

// docs reads the comments of the file, and records the uses in types there.
func (p *parser) docs(b *binder) {
	known, imports := len(p.out.Decls), len(p.out.Imports)
	words := p.readDocs()
	for _, d := range p.out.Decls[known:] {
		b.name(d.Name)
	}
	for _, im := range p.out.Imports[imports:] {
		for _, n := range im.Names {
			b.name(n.Local)
		}
	}
	changed := make(map[string]bool)
	for _, w := range words {
		if name, ok := b.looksFor(p.Src[w.from:w.to]); ok {
			b.use(name, w.line)
			changed[name] = true
		}
	}
	for name := range changed {
		u := &b.out.Uses[b.at[name]]
		u.Lines = uniqueLines(u.Lines)
	}
}

// readDocs reads the comments of the file. It returns the names in their types.
func (p *parser) readDocs() []docWord {
	d := &docs{parser: p, line: 1}
	for from := 0; ; {
		n := bytes.Index(p.Src[from:], []byte("/**"))
		if n < 0 {
			break
		}
		from += n
		size := bytes.Index(p.Src[from:], []byte("*/"))
		if size < 0 {
			break
		}
		if i := p.tokenAt(from); i < len(p.Toks) && int(p.Toks[i].Start) < from {
			from = max(int(p.Toks[i].End), from+3) // in a string or the like
			continue
		}
		d.comment(from, from+size)
		from += size + 2
	}
	return d.words
}

// tokenAt returns the first token that ends behind an offset.
func (p *parser) tokenAt(offset int) int {
	return sort.Search(len(p.Toks), func(i int) bool { return int(p.Toks[i].End) > offset })
}

// lineAt returns the line of an offset, which ascends from call to call.
func (d *docs) lineAt(offset int) int {
	if offset > d.at {
		d.line += bytes.Count(d.Src[d.at:offset], []byte("\n"))
		d.at = offset
	}
	return d.line
}

// isTop reports whether an offset between tokens is at the top level. It ascends from call to call.
func (d *docs) isTop(offset int) bool {
	for d.tok < len(d.Toks) && int(d.Toks[d.Pair(d.tok, d.tok)].End) <= offset {
		d.tok = d.Next(d.tok)
	}
	return d.tok >= len(d.Toks) || int(d.Toks[d.tok].Start) >= offset
}

// comment reads the tags of the comment from one offset to another.
func (d *docs) comment(from, end int) {
	first := len(d.words)
	d.hidden = d.hidden[:0]
	for i := from; ; {
		n := bytes.IndexByte(d.Src[i:end], '@')
		if n < 0 {
			break
		}
		i += n + 1
		if c := d.Src[i-2]; c != ' ' && c != '\t' && c != '*' && c != '\n' {
			continue // "{@link x}", a mail address
		}
		j := d.word(i, end)
		i = d.tag(string(d.Src[i:j]), j, end)
	}
	if len(d.hidden) > 0 {
		own := func(w docWord) bool { return slices.Contains(d.hidden, string(d.Src[w.from:w.to])) }
		d.words = append(d.words[:first], slices.DeleteFunc(d.words[first:], own)...)
	}
}

// tag reads the tag of this name, which offset i follows, and returns the offset behind what it read.
func (d *docs) tag(name string, i, end int) int {
	line := 0
	switch name {
	case "import":
		return d.importTag(i, end)
	case "typedef", "callback":
		line = d.lineAt(i)
	case "type", "param", "arg", "argument", "returns", "return", "property", "prop", "template", "extends", "augments", "implements",
		"this", "enum", "satisfies", "throws", "exception", "yields":
	default:
		return i
	}
	i = d.space(i, end)
	if i < end && d.Src[i] == '{' {
		size := closingBrace(d.Src[i+1 : end])
		// For TypeScript a class is only ever named there: "@implements {import('x').A}" is none.
		if class := name == "extends" || name == "augments" || name == "implements"; !class || !bytes.HasPrefix(d.Src[i+1:], []byte("import")) {
			d.typeText(i+1, i+1+size)
		}
		i = min(i+size+2, end)
	}
	i = d.space(i, end)
	switch j := d.word(i, end); {
	case line > 0 && j > i && d.isTop(i):
		d.define(string(d.Src[i:j]), line, d.lineAt(j))
		return j
	case name == "template":
		d.hidden = append(d.hidden, string(d.Src[i:j]))
		for i = j; i < end && d.Src[i] == ','; i = j {
			i = d.space(i+1, end)
			j = d.word(i, end)
			d.hidden = append(d.hidden, string(d.Src[i:j]))
		}
	}
	return i
}

// word returns the offset behind the word at offset i.
func (d *docs) word(i, end int) int {
	for i < end && lex.IsPart(d.Src[i]) {
		i++
	}
	return i
}

// space returns the offset of the next character of a comment that is neither white space nor the *
// at the start of a line.
func (d *docs) space(i, end int) int {
	for i < end {
		switch d.Src[i] {
		case ' ', '\t', '\n', '\r', '*':
			i++
		default:
			return i
		}
	}
	return i
}

// define declares a type. A module exports it.
func (d *docs) define(name string, line, last int) {
	d.out.Decls = append(d.out.Decls, lang.Decl{Name: name, Class: lang.TypeAlias, Exported: true, Line: line, End: last})
	d.out.Exports = append(d.out.Exports, lang.Export{Name: name, Local: name, From: -1, TypeOnly: true, Line: line})
}

// typeText collects the names in the type between two offsets, and the modules it imports.
func (d *docs) typeText(i, end int) {
	for i < end {
		switch c := d.Src[i]; {
		case c == '"' || c == '\'' || c == '`':
			n := bytes.IndexByte(d.Src[i+1:end], c)
			if n < 0 {
				return
			}
			i += n + 2
		case !lex.IsPart(c):
			i++
		default:
			j := d.word(i, end)
			switch {
			case c-'0' < 10 || d.Src[i-1] == '.' && d.Src[i-2] != '.' || isPredefined(string(d.Src[i:j])) || d.isKey(i, j, end):
			case string(d.Src[i:j]) == "import" && bytes.HasPrefix(bytes.TrimLeft(d.Src[j:end], " "), []byte("(")):
				j = d.importType(bytes.IndexByte(d.Src[j:end], '(')+j+1, end)
			default:
				d.words = append(d.words, docWord{i, j, d.lineAt(i)})
			}
			i = j
		}
	}
}

// isKey reports whether the word between two offsets names a member or a parameter: a in "{ a: A }".
func (d *docs) isKey(i, j, end int) bool {
	before := bytes.TrimRight(d.Src[:i], " \t\r\n*")
	if j < end && d.Src[j] == '?' {
		j++
	}
	j = d.space(j, end)
	return j < end && d.Src[j] == ':' && len(before) > 0 && bytes.IndexByte([]byte("{,;("), before[len(before)-1]) >= 0
}

// importType reads "'x').A" of "import('x').A" and returns the offset behind it.
func (d *docs) importType(i, end int) int {
	i = d.space(i, end)
	if i >= end || d.Src[i] != '"' && d.Src[i] != '\'' {
		return i
	}
	n := bytes.IndexByte(d.Src[i+1:end], d.Src[i])
	if n < 0 {
		return end
	}
	im := lang.Import{Spec: string(d.Src[i+1 : i+1+n]), Kind: lang.TypeOf, TypeOnly: true, Line: d.lineAt(i)}
	i += n + 2
	if j := d.space(i, end); j < end && d.Src[j] == ')' {
		i = j + 1
	}
	if i+1 < end && d.Src[i] == '.' {
		j := d.word(i+1, end)
		im.Names = []lang.Name{{Imported: string(d.Src[i+1 : j]), TypeOnly: true}}
		i = j
	}
	d.out.Imports = append(d.out.Imports, im)
	return i
}

// importTag reads the clause of "@import { A } from 'x'" and returns the offset behind it.
func (d *docs) importTag(i, end int) int {
	n := bytes.IndexByte(d.Src[i:end], '@')
	if n >= 0 && !bytes.ContainsAny(d.Src[i:i+n], "\"'") { // the next tag, unless it is a scope: "@a/b"
		return i
	}
	line := d.lineAt(i)
	text := slices.Clone(d.Src[i-len("import") : end])
	for k := 1; k < len(text); k++ {
		if text[k] == '*' && bytes.TrimRight(text[:k], " \t") != nil && bytes.HasSuffix(bytes.TrimRight(text[:k], " \t"), []byte("\n")) {
			text[k] = ' ' // of the margin
		}
	}
	var l lex.Lexer
	toks, _ := l.Lex(text, false)
	clause := &parser{Tokens: syntax.Tokens{Src: text, Toks: toks}, out: &lang.Facts{}}
	if behind := clause.importClause(0, len(toks), scope{}, false); behind > 0 && len(clause.out.Imports) == 1 {
		im := clause.out.Imports[0]
		im.TypeOnly, im.Line = true, line
		d.out.Imports = append(d.out.Imports, im)
		return i - len("import") + int(toks[behind-1].End)
	}
	return i
}
