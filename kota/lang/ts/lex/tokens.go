package lex

// Tokens are a source cut into tokens.
type Tokens struct {
	Src   []byte
	Toks  []Token
	Lines int // the last line of the source
}

// Word returns the text of token i when it is a word, "" otherwise.
func (t *Tokens) Word(i int) string {
	if i < 0 || i >= len(t.Toks) || t.Toks[i].Kind != Word {
		return ""
	}
	return string(t.Src[t.Toks[i].Start:t.Toks[i].End])
}

// Is reports whether token i is this word.
func (t *Tokens) Is(i int, w string) bool {
	return i >= 0 && i < len(t.Toks) && t.Toks[i].Kind == Word && string(t.Src[t.Toks[i].Start:t.Toks[i].End]) == w
}

// Op returns the operator of token i, 0 when it is not one.
func (t *Tokens) Op(i int) byte {
	if i < 0 || i >= len(t.Toks) || t.Toks[i].Kind != Punct {
		return 0
	}
	return t.Toks[i].Op
}

// IsWord reports whether token i is a word, which can be a name.
func (t *Tokens) IsWord(i int) bool { return i < len(t.Toks) && i >= 0 && t.Toks[i].Kind == Word }

// Line returns the line of token i.
func (t *Tokens) Line(i int) int {
	if i < 0 || i >= len(t.Toks) {
		return t.Lines
	}
	return int(t.Toks[i].Line)
}

// LastLine returns the line on which token i ends.
func (t *Tokens) LastLine(i int) int {
	if i < 0 || i >= len(t.Toks) {
		return t.Lines
	}
	k := t.Toks[i]
	line := int(k.Line)
	if k.Kind != Quasi && k.Kind != Text {
		return line
	}
	return line + CountBreaks(t.Src[k.Start:k.End])
}

// CountBreaks counts line breaks of every kind.
func CountBreaks(s []byte) int {
	n := 0
	for i, c := range s {
		if c == '\n' || c == '\r' && (i+1 >= len(s) || s[i+1] != '\n') {
			n++
		}
	}
	return n
}

// Next returns the index after token i or, when that opens a bracket, after the closing one.
func (t *Tokens) Next(i int) int { return t.Pair(i, i) + 1 }

// Pair returns the index of the bracket that closes i, end when there is none.
func (t *Tokens) Pair(i, end int) int {
	if i < len(t.Toks) && int(t.Toks[i].Pair) > i {
		return int(t.Toks[i].Pair)
	}
	return end
}

// Literal returns the text of a string, or of a template without substitutions, as written.
func (t *Tokens) Literal(i int) (string, bool) {
	if i < 0 || i >= len(t.Toks) {
		return "", false
	}
	k := t.Toks[i]
	if !(k.Kind == Text && k.Op != 0 || k.Kind == Quasi && k.Op == Whole) {
		return "", false
	}
	return string(t.Src[k.Start+1 : k.End-1]), true
}

// Ender reports whether a statement can end with token i.
func (t *Tokens) Ender(i int) bool {
	k := t.Toks[i]
	switch k.Kind {
	case Word:
		switch string(t.Src[k.Start:k.End]) {
		case "extends", "implements", "typeof", "keyof", "in", "instanceof", "as", "satisfies", "new", "await", "delete", "infer", "unique", "else", "do", "case":
			return t.Op(i-1) == '.'
		}
		return true
	case Punct:
		switch k.Op {
		case ')', ']', '}', '>', '!', Step, Close:
			return true
		}
		return false
	case Quasi:
		return k.Op == Whole || k.Op == Tail
	}
	return true
}

// GoesOn reports whether token i, the first on its line, continues the statement of the line
// before.
func (t *Tokens) GoesOn(i int) bool {
	k := t.Toks[i]
	switch k.Kind {
	case Word:
		switch string(t.Src[k.Start:k.End]) {
		case "instanceof", "in", "as", "satisfies", "extends", "implements", "is", "of":
			return true
		}
		return false
	case Punct:
		switch k.Op {
		case '{', '@', '#', Step, '!', '}', ';', Open:
			return false
		}
		return true
	case Quasi:
		return true
	}
	return false
}

// Breaks reports whether a line break before token i ends a statement.
func (t *Tokens) Breaks(i, end int) bool {
	return i > 0 && i < end && t.Toks[i].First && t.Ender(i-1) && !t.GoesOn(i)
}

// Module reports whether token i begins an import or export. Neither can continue a statement,
// even one that is broken.
func (t *Tokens) Module(i, end int) bool {
	if i >= end || !t.Toks[i].First || t.Toks[i].Kind != Word || !t.Is(i, "import") && !t.Is(i, "export") {
		return false
	}
	switch t.Op(i + 1) {
	case 0, '{', '*', '@':
		return true
	case '=':
		return t.Is(i, "export")
	}
	return false
}

// StmtEnd returns the index after the statement that begins at i.
func (t *Tokens) StmtEnd(i, end int) int {
	for j := i; j < end; {
		if t.Op(j) == ';' {
			return j + 1
		}
		n := t.Next(j)
		if t.Module(n, end) {
			return n
		}
		if n < end && t.Toks[n].First && t.Ender(n-1) && !t.GoesOn(n) {
			// A ">" at the end of a line is a comparison, unless a declaration
			// follows.
			if t.Op(n-1) != '>' || t.Declares(n) || !t.IsWord(n) {
				return n
			}
		}
		j = n
	}
	return end
}

// Declares reports whether a declaration begins at token i.
func (t *Tokens) Declares(i int) bool {
	switch t.Word(i) {
	case "import", "export", "function", "class", "const", "let", "var", "enum", "interface", "if", "for", "while", "return", "switch", "try", "throw":
		return t.Op(i+1) != ':' && t.Op(i+1) != '=' && t.Op(i+1) != '.'
	case "type", "namespace", "module", "declare", "abstract", "async":
		return t.IsWord(i+1) && !t.Toks[i+1].First
	}
	return false
}

// Angles returns the index after the type parameters that begin at i, i when there are none.
func (t *Tokens) Angles(i, end int) int {
	if t.Op(i) != '<' {
		return i
	}
	depth := 0
	for j := i; j < end; j = t.Next(j) {
		if t.Toks[j].First && t.Declares(j) {
			return j // the list is not closed
		}
		switch t.Op(j) {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return j + 1
			}
		case ';':
			return j
		}
	}
	return end
}

// Body returns the index of the { that opens the body of a function, a class or
// an interface whose head begins at i, -1 when it has none.
func (t *Tokens) Body(i, end int) int {
	for j := i; j < end; {
		switch t.Op(j) {
		case '{':
			if j > 0 && t.EndsType(j-1) {
				return j
			}
		case ';', '}':
			return -1
		case '=':
			return -1
		}
		n := t.Next(j)
		if n < end && n > i && t.Toks[n].First && t.Ender(n-1) && t.Declares(n) {
			return -1
		}
		j = n
	}
	return -1
}

// EndsType reports whether a type, or the head of a declaration, can end with
// token i.
func (t *Tokens) EndsType(i int) bool {
	switch k := t.Toks[i]; k.Kind {
	case Word:
		switch string(t.Src[k.Start:k.End]) {
		case "extends", "keyof", "is", "readonly", "infer", "asserts", "implements":
			return false
		}
		return true
	case Punct:
		switch k.Op {
		case ')', ']', '}', '>':
			return true
		}
		return false
	case Quasi:
		return k.Op == Whole || k.Op == Tail
	}
	return true
}
