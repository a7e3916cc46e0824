package scan

import (
	"bytes"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
	"github.com/coctostan/pictx/kota/lang/ts/syntax"
)

// documented is what a JSDoc comment says of types.
type documented struct {
	end    int                  // offset behind the comment
	params map[string]lang.Clue // by parameter
	is     lang.Clue            // of the variable that follows
}

// maxBetween is how many tokens may stand between a comment and the parameters that it describes,
// as in "export default async function f".
const maxBetween = 6

// readDocs reads the JSDoc comments of a file with types of parameters and variables. In JavaScript
// these are the only types there are.
func (m *mentions) readDocs() {
	for at := 0; ; {
		from := bytes.Index(m.Src[at:], []byte("/**"))
		if from < 0 {
			return
		}
		from += at
		size := bytes.Index(m.Src[from:], []byte("*/"))
		if size < 0 {
			return
		}
		at = from + size + 2
		if d := m.readDoc(m.Src[from:at]); d.params != nil || d.is.Says != lang.Unsaid {
			d.end = at
			m.docs = append(m.docs, d)
		}
	}
}

// readDoc reads a JSDoc comment.
func (m *mentions) readDoc(comment []byte) documented {
	var d documented
	for {
		tag := bytes.IndexByte(comment, '@')
		if tag < 0 {
			return d
		}
		comment = comment[tag+1:]
		name, rest, found := bytes.Cut(comment, []byte("{"))
		kind := string(bytes.TrimSpace(name))
		if !found || kind != "param" && kind != "type" {
			continue
		}
		end := closingBrace(rest)
		says := m.docType(rest[:end])
		comment = rest[end:]
		if kind == "type" {
			d.is = says
			continue
		}
		if d.params == nil {
			d.params = make(map[string]lang.Clue)
		}
		d.params[paramName(comment)] = says
	}
}

// closingBrace returns the offset of the brace that ends a text which begins behind an opening one,
// the end of the text when there is none.
func closingBrace(text []byte) int {
	depth := 1
	for i, c := range text {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// paramName returns the name that follows a type: of "} [name=1] what it is" it is "name".
func paramName(text []byte) string {
	text = bytes.TrimLeft(text, "}[ \t")
	end := bytes.IndexAny(text, " \t\r\n]=*.")
	if end < 0 {
		end = len(text)
	}
	return string(text[:end])
}

// docType returns the clue to a type in a JSDoc comment.
func (m *mentions) docType(text []byte) lang.Clue {
	text = bytes.Trim(text, "?!= \t")
	if bytes.HasPrefix(text, []byte("import(")) { // import('./a').Type
		_, text, _ = bytes.Cut(text, []byte(")."))
	}
	if bytes.HasPrefix(text, []byte("default")) {
		return lang.Clue{}
	}
	var l lex.Lexer
	toks, _ := l.Lex(text, false)
	of := &mentions{parser: &parser{Tokens: syntax.Tokens{Src: text, Toks: toks}, out: &lang.Facts{}}, q: m.q}
	return of.typeAt(0)
}

// docAt returns what is said right in front of token i, with at most so many tokens between; nil
// for nothing. It is called for ascending tokens.
func (m *mentions) docAt(i, between int) *documented {
	from := int(m.Toks[i].Start)
	for len(m.docs) > 1 && m.docs[1].end <= from {
		m.docs = m.docs[1:]
	}
	if len(m.docs) == 0 || m.docs[0].end > from {
		return nil
	}
	if first := i - between - 1; first >= 0 && int(m.Toks[first].Start) >= m.docs[0].end {
		return nil
	}
	return &m.docs[0]
}
