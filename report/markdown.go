package report

import (
	"bytes"
	"html/template"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/transcript"
)

// maxProse is the maximum size of a text rendered as Markdown, in bytes. Longer texts,
// mostly pasted logs, are shown as they are.
const maxProse = 256 << 10

// prose renders the CommonMark of a session. Tables in GitHub's syntax stay text in
// columns. goldmark's extensions are not used, because their patterns are compiled whenever
// the program starts, which would add a millisecond to every hook.
//
// No text becomes markup of its own: HTML is shown as text, an image as its description,
// and links lead only to the web.
type prose struct {
	engine goldmark.Markdown
	code   *highlighter
}

func newProse(code *highlighter) *prose {
	p := &prose{code: code}
	p.engine = goldmark.New(
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(p, 1))),
		goldmark.WithRendererOptions(html.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(p, 1))),
	)
	return p
}

// render returns a text as HTML.
func (p *prose) render(said string) template.HTML {
	said = fence.Plain(said)
	var b bytes.Buffer
	if len(said) > maxProse || p.engine.Convert([]byte(said), &b) != nil {
		return "<pre>" + escaped(said) + "</pre>"
	}
	return template.HTML(b.String()) //nolint:gosec // goldmark escapes, and the nodes below do
}

// RegisterFuncs implements renderer.NodeRenderer.
func (p *prose) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, p.rawHTML)
	r.Register(ast.KindHTMLBlock, p.htmlBlock)
	r.Register(ast.KindImage, p.image)
	r.Register(ast.KindLink, p.link)
	r.Register(ast.KindAutoLink, p.autoLink)
	r.Register(ast.KindHeading, p.heading)
	r.Register(ast.KindFencedCodeBlock, p.codeBlock)
	r.Register(ast.KindCodeBlock, p.codeBlock)
	r.Register(ast.KindParagraph, p.paragraph)
}

func (*prose) rawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if raw, ok := n.(*ast.RawHTML); ok && entering {
		_, _ = w.WriteString(template.HTMLEscapeString(string(raw.Segments.Value(source))))
	}
	return ast.WalkSkipChildren, nil
}

func (*prose) htmlBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	block, ok := n.(*ast.HTMLBlock)
	if !ok || !entering {
		return ast.WalkContinue, nil
	}
	raw := string(block.Lines().Value(source))
	if block.HasClosure() {
		raw += string(block.ClosureLine.Value(source))
	}
	_, _ = w.WriteString("<pre>" + template.HTMLEscapeString(raw) + "</pre>\n")
	return ast.WalkContinue, nil
}

// image writes the description of an image. The page does not load the image.
func (*prose) image(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("[image: ")
	} else {
		_ = w.WriteByte(']')
	}
	return ast.WalkContinue, nil
}

func (p *prose) link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	l, ok := n.(*ast.Link)
	if !ok || !leadsOut(l.Destination) {
		return ast.WalkContinue, nil
	}
	if entering {
		openLink(w, l.Destination)
	} else {
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func (p *prose) autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	l, ok := n.(*ast.AutoLink)
	if !ok || !entering {
		return ast.WalkContinue, nil
	}
	label := template.HTMLEscapeString(string(l.Label(source)))
	if l.AutoLinkType != ast.AutoLinkURL || !leadsOut(l.URL(source)) {
		_, _ = w.WriteString(label)
		return ast.WalkContinue, nil
	}
	openLink(w, l.URL(source))
	_, _ = w.WriteString(label + "</a>")
	return ast.WalkContinue, nil
}

// leadsOut reports whether a link leads to the web. Other links are not followed from a
// page that may have been mailed.
func leadsOut(url []byte) bool {
	lower := bytes.ToLower(url)
	return bytes.HasPrefix(lower, []byte("https://")) || bytes.HasPrefix(lower, []byte("http://"))
}

func openLink(w util.BufWriter, url []byte) {
	_, _ = w.WriteString(`<a rel="noreferrer noopener" href="` + template.HTMLEscapeString(string(util.URLEscape(url, true))) + `">`)
}

// Transform implements parser.ASTTransformer. It renumbers the headings of a text so that
// they start at the first level and skip none, for readers who navigate by headings.
func (*prose) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	var all []*ast.Heading
	highest := 6
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it stops at no node
		if h, ok := n.(*ast.Heading); ok && entering {
			all, highest = append(all, h), min(highest, h.Level)
		}
		return ast.WalkContinue, nil
	})
	before := 0
	for _, h := range all {
		h.Level = min(h.Level-highest, before) + 1
		before = h.Level
	}
}

// heading writes a heading, at a level below those of the page.
func (*prose) heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	h, ok := n.(*ast.Heading)
	if !ok {
		return ast.WalkContinue, nil
	}
	level := string(rune('0' + min(6, h.Level+3)))
	if entering {
		_, _ = w.WriteString("<h" + level + ">")
	} else {
		_, _ = w.WriteString("</h" + level + ">\n")
	}
	return ast.WalkContinue, nil
}

func (p *prose) codeBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language := ""
	if f, ok := n.(*ast.FencedCodeBlock); ok {
		language = string(f.Language(source))
	}
	code := p.code.code(transcript.Code{Language: language, Text: string(n.Lines().Value(source))})
	_, _ = w.WriteString("<pre>" + string(code) + "</pre>\n")
	return ast.WalkContinue, nil
}

// paragraph writes a paragraph, or a table in the columns of its author.
func (*prose) paragraph(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	lines := n.Lines()
	rule := text.Segment{}
	if lines.Len() > 1 {
		rule = lines.At(1)
	}
	if isTableRule(rule.Value(source)) {
		if entering {
			_, _ = w.WriteString("<pre>" + template.HTMLEscapeString(string(lines.Value(source))) + "</pre>\n")
		}
		return ast.WalkSkipChildren, nil
	}
	if entering {
		_, _ = w.WriteString("<p>")
	} else {
		_, _ = w.WriteString("</p>\n")
	}
	return ast.WalkContinue, nil
}

// isTableRule reports whether a line is the rule below the head of a table.
func isTableRule(line []byte) bool {
	line = bytes.TrimSpace(line)
	return bytes.Contains(line, []byte("|")) && bytes.Contains(line, []byte("--")) && len(bytes.Trim(line, "|-: \t")) == 0
}
