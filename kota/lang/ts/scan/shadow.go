package scan

import (
	"slices"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// reach bounds the search for the end of a declaration or a scope, in tokens; a bracket with its
// contents counts as one.
const reach = 256

// span is a range of tokens, both ends inclusive.
type span struct{ from, to int }

// shadows finds the scopes in which a name that the file imports or declares is shadowed: by a
// declaration in a block or a parameter.
type shadows struct {
	*parser
	b      *binder
	names  map[string]bool // names of values, which may be shadowed
	blocks []int           // the open braces around the current token
	spans  map[string][]span
}

// shadowed returns, by name, the sorted spans in which the name does not refer to the import or
// top-level declaration.
func (p *parser) shadowed(b *binder) map[string][]span {
	s := &shadows{parser: p, b: b, names: make(map[string]bool), spans: make(map[string][]span)}
	for _, d := range p.out.Decls {
		s.names[d.Name] = s.names[d.Name] || d.In == "" && d.Class != lang.Interface && d.Class != lang.TypeAlias
	}
	for _, im := range p.out.Imports {
		for _, n := range im.Names {
			isType := (im.TypeOnly || n.TypeOnly) && im.Kind != lang.TypeOf
			s.names[n.Local] = (s.names[n.Local] || !isType) && im.Kind != lang.Augments // which declares it
		}
	}
	for i := range p.Toks {
		switch t := &p.Toks[i]; {
		case t.Kind == lex.Word:
			s.declared(i)
		case t.Kind != lex.Punct:
		case t.Op == '{' && int(t.Pair) > i:
			s.blocks = append(s.blocks, i)
		case t.Op == '}' && len(s.blocks) > 0 && s.blocks[len(s.blocks)-1] == int(t.Pair):
			s.blocks = s.blocks[:len(s.blocks)-1]
		case t.Op == '(' && int(t.Pair) > i:
			s.parameters(i, int(t.Pair))
		}
	}
	for name, spans := range s.spans {
		slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
		merged := spans[:1]
		for _, x := range spans[1:] {
			if last := &merged[len(merged)-1]; x.from <= last.to {
				last.to = max(last.to, x.to)
			} else {
				merged = append(merged, x)
			}
		}
		s.spans[name] = merged
	}
	return s.spans
}

// hide records that a name is shadowed from token from to token to.
func (s *shadows) hide(name string, from, to int) {
	if s.names[name] && from <= to {
		s.spans[name] = append(s.spans[name], span{from, to})
	}
}

// among reports whether token i is in one of the spans, which are sorted.
func among(spans []span, i int) bool {
	n, found := slices.BinarySearchFunc(spans, i, func(x span, i int) int { return x.from - i })
	return found || n > 0 && i <= spans[n-1].to
}

// declared hides the names that the declaration at word i introduces.
func (s *shadows) declared(i int) {
	if before := s.Op(i - 1); before == '.' || before == lex.Chain {
		return
	}
	t := s.Toks[i]
	if s.Op(i+1) == lex.Arrow && !s.isResult(i) {
		if name, ok := s.b.looksFor(s.Src[t.Start:t.End]); ok && !s.taken[i] {
			s.hide(name, i, s.arrowEnd(i+2))
		}
		return
	}
	switch string(s.Src[t.Start:t.End]) {
	case "const", "let", "var", "using":
		s.variablesAt(i)
	case "function":
		at := i + 1
		if s.Op(at) == '*' {
			at++
		}
		s.named(i, at, max(s.Body(at, min(i+reach, len(s.Toks))), i))
	case "class", "enum":
		s.named(i, i+1, max(s.Body(i+2, min(i+reach, len(s.Toks))), i))
	case "catch":
		closing := s.Pair(i+1, i+1)
		if s.Op(i+1) != '(' || s.Op(closing+1) != '{' {
			return
		}
		for _, name := range s.targets(i + 2) {
			s.hide(name, i, s.Pair(closing+1, closing))
		}
	}
}

// isResult reports whether the word at token i, which is followed by an arrow, ends the result
// type of an arrow function and is not its parameter.
func (s *shadows) isResult(i int) bool {
	switch s.Op(i - 1) {
	case '|', '&':
		return true
	case ':':
		return s.Op(i-2) == ')' && s.Op(int(s.Toks[i-2].Pair)-1) != '?'
	}
	switch s.Word(i - 1) {
	case "is", "keyof", "typeof", "readonly", "asserts", "infer":
		return true
	}
	return false
}

// named hides the name at token at, after the keyword at token i. A declaration shadows it in the
// whole block around it; an expression only in itself, up to the end of the bracket at token
// open.
func (s *shadows) named(i, at, open int) {
	name := s.Word(at)
	if !s.names[name] || s.Op(at+1) == ':' {
		return
	}
	expression := slices.Contains([]byte{'=', '(', ',', ':', '?', '[', lex.Arrow, lex.Other}, s.Op(i-1))
	switch s.Word(i - 1) {
	case "return", "new", "await", "yield", "throw":
		expression = true
	}
	switch n := len(s.blocks); {
	case expression:
		s.hide(name, i, s.Pair(open, open))
	case n > 0:
		s.hide(name, s.blocks[n-1], s.Pair(s.blocks[n-1], len(s.Toks)))
	}
}

// variablesAt hides the variables whose keyword is token i, in the block or loop that declares
// them.
func (s *shadows) variablesAt(i int) {
	if s.Is(i-1, "as") || s.Op(i-1) == '<' {
		return // "as const"
	}
	from, to := -1, -1
	if n := len(s.blocks); n > 0 {
		from = s.blocks[n-1]
		to = s.Pair(from, len(s.Toks))
	}
	if s.Op(i-1) == '(' {
		from = i - 1
		closing := s.Pair(from, from)
		to = s.Pair(closing+1, closing+1)
		if s.Op(closing+1) != '{' {
			to = s.arrowEnd(closing + 1)
		}
	}
	if from < 0 {
		return
	}
	end := min(i+reach, len(s.Toks))
	for k, more := i+1, true; more && k < end; {
		names := s.targets(k)
		if len(names) == 0 {
			return
		}
		for _, name := range names {
			if !s.taken[k] && (s.Is(i, "const") || !s.assigned[name]) { // otherwise it stands for a module
				s.hide(name, from, to)
			}
		}
		k, more = s.initializer(s.Next(k), end, lang.Let)
	}
}

// parameters hides the parameters between two parentheses in their function. It does nothing when
// the parentheses hold no parameters.
func (s *shadows) parameters(open, closing int) {
	last := s.headEnd(open, closing)
	if last < 0 {
		return
	}
	if name := s.Word(open - 1); s.Op(closing+1) == '{' && !s.Is(open-2, "function") {
		s.hide(name, open-1, open-1) // it is a method's name
	}
	s.eachParameter(open, closing, func(j int) bool {
		for _, name := range s.targets(j) {
			if !s.taken[j] {
				s.hide(name, open, last)
			}
		}
		return true
	})
}

// eachParameter calls fn with the name or pattern of each parameter until fn returns false.
func (s *shadows) eachParameter(open, closing int, fn func(j int) bool) {
	depth, begins := 0, true
	for j := open + 1; j < closing; j = s.Next(j) {
		switch op := s.Op(j); {
		case op == ',':
			begins = depth <= 0
		case !begins && op == '<':
			depth++
		case !begins && op == '>':
			depth--
		case !begins || op == lex.Spread:
		case op == '@':
			j = max(s.decorator(j, closing)-1, j)
		case s.IsWord(j) && s.IsWord(j+1) && memberModifier(s.Word(j)):
		case s.IsWord(j) || op == '{' || op == '[':
			if begins = false; !fn(j) {
				return
			}
		default:
			begins = false
		}
	}
}

// headEnd returns the last token of the function or signature whose parameters stand between two
// parentheses, -1 when they hold no parameters.
func (s *shadows) headEnd(open, closing int) int {
	after := closing + 1
	switch s.Op(after) {
	case lex.Arrow:
		return s.arrowEnd(after + 1)
	case '{':
		switch s.Word(open - 1) {
		case "if", "while", "for", "switch", "with", "catch":
			return -1
		}
		if _, quoted := s.Literal(open - 1); !quoted && !s.IsWord(open-1) && s.Op(open-1) != ']' && s.Op(open-1) != '>' && s.Op(open-1) != '*' {
			return -1
		}
		return s.Pair(after, after)
	}
	typed := false
	s.eachParameter(open, closing, func(j int) bool {
		n := s.Next(j)
		typed = s.Op(n) == ':' || s.Op(n) == '?' && s.Op(n+1) == ':'
		return !typed
	})
	switch {
	case s.Op(after) == ':' && (typed || s.Is(open-1, "function") || s.Is(open-2, "function") || s.standsAlone(open)):
		return s.resultEnd(after + 1)
	case typed:
		return closing
	}
	return -1
}

// standsAlone reports whether the parenthesis at token i is neither that of a call nor part of a
// conditional, so that an arrow function may begin there.
func (s *shadows) standsAlone(i int) bool {
	return slices.Contains([]byte{'=', '(', ',', ':', '[', lex.Arrow}, s.Op(i-1)) || s.Is(i-1, "async") || s.Is(i-1, "return")
}

// resultEnd returns the last token of a function whose result type begins at token i.
func (s *shadows) resultEnd(i int) int {
	depth := 0
	for j := i; j < min(i+reach, len(s.Toks)); j = s.Next(j) {
		switch op := s.Op(j); {
		case op == lex.Arrow:
			return s.arrowEnd(j + 1)
		case op == '{' && s.EndsType(j-1):
			return s.Pair(j, j)
		case op == '<':
			depth++
		case op == '>':
			depth--
		case op == ',' && depth > 0:
		case slices.Contains([]byte{';', ',', ')', ']', '}', '='}, op):
			return j - 1
		}
		if j > i && s.Breaks(j, len(s.Toks)) {
			return j - 1
		}
	}
	return i
}

// arrowEnd returns the last token of the body of an arrow function. The body begins at token i. The
// commas of type parameters, and of type arguments, do not end it.
func (s *shadows) arrowEnd(i int) int {
	if s.Op(i) == '{' {
		return s.Pair(i, i)
	}
	j := i
	for ; j < min(i+reach, len(s.Toks)); j = s.Next(j) {
		if s.Op(j) == '<' {
			if behind := s.Angles(j, min(i+reach, len(s.Toks))); s.Op(behind) == '(' || s.Op(behind) == lex.Arrow {
				j = behind
			}
		}
		switch s.Op(j) {
		case ',', ';', ')', ']', '}':
			return j - 1
		}
		if j > i && s.Breaks(j, len(s.Toks)) {
			return j - 1
		}
	}
	return j - 1
}
