package lex

import "bytes"

// maxRestarts is how often a file is lexed again because what looked like the start of a template
// or an element does not end.
const maxRestarts = 4

// Lexer splits source into tokens. It reads every byte once; its look-aheads are bounded or
// cached, so that its time is linear in the source.
type Lexer struct {
	src  []byte
	pos  int
	line int32
	jsx  bool
	// salvage makes a keyword that begins a declaration at the left margin close all open
	// brackets. It is set for files whose brackets do not match.
	salvage bool
	broken  bool // a bracket or a literal is not closed

	toks      []Token
	stack     []frame
	braces    int32          // number of brace frames on the stack
	ends      bool           // the last token can end an expression
	fresh     bool           // no token on this line yet
	noRegexTo int            // no regular expression can end before this offset
	wrong     map[int]bool   // offsets that look like the start of a template or element and are not
	last      map[string]int // by tag name, the offset of its last closing tag
}

// Lex splits src into tokens and matches their pairs. The result is valid until the next call. broken
// is set when a bracket or a literal is not closed.
func (l *Lexer) Lex(src []byte, jsx bool) (tokens []Token, broken bool) {
	l.wrong, l.last, l.salvage = nil, nil, false
	for try := 0; ; try++ {
		l.start(src, jsx && try <= maxRestarts)
		culprit := l.run()
		if culprit < 0 || try > maxRestarts {
			break
		}
		if l.wrong == nil {
			l.wrong = make(map[int]bool)
		}
		l.wrong[culprit] = true
	}
	if l.broken {
		l.start(src, l.jsx)
		l.salvage = true
		l.run()
		l.broken = true
	}
	return l.toks, l.broken || len(l.wrong) > 0
}

func (l *Lexer) start(src []byte, jsx bool) {
	*l = Lexer{src: src, jsx: jsx, line: 1, fresh: true, toks: l.toks[:0], stack: l.stack[:0], wrong: l.wrong, last: l.last, salvage: l.salvage}
	if bytes.HasPrefix(src, []byte("#!")) {
		l.skipLine()
	}
}

// run lexes to the end. It returns the offset of a template or element that is not closed, -1
// when there is none.
func (l *Lexer) run() int {
	for l.pos < len(l.src) {
		bad := -1
		switch l.top() {
		case inChildren:
			l.children()
		case inTag:
			bad = l.tag()
		default:
			bad = l.code()
		}
		if bad >= 0 {
			return bad
		}
	}
	for _, f := range l.stack {
		l.broken = true
		if f.kind == inTag || f.kind == inChildren || f.kind == '`' {
			return int(l.toks[f.tok].Start)
		}
	}
	return -1
}

func (l *Lexer) top() byte {
	if len(l.stack) == 0 {
		return 0
	}
	return l.stack[len(l.stack)-1].kind
}

// at returns the byte n after the position, 0 beyond the end.
func (l *Lexer) at(n int) byte {
	if l.pos+n < len(l.src) {
		return l.src[l.pos+n]
	}
	return 0
}

// add appends a token that reaches from start to the position.
func (l *Lexer) add(k Kind, op byte, start int, line int32) {
	l.toks = append(l.toks, Token{Start: int32(start), End: int32(l.pos), Line: line, Pair: -1, Kind: k, Op: op, First: l.fresh})
	l.fresh = false
}

// newline skips a line break at the position and counts it.
func (l *Lexer) newline() {
	if l.src[l.pos] == '\r' && l.at(1) == '\n' {
		l.pos++
	}
	l.pos++
	l.line++
	l.fresh = true
}

// code lexes one token outside JSX, or white space.
func (l *Lexer) code() int {
	c := l.src[l.pos]
	switch {
	case c == ' ' || c == '\t' || c == '\v' || c == '\f':
		l.pos++
	case c == '\n' || c == '\r':
		l.newline()
	case IsPart(c):
		if n := oddSpace(l.src[l.pos:]); n > 0 {
			l.pos += n
		} else if c-'0' < 10 {
			l.number()
		} else {
			l.word()
		}
	case c == '"' || c == '\'':
		l.quoted(c)
	case c == '`':
		if l.wrong[l.pos] {
			l.one(Other)
			return -1
		}
		return l.template()
	case c == '/':
		l.slash()
	case c == '<' && l.jsx && !l.ends && !l.wrong[l.pos] && l.startsElement():
		l.element()
	case c == '}' && l.top() == '`':
		return l.template()
	default:
		l.punct(c)
	}
	return -1
}

// IsPart reports whether c can be a part of an identifier or a number.
func IsPart(c byte) bool {
	return c|0x20-'a' < 26 || c-'0' < 10 || c == '_' || c == '$' || c >= 0x80 || c == '\\'
}

// oddSpace returns the length of the white space outside ASCII at the start of s.
func oddSpace(s []byte) int {
	switch {
	case s[0] < 0x80:
		return 0
	case s[0] == 0xc2 && len(s) > 1 && s[1] == 0xa0:
		return 2
	case len(s) > 2 && s[0] == 0xe2 && s[1] == 0x80 && (s[2] >= 0x80 && s[2] <= 0x8a || s[2] == 0xa8 || s[2] == 0xa9):
		return 3
	case len(s) > 2 && (s[0] == 0xef && s[1] == 0xbb && s[2] == 0xbf || s[0] == 0xe3 && s[1] == 0x80 && s[2] == 0x80):
		return 3
	}
	return 0
}

