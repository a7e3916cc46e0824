package scan

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The limits beyond which only the imports of a file are read, in bytes.
const (
	largeFile = 1 << 20 // a file
	longLine  = 500     // the mean length of its lines
	smallFile = 10_000  // but not of a file as small as this
)

// Supported reports whether a file of this name can be scanned.
func Supported(name string) bool {
	switch path.Ext(name) {
	case ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".astro":
		return true
	}
	return false
}

// Component reports whether a file of this name holds scripts among other things.
func Component(name string) bool {
	switch path.Ext(name) {
	case ".vue", ".svelte", ".astro":
		return true
	}
	return false
}

// Binary reports whether data is no text: whether a NUL byte is among the first
// 8 KB, except in UTF-16.
func Binary(data []byte) bool {
	if utf16Order(data) != 0 {
		return false
	}
	return bytes.IndexByte(data[:min(len(data), 8<<10)], 0) >= 0
}

// Scanner scans files one after the other, reusing its memory.
type Scanner struct{ lex lexer }

// File reads a file. Only the extension of name counts.
func (s *Scanner) File(name string, data []byte) Facts {
	data = decode(data)
	out := Facts{Lines: countBreaks(data)}
	if n := len(data); n > 0 && data[n-1] != '\n' && data[n-1] != '\r' {
		out.Lines++
	}
	out.Bare = len(data) > largeFile || len(data) > smallFile && len(data)/max(out.Lines, 1) > longLine
	if Component(name) {
		s.component(path.Ext(name), data, &out)
	} else {
		ext := path.Ext(name)
		p := s.script(data, ext != ".ts" && ext != ".mts" && ext != ".cts", &out)
		if !out.Bare {
			p.uses(bind(&out))
		}
	}
	finish(&out)
	return out
}

// script reads the source of one script.
func (s *Scanner) script(src []byte, jsx bool, out *Facts) *parser {
	p := &parser{src: src, out: out, toks: s.lex.lex(src, jsx)}
	out.Partial = out.Partial || s.lex.broken
	p.references()
	p.statements(0, len(p.toks), place{})
	p.calls()
	return p
}

// finish puts the facts into the order of the source and drops what is not to be
// kept.
func finish(out *Facts) {
	order := make([]int, len(out.Imports))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return out.Imports[a].Line - out.Imports[b].Line })
	moved := make([]int, len(order))
	sorted := make([]Import, len(order))
	for to, from := range order {
		moved[from], sorted[to] = to, out.Imports[from]
	}
	out.Imports = sorted
	for i := range out.Exports {
		if e := &out.Exports[i]; e.From >= 0 {
			e.From = moved[e.From]
		}
	}
	if out.Bare {
		out.Decls, out.Uses = nil, nil
		return
	}
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
	slices.SortStableFunc(out.Decls, func(a, b Decl) int { return a.Line - b.Line })
	slices.SortFunc(out.Uses, func(a, b Use) int { return strings.Compare(a.Name, b.Name) })
}

// references reads the references to other files in the comments that a file
// begins with.
func (p *parser) references() {
	rest := p.src
	if len(p.toks) > 0 {
		rest = rest[:p.toks[0].start]
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

// reference reads a line that may be a reference.
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
	p.out.Imports = append(p.out.Imports, Import{Spec: target, Kind: Reference, TypeOnly: true, Line: line})
}

// attribute returns the value of an attribute in a tag, "" without one.
func attribute(tag, name string) string {
	for rest := tag; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return ""
		}
		before := i > 0 && isPart(rest[i-1])
		rest = strings.TrimSpace(rest[i+len(name):])
		if before || !strings.HasPrefix(rest, "=") {
			continue
		}
		rest = strings.TrimSpace(rest[1:])
		if rest == "" || rest[0] != '"' && rest[0] != '\'' {
			return rest[:len(tagName([]byte(rest)))]
		}
		value, _, ok := strings.Cut(rest[1:], rest[:1])
		if !ok {
			return ""
		}
		return value
	}
}

// utf16Order returns which half of a UTF-16 character comes first, 0 when data is
// not UTF-16.
func utf16Order(data []byte) byte {
	switch {
	case len(data) >= 2 && data[0] == 0xff && data[1] == 0xfe:
		return 'l'
	case len(data) >= 2 && data[0] == 0xfe && data[1] == 0xff:
		return 'b'
	}
	return 0
}

// decode returns data as UTF-8, without a byte order mark.
func decode(data []byte) []byte {
	order := utf16Order(data)
	if order == 0 {
		return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		if order == 'l' {
			units = append(units, uint16(data[i])|uint16(data[i+1])<<8)
		} else {
			units = append(units, uint16(data[i+1])|uint16(data[i])<<8)
		}
	}
	out := make([]byte, 0, len(units))
	for _, r := range utf16.Decode(units) {
		out = utf8.AppendRune(out, r)
	}
	return out
}
