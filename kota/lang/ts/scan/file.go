package scan

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// Limits in bytes. Of a file beyond them only the imports are read: it is generated or minified.
const (
	largeFile = 1 << 20 // a file
	longLine  = 500     // the mean length of a line
	smallFile = 10_000  // a file of this size or less is read whole, whatever its lines
)

// Scanner scans files one after the other and reuses its memory. It is not safe for concurrent
// use.
type Scanner struct{ lex lex.Lexer }

// File returns the facts of a file. It knows the dialect by the extension of name, and ignores
// the rest of name.
func (s *Scanner) File(name string, data []byte) lang.Facts {
	data = lang.Decode(data)
	out := lang.Facts{Lines: lex.CountBreaks(data)}
	if n := len(data); n > 0 && data[n-1] != '\n' && data[n-1] != '\r' {
		out.Lines++
	}
	out.ImportsOnly = len(data) > largeFile || len(data) > smallFile && len(data)/max(out.Lines, 1) > longLine
	if lex.OfFile(name) == lex.Component {
		s.component(path.Ext(name), data, &out)
	} else {
		p := s.script(data, lex.HasJSX(name), &out)
		if p.isModule && !p.lists && lex.Described(name) != nil {
			out.Exports = append(out.Exports, p.unmarked...)
		}
		if !out.ImportsOnly {
			b := bind(&out)
			p.uses(b)
		}
	}
	finish(&out)
	return out
}

// script reads one script.
func (s *Scanner) script(src []byte, jsx bool, out *lang.Facts) *parser {
	toks, broken := s.lex.Lex(src, jsx)
	p := &parser{Tokens: lex.Tokens{Src: src, Toks: toks, Lines: out.Lines}, out: out, bound: make(map[string][]string)}
	out.Partial = out.Partial || broken
	p.references()
	p.statements(0, len(p.Toks), scope{})
	if !p.isModule && !out.Partial {
		// In a file that is not a module, "declare module 'x'" declares x instead of
		// augmenting it.
		dropAugments(out)
	}
	p.calls()
	p.holdings()
	p.bindings()
	p.aliases()
	out.RunsTests = out.RunsTests || p.runsTests()
	return p
}

// dropAugments drops the imports that stand for "declare module". Exports refer to imports by
// index, so their indexes are adjusted.
func dropAugments(out *lang.Facts) {
	moved, kept := make([]int, len(out.Imports)), 0
	for i, im := range out.Imports {
		moved[i] = kept
		if im.Kind != lang.Augments {
			out.Imports[kept] = im
			kept++
		}
	}
	out.Imports = out.Imports[:kept]
	for i := range out.Exports {
		if e := &out.Exports[i]; e.From >= 0 {
			e.From = moved[e.From]
		}
	}
}

// finish sorts the facts in source order and drops those that are not kept.
func finish(out *lang.Facts) {
	order := make([]int, len(out.Imports))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return out.Imports[a].Line - out.Imports[b].Line })
	moved := make([]int, len(order))
	sorted := make([]lang.Import, len(order))
	for to, from := range order {
		moved[from], sorted[to] = to, out.Imports[from]
	}
	out.Imports = sorted
	for i := range out.Exports {
		if e := &out.Exports[i]; e.From >= 0 {
			e.From = moved[e.From]
		}
	}
	if out.ImportsOnly {
		out.Decls, out.Uses = nil, nil
		return
	}
	exportMembers(out)
	exported := make(map[string]bool)
	for _, e := range out.Exports {
		if e.From < 0 {
			exported[e.Local] = true
		}
	}
	for i := range out.Decls {
		if d := &out.Decls[i]; d.In == "" {
			d.Exported = d.Exported || exported[d.Name]
		}
	}
	slices.SortStableFunc(out.Decls, func(a, b lang.Decl) int { return a.Line - b.Line })
	slices.SortFunc(out.Uses, func(a, b lang.Use) int { return strings.Compare(a.Name, b.Name) })
}

// exportMembers adds to the exports what "export = A" exports of a namespace A: its members that
// are exported, all when none is marked, as in a declaration.
func exportMembers(out *lang.Facts) {
	known := make(map[string]bool)
	of := make(map[string]bool)
	for _, e := range out.Exports {
		known[e.Name] = true
		if e.Whole && e.From < 0 {
			of[e.Local] = true
		}
	}
	marked := slices.ContainsFunc(out.Decls, func(d lang.Decl) bool { return of[d.In] && d.Exported && !d.Class.Member() })
	for i := range out.Decls {
		d := &out.Decls[i]
		if !of[d.In] || d.Class.Member() || marked && !d.Exported {
			continue
		}
		if d.Exported = true; !known[d.Name] {
			known[d.Name] = true
			out.Exports = append(out.Exports, lang.Export{Name: d.Name, Local: d.In + "." + d.Name, From: -1, TypeOnly: d.Class == lang.Interface || d.Class == lang.TypeAlias, Line: d.Line})
		}
	}
}

// references reads the "/// <reference path=…>" lines in the comments at the start of a file.
func (p *parser) references() {
	rest := p.Src
	if len(p.Toks) > 0 {
		rest = rest[:p.Toks[0].Start]
	}
	for line := 1; len(rest) > 0; line++ {
		n := bytes.IndexAny(rest, "\r\n")
		if n < 0 {
			n = len(rest)
		}
		p.reference(string(bytes.TrimSpace(rest[:n])), line)
		if bytes.HasPrefix(rest[n:], []byte("\r\n")) {
			n++
		}
		rest = rest[min(n+1, len(rest)):]
	}
}

// reference reads one line of a comment, which may be a "/// <reference path=…>".
func (p *parser) reference(l string, line int) {
	tag, ok := strings.CutPrefix(l, "///")
	if tag = strings.TrimSpace(tag); !ok || !strings.HasPrefix(tag, "<reference") {
		return
	}
	target := attribute(tag, "path")
	if target == "" {
		return
	}
	if !strings.HasPrefix(target, ".") && !path.IsAbs(target) {
		target = "./" + target
	}
	p.out.Imports = append(p.out.Imports, lang.Import{Spec: target, Kind: lang.Reference, TypeOnly: true, Line: line})
}

// attribute returns the value of an attribute of a tag, "" without one.
func attribute(tag, name string) string {
	for rest := tag; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return ""
		}
		before := i > 0 && lex.IsPart(rest[i-1])
		rest = strings.TrimSpace(rest[i+len(name):])
		if before || !strings.HasPrefix(rest, "=") {
			continue
		}
		rest = strings.TrimSpace(rest[1:])
		if rest == "" || rest[0] != '"' && rest[0] != '\'' {
			return rest[:len(lex.TagName([]byte(rest)))]
		}
		value, _, ok := strings.Cut(rest[1:], rest[:1])
		if !ok {
			return ""
		}
		return value
	}
}
