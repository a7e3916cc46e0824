package report

import (
	"go/scanner"
	gotoken "go/token"
	"html/template"
	"io/fs"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/transcript"
)

// maxHighlighted is the maximum size of a highlighted text in bytes, colourBudget that of
// all highlighted texts of a page. Anything beyond stays plain, which bounds the cost of
// hostile code.
const (
	maxHighlighted = 24 << 10
	colourBudget   = 2 << 20
)

// highlighter highlights the code of one page. It parses its few lexers from chroma's data:
// importing chroma's list of 300 lexers would delay every start of the program by
// milliseconds.
type highlighter struct {
	left   int // bytes that may still be highlighted
	lexers func() *chroma.LexerRegistry
}

func newHighlighter() *highlighter {
	return &highlighter{left: colourBudget, lexers: sync.OnceValue(lexers)}
}

// lexers reads the lexers. Where one cannot be read its language stays plain.
func lexers() *chroma.LexerRegistry {
	all := chroma.NewLexerRegistry()
	files, _ := fs.Glob(assets, "assets/lexers/*.xml") // the pattern is valid
	for _, file := range files {
		if l, err := chroma.NewXMLLexer(assets, file); err == nil {
			all.Register(l)
		}
	}
	return all
}

// code returns a text as HTML, with its tokens in spans with one-letter classes.
func (h *highlighter) code(c transcript.Code) template.HTML {
	language, text := strings.ToLower(c.Language), fence.Plain(c.Text)
	if len(text) > maxHighlighted || len(text) > h.left {
		return escaped(text)
	}
	switch {
	case language == "go":
		h.left -= len(text)
		return goCode(text)
	case language == "patch":
		language = "diff"
	}
	if language == "" {
		return escaped(text)
	}
	lexer := h.lexers().Get(language)
	if lexer == nil {
		return escaped(text)
	}
	h.left -= len(text)
	return coloured(lexer, text)
}

// coloured highlights a text with a lexer. A lexer panics when its patterns take too long;
// the text then stays plain.
func coloured(lexer chroma.Lexer, text string) (out template.HTML) {
	defer func() {
		if recover() != nil {
			out = escaped(text)
		}
	}()
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, text)
	if err != nil {
		return escaped(text)
	}
	var b strings.Builder
	at := 0
	for t := tokens(); t != chroma.EOF; t = tokens() {
		class, end := classOf(t.Type), at+len(t.Value)
		if class == "n" && end <= len(text) && isLineNumber(text, at, end) {
			class = ""
		}
		paint(&b, class, t.Value)
		at = end
	}
	return template.HTML(b.String()) //nolint:gosec // paint escapes
}

// classOf returns the class of a kind of token, "" for plain text.
func classOf(t chroma.TokenType) string {
	switch {
	case t == chroma.GenericInserted:
		return "add"
	case t == chroma.GenericDeleted:
		return "del"
	case t == chroma.GenericSubheading || t.InCategory(chroma.Keyword) || t == chroma.NameTag || t == chroma.OperatorWord:
		return "k"
	case t.InSubCategory(chroma.LiteralString):
		return "s"
	case t.InSubCategory(chroma.LiteralNumber):
		return "n"
	case t.InCategory(chroma.Comment):
		return "c"
	case t.InSubCategory(chroma.NameFunction) || t == chroma.NameClass || t == chroma.NameAttribute || t == chroma.NameBuiltin:
		return "f"
	}
	return ""
}

// goCode colours Go, complete or not, with the scanner of the standard library.
func goCode(text string) template.HTML {
	var s scanner.Scanner
	file := gotoken.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), func(gotoken.Position, string) {}, scanner.ScanComments)
	var b strings.Builder
	at := 0
	for {
		pos, tok, literal := s.Scan()
		if tok == gotoken.EOF {
			break
		}
		start := file.Offset(pos)
		end := start + len(literal)
		if class := goClass(tok); class != "" && start >= at && end <= len(text) && !isLineNumber(text, start, end) {
			paint(&b, "", text[at:start])
			paint(&b, class, text[start:end])
			at = end
		}
	}
	paint(&b, "", text[at:])
	return template.HTML(b.String()) //nolint:gosec // paint escapes
}

// isLineNumber reports whether the number text[start:end] was written by a tool before a
// line of a file, as in "  12→x". Such numbers are not code, and spans for them would take
// a third of a long page.
func isLineNumber(text string, start, end int) bool {
	before := text[strings.LastIndexByte(text[:start], '\n')+1 : start]
	return strings.HasPrefix(text[end:], "→") && strings.TrimLeft(before, " ") == ""
}

func goClass(t gotoken.Token) string {
	switch {
	case t.IsKeyword():
		return "k"
	case t == gotoken.STRING || t == gotoken.CHAR:
		return "s"
	case t == gotoken.COMMENT:
		return "c"
	case t.IsLiteral() && t != gotoken.IDENT:
		return "n"
	}
	return ""
}

// paint writes a text, in a span if it has a class.
func paint(b *strings.Builder, class, text string) {
	if class == "" || text == "" {
		b.WriteString(template.HTMLEscapeString(text))
		return
	}
	b.WriteString(`<span class="` + class + `">` + template.HTMLEscapeString(text) + `</span>`)
}

func escaped(text string) template.HTML {
	return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // escaped
}
