package scan

import (
	"bytes"

	"github.com/coctostan/pictx/kota/lang"
)

// maxText is how many bytes of a declaration are read.
const maxText = 4 << 10

// Head returns the type of a declaration or, for a type, what that is derived from. text begins with its first line. It implements
// lang.Language's Head.
func Head(text []byte, d lang.Decl) lang.TypeNames {
	r := &reader{text: text[:min(len(text), maxText)]}
	if !r.find(d.Name) {
		return lang.TypeNames{}
	}
	r.skip("?!")
	switch d.Class {
	case lang.TypeAlias:
		r.generics()
		if r.skip("=|&"); r.at > 0 {
			return r.names(";")
		}
	case lang.Interface, lang.ClassDecl:
		r.generics()
		return r.names("{")
	case lang.Const, lang.Let, lang.Var, lang.Property:
		return r.variable()
	}
	return lang.TypeNames{}
}

// reader reads a text from an offset on.
type reader struct {
	text []byte
	at   int
	own  []string // type parameters
}

// find moves after the first occurrence of name as a whole word.
func (r *reader) find(name string) bool {
	for r.at < len(r.text) {
		i := bytes.Index(r.text[r.at:], []byte(name))
		if i < 0 {
			return false
		}
		from := r.at + i
		r.at = from + len(name)
		if (from == 0 || !isWord(r.text[from-1])) && (r.at == len(r.text) || !isWord(r.text[r.at])) {
			return true
		}
	}
	return false
}

// skip moves over white space and these characters.
func (r *reader) skip(these string) {
	for r.at < len(r.text) && (r.text[r.at] <= ' ' || bytes.IndexByte([]byte(these), r.text[r.at]) >= 0) {
		r.at++
	}
}

// peek returns the next character, 0 at the end.
func (r *reader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// word reads a word, "" when there is none.
func (r *reader) word() string {
	from := r.at
	for r.at < len(r.text) && isWord(r.text[r.at]) {
		r.at++
	}
	return string(r.text[from:r.at])
}

// generics moves over type parameters and records their names.
func (r *reader) generics() {
	r.skip("")
	if r.peek() != '<' {
		return
	}
	begins, end := true, r.closing()
	for r.at++; r.at < end; {
		switch c := r.peek(); {
		case isWord(c):
			w := r.word()
			if begins && w != "const" && w != "in" && w != "out" {
				r.own, begins = append(r.own, w), false
			}
		case c == ',':
			begins = true
			r.at++
		case bytes.IndexByte([]byte("({[<"), c) >= 0:
			r.at = r.closing()
		default:
			r.at++
		}
	}
	r.at = min(end+1, len(r.text))
}

// closing returns the offset of the bracket that closes the one at r.at, the end of the text when
// there is none.
func (r *reader) closing() int {
	depth := 0
	for i := r.at; i < len(r.text); i++ {
		switch r.text[i] {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}':
			depth--
		case '>':
			if r.text[i-1] != '=' {
				depth--
			}
		case '"', '\'', '`':
			if n := bytes.IndexByte(r.text[i+1:], r.text[i]); n >= 0 {
				i += n + 1
			}
		}
		if depth == 0 {
			return i
		}
	}
	return len(r.text)
}

// variable reads the type or value of a variable or a property.
func (r *reader) variable() lang.TypeNames {
	switch r.skip(""); r.peek() {
	case ':':
		r.at++
		if r.skip(""); !r.isFunction() {
			return r.names("=;,")
		}
	case '=':
		r.at++
		if r.skip(""); r.word() == "new" {
			r.skip("")
			return r.names("(;")
		}
	}
	return lang.TypeNames{}
}

// isFunction reports whether a function or a function type begins here.
func (r *reader) isFunction() bool {
	if r.peek() == '<' {
		return true
	}
	if r.peek() != '(' {
		return false
	}
	rest := bytes.TrimLeft(r.text[min(r.closing()+1, len(r.text)):], " \t\r\n")
	return bytes.HasPrefix(rest, []byte("=>")) || bytes.HasPrefix(rest, []byte(":"))
}

func isWord(c byte) bool {
	return c|0x20-'a' < 26 || c-'0' < 10 || c == '_' || c == '$' || c >= 0x80
}
