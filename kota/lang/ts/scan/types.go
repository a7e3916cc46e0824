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
	if op := p.Op(i); anyType(name) || i < len(p.Toks) && op != ';' && op != ')' && op != ',' && op != '}' && !p.Breaks(i, len(p.Toks)) {
		return lang.TypeNames{} // of a member of it, or a call
	}
	return lang.TypeNames{Names: []string{name}}
}

// typeNames reads the names in the type that begins at token i. anyType reports whether a name may stand
// for any type. A list, as behind extends, has several types.
func (p *parser) typeNames(i int, anyType func(string) bool, list bool) (t lang.TypeNames) {
	depth, goesOn := 0, true // goesOn: another name belongs to the type
	for j := i; j < min(i+maxType, len(p.Toks)); j++ {
		switch op := p.Op(j); {
		case p.Toks[j].Kind == lex.Text || p.Toks[j].Kind == lex.Quasi:
			t.Add("string", depth)
			j, goesOn = p.Pair(j, j), false
		case p.IsWord(j):
			if !goesOn && !list {
				return t
			}
			if p.Is(j+1, "is") && depth == 0 { // a predicate
				return lang.TypeNames{Names: []string{"boolean"}}
			}
			j, goesOn = p.typeName(j, &t, anyType, depth)
		case op == '<':
			depth, goesOn = depth+1, true
		case op == '>':
			depth, goesOn = depth-1, false
			if depth < 0 {
				return t
			}
		case op == '|' || op == '&' || op == ',' && (depth > 0 || list):
			goesOn = true
		case op == '(' && (p.Op(p.Next(j)) == lex.Arrow || p.Op(p.Next(j)) == ':'): // a function
			return lang.TypeNames{Open: true}
		case op == '(':
		case op == ')' && j > i && p.Pair(j, j) >= i && p.Pair(j, j) < j:
			goesOn = false
		case (op == '{' || op == '[') && goesOn && !(list && op == '{'):
			t.Open, goesOn = true, false
			j = p.Pair(j, j)
		default:
			return t
		}
	}
	return t
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
