package scan

import (
	"bytes"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// block is a script in a component file.
type block struct {
	tag      string // the opening tag, "" for front matter
	from, to int    // its source
}

// component reads the scripts of a component file as one script. Everything else is replaced by
// spaces, so that lines keep their numbers.
func (s *Scanner) component(ext string, data []byte, out *lang.Facts) {
	blocks := scripts(ext, data)
	jsx := false
	masked := make([]byte, len(data))
	for i, c := range data {
		masked[i] = ' '
		if c == '\n' || c == '\r' {
			masked[i] = c
		}
	}
	var sources []lang.Import
	for _, b := range blocks {
		copy(masked[b.from:b.to], data[b.from:b.to])
		if b.to < len(masked) && b.to > b.from {
			masked[b.to] = ';' // end the last statement of the script
		}
		dialect := attribute(b.tag, "lang")
		jsx = jsx || dialect == "tsx" || dialect == "jsx"
		if src := attribute(b.tag, "src"); src != "" {
			sources = append(sources, lang.Import{Spec: src, Kind: lang.Source, Line: lex.CountBreaks(data[:b.from]) + 1})
		}
	}
	p := s.script(masked, jsx, out)
	out.Imports = append(out.Imports, sources...)
	componentDefault(out)
	if out.ImportsOnly {
		return
	}
	b := bind(out)
	p.uses(b)
	from := 0
	for _, blk := range append(blocks, block{from: len(data), to: len(data)}) {
		b.markup(data[from:blk.from], lex.CountBreaks(data[:from])+1)
		from = blk.to
	}
	for i := range out.Uses {
		out.Uses[i].Lines = sortedLines(out.Uses[i].Lines)
	}
}

// componentDefault makes the component itself the default export of its file, unless the file has
// one. Other files import it as that.
func componentDefault(out *lang.Facts) {
	for _, e := range out.Exports {
		if e.Name == lang.Default {
			return
		}
	}
	out.Exports = append(out.Exports, lang.Export{Name: lang.Default, Local: lang.Default, From: -1, Line: 1})
	out.Decls = append(out.Decls, lang.Decl{Name: lang.Default, Class: lang.Const, Exported: true, Line: 1, End: max(out.Lines, 1)})
}

// scripts finds the scripts of a component file.
func scripts(ext string, data []byte) []block {
	var out []block
	from := 0
	if ext == ".astro" {
		if b, ok := frontMatter(data); ok {
			out = append(out, b)
			from = b.to
		}
	}
	for from < len(data) {
		i := indexTag(data[from:], "<script")
		if i < 0 {
			break
		}
		open := from + i
		end := tagEnd(data[open:])
		if end < 0 {
			break
		}
		b := block{tag: string(data[open : open+end]), from: open + end + 1}
		if strings.HasSuffix(b.tag, "/") {
			b.to = b.from
		} else if n := indexTag(data[b.from:], "</script"); n >= 0 {
			b.to = b.from + n
		} else {
			b.to = len(data)
		}
		if typ := attribute(b.tag, "type"); typ == "" || strings.Contains(typ, "script") || typ == "module" {
			out = append(out, b)
		}
		from = b.to
	}
	return out
}

// tagEnd returns the index of the > that ends the tag at the start of data, -1 when there is none. One
// in a quoted attribute, as in generic="T extends Item<U>", does not end it.
func tagEnd(data []byte) int {
	quote := byte(0)
	for i, c := range data {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '>':
			return i
		case c == '"' || c == '\'':
			quote = c
		}
	}
	return bytes.IndexByte(data, '>') // a quote that nothing closes
}

// indexTag returns the index of the first tag of exactly this name outside comments, -1 when
// there is none.
func indexTag(data []byte, tag string) int {
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte(tag))
		if c := bytes.Index(data[at:], []byte("<!--")); c >= 0 && i >= 0 && c < i {
			end := bytes.Index(data[at+c:], []byte("-->"))
			if end < 0 {
				return -1
			}
			at += c + end
			continue
		}
		if i < 0 {
			return -1
		}
		at += i
		if n := at + len(tag); n >= len(data) || !lex.IsPart(data[n]) && data[n] != '-' {
			return at
		}
		at += len(tag)
	}
}

// frontMatter finds the script between the --- of an Astro file.
func frontMatter(data []byte) (block, bool) {
	start := len(data) - len(bytes.TrimLeft(data, " \t\r\n"))
	if !bytes.HasPrefix(data[start:], []byte("---")) {
		return block{}, false
	}
	start += 3
	end := bytes.Index(data[start:], []byte("\n---"))
	if end < 0 {
		return block{}, false
	}
	return block{from: start, to: start + end + 1}, true
}

// sortedLines returns the lines sorted and without duplicates.
func sortedLines(lines []int) []int {
	for i := 1; i < len(lines); i++ {
		if lines[i-1] >= lines[i] {
			return uniqueLines(lines)
		}
	}
	return lines
}
