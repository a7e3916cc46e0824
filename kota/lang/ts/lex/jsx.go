package lex

import "bytes"

// maxNames is the number of tag names of a file whose closing tags are looked up.
const maxNames = 256

// startsElement reports whether the < at the position begins a JSX element. It may also begin the
// type parameters of a function or a signature, as in "<T,>(x: T) => x".
func (l *Lexer) startsElement() bool {
	i := l.pos + 1
	if i >= len(l.src) {
		return false
	}
	if l.src[i] == '>' {
		return l.closesLater("", i)
	}
	if !IsPart(l.src[i]) || l.src[i]-'0' < 10 {
		return false
	}
	name := TagName(l.src[i:])
	i = skipSpace(l.src, i+len(name))
	if i >= len(l.src) || string(name) == "const" {
		return false
	}
	switch c := l.src[i]; {
	case c == '>':
		return l.closesLater(string(name), i)
	case c == '/' || c == '{' || c == '<':
		return true
	case IsPart(c):
		return !l.constrains(i)
	}
	return false
}

// constrains reports whether the word at i is the "extends" of a type parameter: an attribute may
// have that name too.
func (l *Lexer) constrains(i int) bool {
	w := TagName(l.src[i:])
	if string(w) != "extends" {
		return false
	}
	i = skipSpace(l.src, i+len(w))
	return i < len(l.src) && l.src[i] != '=' && l.src[i] != '>' && l.src[i] != '/'
}

// TagName returns the tag name at the start of s.
func TagName(s []byte) []byte {
	i := 0
	for i < len(s) && (IsPart(s[i]) || s[i] == '.' || s[i] == ':' || s[i] == '-') {
		i++
	}
	return s[:i]
}

func skipSpace(s []byte, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

// closesLater reports whether a closing tag of this name follows. The offset of the last closing
// tag is looked up once per name.
func (l *Lexer) closesLater(name string, from int) bool {
	at, known := l.last[name]
	if !known {
		if l.last == nil {
			l.last = make(map[string]int)
		}
		if len(l.last) >= maxNames {
			return true
		}
		at = bytes.LastIndex(l.src, []byte("</"+name))
		l.last[name] = at
	}
	return at > from
}

// element lexes the < of an element.
func (l *Lexer) element() {
	l.one(Open)
	l.push(inTag, false)
	if l.at(0) == '>' { // a fragment
		l.pos++
		l.stack[len(l.stack)-1].kind = inChildren
	}
}

// tag lexes a piece of an opening tag. It returns the offset of the element when that turns out
// not to be one, -1 otherwise.
func (l *Lexer) tag() int {
	f := &l.stack[len(l.stack)-1]
	begin := int(l.toks[f.tok].Start)
	switch c := l.src[l.pos]; {
	case c == ' ' || c == '\t' || c == '=':
		l.pos++
	case c == '\n' || c == '\r':
		l.newline()
	case c == '/' && l.at(1) == '>':
		l.pos++
		l.one(Close)
		l.pop()
		l.ends = true
	case c == '/' && l.at(1) == '/':
		l.skipLine()
	case c == '/' && l.at(1) == '*':
		l.skipComment()
	case c == '>':
		l.pos++
		f.kind = inChildren
	case c == '{':
		l.one('{')
		l.push(inBraces, false)
	case c == '"' || c == '\'':
		return l.attribute(c, begin)
	case c == '<' && l.src[l.pos-1] == '=':
		l.element()
	case c == '<':
		return l.typeArguments(begin)
	case IsPart(c):
		l.name(f)
	default:
		return begin
	}
	return -1
}

// attribute skips the quoted value of an attribute, which has no escapes.
func (l *Lexer) attribute(quote byte, begin int) int {
	for l.pos++; l.pos < len(l.src); {
		switch c := l.src[l.pos]; {
		case c == quote:
			l.pos++
			return -1
		case c == '\n' || c == '\r':
			l.newline()
		default:
			l.pos++
		}
	}
	return begin
}

// name lexes the name of an element or an attribute. Only the name of a component becomes a
// token.
func (l *Lexer) name(f *frame) {
	w := TagName(l.src[l.pos:])
	if f.named {
		l.pos += len(w)
		return
	}
	f.named = true
	l.component(w)
}

// typeArguments lexes the type arguments of a component. Only words become tokens.
func (l *Lexer) typeArguments(begin int) int {
	for depth := 0; l.pos < len(l.src); {
		switch c := l.src[l.pos]; {
		case c == '<':
			depth++
			l.pos++
		case c == '=' && l.at(1) == '>':
			l.pos += 2
		case c == '>':
			depth--
			l.pos++
			if depth == 0 {
				return -1
			}
		case c == '\n' || c == '\r':
			l.newline()
		case c == ';':
			return begin
		case IsPart(c):
			l.word()
		default:
			l.pos++
		}
	}
	return begin
}

// children skips text to the next element or expression, or to the closing tag.
func (l *Lexer) children() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == '\n' || c == '\r':
			l.newline()
		case c == '{':
			l.one('{')
			l.push(inBraces, false)
			return
		case c == '<' && l.at(1) == '/':
			l.closingTag()
			return
		case c == '<' && (l.at(1) == '>' || IsPart(l.at(1))) && !l.wrong[l.pos]:
			l.element()
			return
		default:
			l.pos++
		}
	}
}

// closingTag lexes </name> and closes the element.
func (l *Lexer) closingTag() {
	start, line := l.pos, l.line
	for l.pos += 2; l.pos < len(l.src) && l.src[l.pos] != '>' && l.src[l.pos] != '<' && l.src[l.pos] != '{'; {
		switch c := l.src[l.pos]; {
		case c == '\n' || c == '\r':
			l.newline()
		case IsPart(c):
			l.component(TagName(l.src[l.pos:]))
		default:
			l.pos++
		}
	}
	if l.at(0) == '>' {
		l.pos++
	}
	l.add(Punct, Close, start, line)
	l.pop()
	l.ends = true
}

// component lexes the name of an element. A component ("Foo", "ui.Button") becomes tokens; an
// element of HTML ("div") is skipped.
func (l *Lexer) component(w []byte) {
	end := l.pos + len(w)
	if w[0] >= 'a' && w[0] <= 'z' && bytes.IndexByte(w, '.') < 0 {
		l.pos = end
	}
	for l.pos < end {
		if IsPart(l.src[l.pos]) {
			l.word()
		} else {
			l.one('.')
		}
	}
}
