package scan

import (
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// parser reads the tokens of one file.
type parser struct {
	src  []byte
	toks []lex.Token
	out  *lang.Facts
	// clauses are the tokens of import and export clauses, start and end alternating. A name
	// there does not count as a use.
	clauses []int
	common  map[string]bool // names exported as CommonJS does
	member  func(i int)     // called with each token that names a member; may be nil
	// taken are the tokens to which a module or parts of one are assigned: a name, or the {
	// of a pattern. The value is false when the module's specifier is computed.
	taken map[int]bool
	// top are the names that the file imports or declares at the top level. A variable of a
	// block that has one of these names shadows it.
	top      map[string]bool
	assigned map[string]bool // variables to which a module is assigned after their declaration
	computed bool            // the specifier of the current import( or require( is not a literal
	outer    int             // the } of the outermost block around the current token
	imported map[string]int  // variables to which a require is assigned, with the import's index
	objects  map[string]int  // by name of a top-level variable or Default, the { of the object that it is
	own      map[int]string  // by token, the function of an exported object that is used there through this
	passed   map[int]bool    // by token, the objects and requires whose members the file exports; true for the whole value
	loaders  map[string]int  // functions that return the promise of an import(, with the import's index
	// isModule is set when the file has an import or export at the top level.
	isModule bool
	// lists is set when the file says in statements of their own what it exports. A declaration
	// file that is a module and does not exports unmarked, its other declarations, too.
	lists    bool
	unmarked []lang.Export
}

// word returns the text of token i when it is a word, "" otherwise.
func (p *parser) word(i int) string {
	if i < 0 || i >= len(p.toks) || p.toks[i].Kind != lex.Word {
		return ""
	}
	return string(p.src[p.toks[i].Start:p.toks[i].End])
}

// is reports whether token i is this word.
func (p *parser) is(i int, w string) bool {
	return i >= 0 && i < len(p.toks) && p.toks[i].Kind == lex.Word && string(p.src[p.toks[i].Start:p.toks[i].End]) == w
}

// op returns the operator of token i, 0 when it is not one.
func (p *parser) op(i int) byte {
	if i < 0 || i >= len(p.toks) || p.toks[i].Kind != lex.Punct {
		return 0
	}
	return p.toks[i].Op
}

// isWord reports whether token i is a word, which can be a name.
func (p *parser) isWord(i int) bool { return i < len(p.toks) && i >= 0 && p.toks[i].Kind == lex.Word }

// line returns the line of token i.
func (p *parser) line(i int) int {
	if i < 0 || i >= len(p.toks) {
		return p.out.Lines
	}
	return int(p.toks[i].Line)
}

// lastLine returns the line on which token i ends.
func (p *parser) lastLine(i int) int {
	if i < 0 || i >= len(p.toks) {
		return p.out.Lines
	}
	t := p.toks[i]
	line := int(t.Line)
	if t.Kind != lex.Quasi && t.Kind != lex.Text {
		return line
	}
	return line + countBreaks(p.src[t.Start:t.End])
}

// countBreaks counts line breaks of every kind.
func countBreaks(s []byte) int {
	n := 0
	for i, c := range s {
		if c == '\n' || c == '\r' && (i+1 >= len(s) || s[i+1] != '\n') {
			n++
		}
	}
	return n
}

// next returns the index after token i or, when that opens a bracket, after the closing one.
func (p *parser) next(i int) int { return p.pair(i, i) + 1 }

// pair returns the index of the bracket that closes i, end when there is none.
func (p *parser) pair(i, end int) int {
	if i < len(p.toks) && int(p.toks[i].Pair) > i {
		return int(p.toks[i].Pair)
	}
	return end
}

// literal returns the text of a string, or of a template without substitutions.
func (p *parser) literal(i int) (string, bool) {
	if i < 0 || i >= len(p.toks) {
		return "", false
	}
	t := p.toks[i]
	if !(t.Kind == lex.Text && t.Op != 0 || t.Kind == lex.Quasi && t.Op == lex.Whole) {
		return "", false
	}
	return unescape(p.src[t.Start+1 : t.End-1]), true
}

// ender reports whether a statement can end with token i.
func (p *parser) ender(i int) bool {
	t := p.toks[i]
	switch t.Kind {
	case lex.Word:
		switch string(p.src[t.Start:t.End]) {
		case "extends", "implements", "typeof", "keyof", "in", "instanceof", "as", "satisfies", "new", "await", "delete", "infer", "unique", "else", "do", "case":
			return p.op(i-1) == '.'
		}
		return true
	case lex.Punct:
		switch t.Op {
		case ')', ']', '}', '>', '!', lex.Step, lex.Close:
			return true
		}
		return false
	case lex.Quasi:
		return t.Op == lex.Whole || t.Op == lex.Tail
	}
	return true
}

// goesOn reports whether token i, the first on its line, continues the statement of the line
// before.
func (p *parser) goesOn(i int) bool {
	t := p.toks[i]
	switch t.Kind {
	case lex.Word:
		switch string(p.src[t.Start:t.End]) {
		case "instanceof", "in", "as", "satisfies", "extends", "implements", "is", "of":
			return true
		}
		return false
	case lex.Punct:
		switch t.Op {
		case '{', '@', '#', lex.Step, '!', '}', ';', lex.Open:
			return false
		}
		return true
	case lex.Quasi:
		return true
	}
	return false
}

// breaks reports whether a line break before token i ends a statement.
func (p *parser) breaks(i, end int) bool {
	return i > 0 && i < end && p.toks[i].First && p.ender(i-1) && !p.goesOn(i)
}

// module reports whether token i begins an import or export. Neither can continue a statement,
// even one that is broken.
func (p *parser) module(i, end int) bool {
	if i >= end || !p.toks[i].First || p.toks[i].Kind != lex.Word || !p.is(i, "import") && !p.is(i, "export") {
		return false
	}
	switch p.op(i + 1) {
	case 0, '{', '*', '@':
		return true
	case '=':
		return p.is(i, "export")
	}
	return false
}

// stmtEnd returns the index after the statement that begins at i.
func (p *parser) stmtEnd(i, end int) int {
	for j := i; j < end; {
		if p.op(j) == ';' {
			return j + 1
		}
		n := p.next(j)
		if p.module(n, end) {
			return n
		}
		if n < end && p.toks[n].First && p.ender(n-1) && !p.goesOn(n) {
			// A ">" at the end of a line is a comparison, unless a declaration
			// follows.
			if p.op(n-1) != '>' || p.declares(n) || !p.isWord(n) {
				return n
			}
		}
		j = n
	}
	return end
}

// declares reports whether a declaration begins at token i.
func (p *parser) declares(i int) bool {
	switch p.word(i) {
	case "import", "export", "function", "class", "const", "let", "var", "enum", "interface", "if", "for", "while", "return", "switch", "try", "throw":
		return p.op(i+1) != ':' && p.op(i+1) != '=' && p.op(i+1) != '.'
	case "type", "namespace", "module", "declare", "abstract", "async":
		return p.isWord(i+1) && !p.toks[i+1].First
	}
	return false
}

// angles returns the index after the type parameters that begin at i, i when there are none.
func (p *parser) angles(i, end int) int {
	if p.op(i) != '<' {
		return i
	}
	depth := 0
	for j := i; j < end; j = p.next(j) {
		if p.toks[j].First && p.declares(j) {
			return j // the list is not closed
		}
		switch p.op(j) {
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

// body returns the index of the { that opens the body of a function, a class or
// an interface whose head begins at i, -1 when it has none.
func (p *parser) body(i, end int) int {
	for j := i; j < end; {
		switch p.op(j) {
		case '{':
			if j > 0 && p.endsType(j-1) {
				return j
			}
		case ';', '}':
			return -1
		case '=':
			return -1
		}
		n := p.next(j)
		if n < end && n > i && p.toks[n].First && p.ender(n-1) && p.declares(n) {
			return -1
		}
		j = n
	}
	return -1
}

// endsType reports whether a type, or the head of a declaration, can end with
// token i.
func (p *parser) endsType(i int) bool {
	switch t := p.toks[i]; t.Kind {
	case lex.Word:
		switch string(p.src[t.Start:t.End]) {
		case "extends", "keyof", "is", "readonly", "infer", "asserts", "implements":
			return false
		}
		return true
	case lex.Punct:
		switch t.Op {
		case ')', ']', '}', '>':
			return true
		}
		return false
	case lex.Quasi:
		return t.Op == lex.Whole || t.Op == lex.Tail
	}
	return true
}
