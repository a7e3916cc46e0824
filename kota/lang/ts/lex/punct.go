package lex

// punct lexes an operator or a bracket.
func (l *Lexer) punct(c byte) {
	switch {
	case c == '(' || c == '[' || c == '{':
		l.open(c)
	case c == ')' || c == ']' || c == '}':
		l.close(c)
	case c == '.' && l.at(1)-'0' < 10:
		l.number()
	case c == '#' && IsPart(l.at(1)):
		l.pos++
		l.word()
		l.toks[len(l.toks)-1].Start--
	case c == '!' && l.at(1) != '=' && l.ends && !l.fresh:
		l.many(1, '!', true) // a non-null assertion: "a!"
	default:
		n, op := operator(c, l.at(1), l.at(2))
		l.many(n, op, op == Step && l.ends)
	}
}

// operator returns the length and the kind of the operator that begins with c. second and third
// are the next two characters.
func operator(c, second, third byte) (n int, op byte) {
	switch c {
	case '=':
		switch {
		case second == '>':
			return 2, Arrow
		case second == '=' && third == '=':
			return 3, Other
		case second == '=':
			return 2, Other
		}
	case '.':
		if second == '.' && third == '.' {
			return 3, Spread
		}
	case '?':
		switch {
		case second == '.' && third-'0' >= 10: // "a?.5:1" is a conditional
			return 2, Chain
		case second == '?':
			return 2, Other
		}
	case '+', '-':
		if second == c {
			return 2, Step
		}
		return 1, Other
	case '&', '|':
		if second == c {
			return 2, Other
		}
	case '!':
		switch {
		case second == '=' && third == '=':
			return 3, Other
		case second == '=':
			return 2, Other
		}
	case '#':
		return 1, Other
	}
	return 1, c
}

// one lexes an operator of one character.
func (l *Lexer) one(op byte) { l.many(1, op, false) }

// many lexes an operator of n characters.
func (l *Lexer) many(n int, op byte, ends bool) {
	start := l.pos
	l.pos += n
	l.ends = ends
	l.add(Punct, op, start, l.line)
}

// open lexes an opening bracket.
func (l *Lexer) open(c byte) {
	flag := false
	switch c {
	case '(':
		flag = l.controls()
	case '{':
		flag = l.block()
	}
	l.one(c)
	l.push(c, flag)
}

// controls reports whether the coming ( belongs to a statement such as "if (", so that a
// statement follows its ).
func (l *Lexer) controls() bool {
	n := len(l.toks)
	if n == 0 || l.toks[n-1].Kind != Word {
		return false
	}
	if n > 1 && l.toks[n-2].Kind == Punct && (l.toks[n-2].Op == '.' || l.toks[n-2].Op == Chain) {
		return false
	}
	switch string(l.src[l.toks[n-1].Start:l.toks[n-1].End]) {
	case "if", "while", "for", "with":
		return true
	}
	return false
}

// block reports whether the coming { opens a block, not an object.
func (l *Lexer) block() bool {
	n := len(l.toks)
	if n == 0 {
		return true
	}
	t := l.toks[n-1]
	switch t.Kind {
	case Word:
		switch string(l.src[t.Start:t.End]) {
		case "else", "do":
			return true
		}
		return l.ends
	case Punct:
		switch t.Op {
		case ')', ';', '{', '}', ']', '>', Arrow:
			return true
		}
	}
	return false
}

// push opens a frame for the last token.
func (l *Lexer) push(k byte, flag bool) {
	f := frame{tok: int32(len(l.toks) - 1), kind: k, flag: flag}
	if n := len(l.stack); n > 0 {
		f.parens, f.squares = l.stack[n-1].parens, l.stack[n-1].squares
	}
	switch k {
	case '(':
		f.parens++
	case '[':
		f.squares++
	default:
		f.parens, f.squares = 0, 0
		if isBrace(k) {
			l.braces++
		}
	}
	l.stack = append(l.stack, f)
}

func isBrace(k byte) bool { return k == '{' || k == inBraces || k == '`' }

// pop closes the innermost frame with the last token.
func (l *Lexer) pop() frame {
	f := l.drop()
	last := int32(len(l.toks) - 1)
	l.toks[f.tok].Pair, l.toks[last].Pair = last, f.tok
	return f
}

// drop removes the innermost frame.
func (l *Lexer) drop() frame {
	f := l.stack[len(l.stack)-1]
	l.stack = l.stack[:len(l.stack)-1]
	if isBrace(f.kind) {
		l.braces--
	}
	return f
}

// abandon removes the innermost frame, whose bracket is not closed, and pairs its bracket with
// the last token.
func (l *Lexer) abandon() {
	f := l.drop()
	if last := int32(len(l.toks) - 1); last > f.tok {
		l.toks[f.tok].Pair = last
	}
}

// close lexes a closing bracket. An unclosed bracket inside the pair ends here too; a closing
// bracket without an opening one becomes a ';'.
func (l *Lexer) close(c byte) {
	n := len(l.stack)
	found := false
	switch {
	case n == 0:
	case c == '}':
		found = l.braces > 0
	case c == ')':
		found = l.stack[n-1].parens > 0
	default:
		found = l.stack[n-1].squares > 0
	}
	if !found {
		l.broken = true
		l.one(';') // ends the statement it stands in
		return
	}
	for !closes(l.top(), c) {
		l.broken = true
		l.abandon()
	}
	if l.top() == '`' {
		return // the template continues after it
	}
	l.one(c)
	f := l.pop()
	l.ends = !f.flag
}

// closes reports whether bracket c ends a frame.
func closes(k, c byte) bool {
	switch c {
	case ')':
		return k == '('
	case ']':
		return k == '['
	}
	return isBrace(k)
}
