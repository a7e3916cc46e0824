package report

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// markdownProse returns the Markdown of a session for use inside another document. Its
// headings are below level, its code blocks are closed, and nothing in it is HTML, an
// image, or a link to anything but the web, whatever renders the document.
func markdownProse(said string, level int) string {
	return inert(nested(said, level))
}

// inert escapes everything that a Markdown renderer would treat as HTML, load or run. Text
// inside HTML becomes Markdown once the HTML is escaped, so it repeats until nothing is
// left.
func inert(said string) string {
	const passes = 8
	for range passes {
		at := live([]byte(said))
		if len(at) == 0 {
			return said
		}
		var b strings.Builder
		from := 0
		for _, i := range at {
			b.WriteString(said[from:i] + `\`)
			from = i
		}
		said = b.String() + said[from:]
	}
	return codeBlock(said)
}

// live returns the offsets at which constructs begin that are not inert, in order.
func live(source []byte) []int {
	var at []int
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it stops at no node
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.RawHTML:
			at = append(at, n.Segments.At(0).Start)
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				at = append(at, every(source, n.Lines().At(i), "<")...)
			}
			if n.HasClosure() {
				at = append(at, every(source, n.ClosureLine, "<")...)
			}
		case *ast.AutoLink:
			if !leadsOut(n.URL(source)) && n.AutoLinkType == ast.AutoLinkURL {
				at = append(at, before(source, n, "<")...)
			}
		case *ast.Image:
			at = append(at, before(source, n, "![")...)
		case *ast.Link:
			if !leadsOut(n.Destination) {
				at = append(at, before(source, n, "[")...)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, m := range regexp.MustCompile(`(?im)^[ >\t]*(\[)[^\]\n]+\]:\s*<?\s*(?:javascript|vbscript|data|file):`).FindAllSubmatchIndex(source, -1) {
		at = append(at, m[2])
	}
	slices.Sort(at)
	return slices.DeleteFunc(slices.Compact(at), func(i int) bool { return isEscaped(source, i) })
}

// isEscaped reports whether an odd number of backslashes precedes an offset.
func isEscaped(source []byte, at int) bool {
	n := at - len(bytes.TrimRight(source[:at], `\`))
	return n%2 == 1
}

// every returns the offsets of a mark in a part of the source.
func every(source []byte, part text.Segment, mark string) []int {
	var at []int
	for i := part.Start; i < part.Stop; i++ {
		if bytes.HasPrefix(source[i:part.Stop], []byte(mark)) {
			at = append(at, i)
		}
	}
	return at
}

// before returns the offset of the mark with which a node begins: before its first text, or
// anywhere in its paragraph if it has no text.
func before(source []byte, n ast.Node, mark string) []int {
	for c := n.FirstChild(); c != nil; c = c.FirstChild() {
		if t, ok := c.(*ast.Text); ok {
			if i := bytes.LastIndex(source[:t.Segment.Start], []byte(mark)); i >= 0 {
				return []int{i}
			}
		}
	}
	block := n.Parent()
	for block != nil && block.Type() == ast.TypeInline {
		block = block.Parent()
	}
	var at []int
	for i := 0; block != nil && i < block.Lines().Len(); i++ {
		at = append(at, every(source, block.Lines().At(i), mark)...)
	}
	return at
}

// codeBlock returns a text as a Markdown code block, with a fence that does not occur in
// it.
func codeBlock(code string) string {
	mark := "```"
	for strings.Contains(code, mark) {
		mark += "`"
	}
	return mark + "\n" + code + "\n" + mark + "\n"
}

// nested moves headings below a level, and closes a code block that is left open. Lines in
// code blocks are not headings.
func nested(prose string, below int) string {
	lines := strings.Split(prose, "\n")
	open := "" // the fence of the block of code
	for i, line := range lines {
		bare := strings.TrimLeft(line, " ")
		mark := codeFence(bare)
		rest := strings.TrimLeft(bare, "#")
		level := len(bare) - len(rest)
		switch {
		case open != "":
			if strings.HasPrefix(mark, open) && mark == strings.TrimSpace(bare) {
				open = ""
			}
		case mark != "":
			open = mark
		case 0 < level && level <= 6 && len(line)-len(bare) < 4 && strings.HasPrefix(rest+" ", " "):
			lines[i] = strings.Repeat("#", min(6, level+below)) + rest
		}
	}
	if open != "" {
		lines = append(lines, open)
	}
	return strings.Join(lines, "\n")
}

// codeFence returns the fence with which a line begins, "" for none.
func codeFence(line string) string {
	for _, mark := range [...]string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}