func (l *Lexer) word() {
	start := l.pos
	l.pos++
	for l.pos < len(l.src) && IsPart(l.src[l.pos]) {
		if l.src[l.pos] >= 0x80 && oddSpace(l.src[l.pos:]) > 0 {
			break
		}
		l.pos++
	}
	w := l.src[start:l.pos]
	if l.salvage && l.fresh && len(l.stack) > 0 && (start == 0 || l.src[start-1] == '\n') && beginsDeclaration(w) && l.at(0) == ' ' {
		for len(l.stack) > 0 {
			l.abandon()
		}
		l.toks = append(l.toks, Token{Start: int32(start), End: int32(start), Line: l.line, Pair: -1, Kind: Punct, Op: ';'})
	}
	l.ends = l.afterDot() || !opensExpression(w)
	l.add(Word, 0, start, l.line)
}

// afterDot reports whether the last token is a "." or "?.", so that a word is the name of a
// member.
func (l *Lexer) afterDot() bool {
	if n := len(l.toks); n > 0 && l.toks[n-1].Kind == Punct {
		return l.toks[n-1].Op == '.' || l.toks[n-1].Op == Chain
	}
	return false
}

// opensExpression reports whether a word is followed by an expression instead of an operator, as
// "return" is.
func opensExpression(w []byte) bool {
	if len(w) < 2 || len(w) > 10 || w[0] < 'a' || w[0] > 'y' {
		return false
	}
	switch string(w) {
	case "return", "typeof", "case", "do", "else", "in", "instanceof", "new", "delete", "void", "throw", "yield", "await", "default":
		return true
	}
	return false
}

// beginsDeclaration reports whether a declaration at the left margin can begin with w.
func beginsDeclaration(w []byte) bool {
	switch string(w) {
	case "import", "export", "function", "class", "const", "interface", "type", "enum", "declare", "abstract", "namespace", "async", "let", "var":
		return true
	}
	return false
}

func (l *Lexer) number() {
	start := l.pos
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		exponent := (c == '+' || c == '-') && l.src[l.pos-1]|0x20 == 'e' && l.pos > start && l.src[start]-'0' < 10 && !(l.src[start] == '0' && l.pos > start+1 && l.src[start+1]|0x20 == 'x')
		if !(IsPart(c) && c < 0x80) && c != '.' && !exponent {
			break
		}
		l.pos++
	}
	l.ends = true
	l.add(Number, 0, start, l.line)
}

// quoted lexes a string. An unclosed one ends with its line.
func (l *Lexer) quoted(quote byte) {
	start, line := l.pos, l.line
	for l.pos++; l.pos < len(l.src); l.pos++ {
		switch c := l.src[l.pos]; {
		case c == quote:
			l.pos++
			l.ends = true
			l.add(Text, quote, start, line)
			return
		case c == '\\' && l.pos+1 < len(l.src):
			l.pos++
			if c := l.src[l.pos]; c == '\n' || c == '\r' {
				fresh := l.fresh
				l.newline()
				l.fresh = fresh
				l.pos--
			}
		case c == '\n' || c == '\r':
			l.broken, l.ends = true, true
			l.add(Text, 0, start, line)
			return
		}
	}
	l.broken = true
	l.add(Text, 0, start, line)
}

// template lexes a part of a template literal: from its back quote, or from the } that closes a
// substitution, to the next substitution or the end.
func (l *Lexer) template() int {
	start, line, first := l.pos, l.line, l.fresh
	head := l.src[start] == '`'
	for l.pos++; l.pos < len(l.src); {
		switch c := l.src[l.pos]; {
		case c == '`':
			l.pos++
			l.fresh = first
			l.endTemplate(head, start, line)
			return -1
		case c == '$' && l.at(1) == '{':
			l.pos += 2
			l.fresh, l.ends = first, false
			if head {
				l.add(Quasi, Head, start, line)
				l.push('`', false)
			} else {
				l.add(Quasi, Middle, start, line)
			}
			return -1
		case c == '\\' && l.pos+1 < len(l.src) && l.at(1) != '\n' && l.at(1) != '\r':
			l.pos += 2
		case c == '\n' || c == '\r':
			l.newline()
		default:
			l.pos++
		}
	}
	l.broken = true
	if head {
		return start
	}
	return -1 // run finds the open frame
}

func (l *Lexer) endTemplate(head bool, start int, line int32) {
	l.ends = true
	if head {
		l.add(Quasi, Whole, start, line)
		return
	}
	l.add(Quasi, Tail, start, line)
	l.pop()
}

// slash lexes a comment, a regular expression or a division.
func (l *Lexer) slash() {
	switch {
	case l.at(1) == '/':
		l.skipLine()
	case l.at(1) == '*':
		l.skipComment()
	case !l.ends && l.pos >= l.noRegexTo && l.regex():
	default:
		l.one(Other)
	}
}

func (l *Lexer) skipLine() {
	for l.pos < len(l.src) && l.src[l.pos] != '\n' && l.src[l.pos] != '\r' {
		l.pos++
	}
}

func (l *Lexer) skipComment() {
	for l.pos += 2; l.pos < len(l.src); {
		switch c := l.src[l.pos]; {
		case c == '*' && l.at(1) == '/':
			l.pos += 2
			return
		case c == '\n' || c == '\r':
			l.newline()
		default:
			l.pos++
		}
	}
	l.broken = true
}

// regex lexes a regular expression. It reports false when none ends on this line.
func (l *Lexer) regex() bool {
	start, class := l.pos, false
	for i := l.pos + 1; i < len(l.src); i++ {
		switch c := l.src[i]; {
		case c == '\n' || c == '\r':
			l.noRegexTo = i
			return false
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			for i++; i < len(l.src) && IsPart(l.src[i]); i++ {
			}
			l.pos, l.ends = i, true
			l.add(Regex, 0, start, l.line)
			return true
		}
	}
	l.noRegexTo = len(l.src)
	return false
}
