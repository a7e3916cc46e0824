package scan

import (
	"slices"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

const (
	// maxText is how many bytes of a declaration are read.
	maxText = 4 << 10
	// maxType is how many tokens of a type are read to identify it.
	maxType = 64
)

// Head returns the type of a declaration or, for a type, what that is derived from. text begins with
// its first line. It implements lang.Language's Head.
func Head(text []byte, d lang.Decl) lang.TypeNames {
	text = text[:min(len(text), maxText)]
	toks, _ := new(lex.Lexer).Lex(text, false)
	p := &parser{Tokens: lex.Tokens{Src: text, Toks: toks}}
	i := slices.IndexFunc(toks, func(t lex.Token) bool { return string(text[t.Start:t.End]) == d.Name }) + 1
	if i == 0 {
		return lang.TypeNames{}
	}
	for p.Op(i) == '?' || p.Op(i) == '!' {
		i++
	}
	switch d.Class {
	case lang.TypeAlias:
		return p.typeNames(p.Angles(i, len(toks))+1, isParameter, false)
	case lang.Interface, lang.ClassDecl:
		return p.typeNames(p.Angles(i, len(toks)), isParameter, true)
	case lang.Const, lang.Let, lang.Var, lang.Property:
		if p.Op(i) == '=' {
			return p.made(i+1, isParameter)
		} else if p.Op(i) == ':' {
			return p.typeNames(i+1, isParameter, false)
		}
	}
	return lang.TypeNames{}
}

// made returns the type of the value at token i when that is a new object.
func (p *parser) made(i int, anyType func(string) bool) lang.TypeNames {
	for p.Is(i, "await") {
		i++
	}
	if !p.Is(i, "new") {
		return lang.TypeNames{}
	}
	for i++; p.Op(i+1) == '.'; i += 2 {
	}
	name := p.Word(i)
	if i = p.Angles(i+1, min(i+reach, len(p.Toks))); p.Op(i) == '(' {
		i = p.Next(i)
	}
	if anyType(name) || !p.ended(i) {
		return lang.TypeNames{} // of a member of it, or a call
	}
	return lang.TypeNames{Names: []string{name}}
}

// ended reports whether an expression ends before token i.
func (p *parser) ended(i int) bool {
	op := p.Op(i)
	return i >= len(p.Toks) || op == ';' || op == ')' || op == ',' || op == '}' || p.Breaks(i, len(p.Toks))
}

// typeNames reads the names in the type that begins at token i. anyType reports whether a name may stand
// for any type. A list, as behind extends, has several types.
func (p *parser) typeNames(i int, anyType func(string) bool, list bool) lang.TypeNames {
	r := &typeReader{parser: p, from: i, list: list, goesOn: true}
	for j, more := i, true; more && j < min(i+maxType, len(p.Toks)); j++ {
		switch k := p.Toks[j].Kind; {
		case k == lex.Text || k == lex.Quasi:
			r.t.Add("string", r.depth)
			j, r.goesOn = p.Pair(j, j), false
		case k != lex.Word:
			j, more = r.mark(j)
		case !r.goesOn && !list:
			more = false
		case p.Is(j+1, "is") && r.depth == 0: // a predicate
			return lang.TypeNames{Names: []string{"boolean"}}
		default:
			j, r.goesOn = p.typeName(j, &r.t, anyType, r.depth)
		}
	}
	return r.t
}

// typeReader reads one type.
type typeReader struct {
	*parser
	from   int
	list   bool
	depth  int  // of type arguments
	goesOn bool // another name belongs to the type
	t      lang.TypeNames
}

// mark reads the operator or bracket at token i. It returns the last token of it, and whether the type
// goes on.
func (r *typeReader) mark(i int) (last int, more bool) {
	switch op := r.Op(i); {
	case op == '<':
		r.depth, r.goesOn = r.depth+1, true
	case op == '>':
		r.depth, r.goesOn = r.depth-1, false
		return i, r.depth >= 0
	case op == '|' || op == '&' || op == ',' && (r.depth > 0 || r.list):
		r.goesOn = true
	case op == '(' && (r.Op(r.Next(i)) == lex.Arrow || r.Op(r.Next(i)) == ':'): // a function
		r.t = lang.TypeNames{Open: true}
		return i, false
	case op == '(':
	case op == ')' && int(r.Toks[i].Pair) >= r.from:
		r.goesOn = false
	case (op == '{' || op == '[') && r.goesOn && !(r.list && op == '{'):
		r.t.Open, r.goesOn = true, false
		return r.Pair(i, i), true
	default:
		return i, false
	}
	return i, true
}

// typeName reads the name, or the operator, at token i of a type. It returns the last token of it, and
// whether a name may follow. At a depth above 0 it is a type argument.
func (p *parser) typeName(i int, t *lang.TypeNames, anyType func(string) bool, depth int) (last int, goesOn bool) {
	switch p.Word(i) {
	case "extends", "implements", "readonly", "asserts":
		return i, true
	case "undefined", "null", "void", "never":
		return i, false
	case "any", "unknown", "object":
		t.Open = true
		return i, false
	case "keyof", "typeof", "infer", "unique", "new":
		t.Open = true
		for i++; p.Op(i+1) == '.'; i += 2 {
		}
		return i, false
	}
	for p.Op(i+1) == '.' && p.IsWord(i+2) {
		i += 2
	}
	switch w := p.Word(i); {
	case p.Op(i+1) == '[' && !p.Breaks(i+1, len(p.Toks)):
		if p.Pair(i+1, i+1) == i+2 {
			t.Add("Array", depth)
			t.Add(w, depth+1)
		} else {
			t.Open = true // an indexed access type: "T['a']"
		}
		for p.Op(i+1) == '[' {
			i = p.Pair(i+1, i+1)
		}
	case anyType(w):
		t.Open = true
	default:
		t.Add(w, depth)
	}
	return i, false
}

// isParameter reports whether a name is likely that of a type parameter: people give types longer ones.
func isParameter(w string) bool { return len(w) < 3 || w[0] == 'T' && w[1]-'A' < 26 }
