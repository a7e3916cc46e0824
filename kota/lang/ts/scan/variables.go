package scan

import (
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// variables reads a list of variables. The statement begins at token i, the keyword is token j.
func (p *parser) variables(i, j, end int, at scope, ex *exportMark) int {
	c := lang.Var
	switch p.word(j) {
	case "const", "using":
		c = lang.Const
	case "let":
		c = lang.Let
	}
	k := j + 1
	for k < end {
		from := k
		if from == j+1 {
			from = i
		}
		names := p.targets(k)
		if len(names) == 0 {
			return p.stmtEnd(k, end)
		}
		n, more := p.initializer(p.next(k), end, c)
		last := n - 1
		if (p.op(last) == ';' || p.op(last) == ',') && last > k {
			last--
		}
		for _, name := range names {
			p.declare(name, c, from, last, at, ex)
		}
		if at.in == "" && p.isWord(k) {
			p.objectOf(k, n)
		}
		if !more {
			return n
		}
		k = n
	}
	return end
}

// initializer returns the index after a variable's type and value, including the comma or
// semicolon, and whether another variable follows.
func (p *parser) initializer(i, end int, c lang.Class) (int, bool) {
	if p.breaks(i, end) {
		return i, false
	}
	depth := 0
	for j := i; j < end; {
		switch p.op(j) {
		case ';':
			return j + 1, false
		case '<':
			depth++
		case '>':
			depth--
		case ',':
			if p.another(j+1, c, depth > 0) {
				return j + 1, true
			}
		}
		n := p.next(j)
		if p.module(n, end) {
			return n, false
		}
		if n < end && p.toks[n].First && p.ender(n-1) && !p.goesOn(n) && (p.op(n-1) != '>' || p.declares(n) || depth <= 0) {
			return n, false
		}
		j = n
	}
	return end, false
}

// another reports whether token i, after a comma, declares another variable. Otherwise the comma
// stands between type arguments.
func (p *parser) another(i int, c lang.Class, inAngles bool) bool {
	switch {
	case p.op(i) == '{' || p.op(i) == '[':
		return p.op(p.next(i)) == '=' && !inAngles
	case !p.isWord(i):
		return false
	}
	switch p.op(i + 1) {
	case '=':
		return true
	case ':', '!':
		return !inAngles
	case ',', ';':
		return c != lang.Const && !inAngles
	}
	return c != lang.Const && !inAngles && (i+1 >= len(p.toks) || p.toks[i+1].First)
}

// targets lists the names that the name or pattern at token i declares.
func (p *parser) targets(i int) []string {
	if w := p.word(i); w != "" {
		return []string{w}
	}
	if p.op(i) != '{' && p.op(i) != '[' {
		return nil
	}
	var out []string
	for _, n := range p.pattern(i) {
		out = append(out, n.Local)
	}
	return out
}

// pattern lists the names that the destructuring pattern at token i declares. For properties of
// the object itself Imported is the key, for deeper ones it is "".
func (p *parser) pattern(i int) []lang.Name {
	var out []lang.Name
	end := p.pair(i, i)
	object := p.op(i) == '{'
	for j := i + 1; j < end; {
		key := p.word(j)
		switch {
		case p.op(j) == lex.Spread && p.isWord(j+1): // what the other names leave
			out = append(out, lang.Name{Imported: lang.Namespace, Local: p.word(j + 1)})
		case p.op(j) == lex.Spread:
			j++
			continue
		case object && p.op(j) == '[': // a computed key
			if after := p.next(j); p.op(after) == ':' && (p.isWord(after+1) || p.op(after+1) == '{' || p.op(after+1) == '[') {
				for _, name := range p.targets(after + 1) {
					out = append(out, lang.Name{Local: name})
				}
				j = after + 1
			}
		case object && p.op(j+1) == ':' && p.isWord(j+2):
			out = append(out, lang.Name{Imported: key, Local: p.word(j + 2)})
			j += 3
		case object && p.op(j+1) == ':' && (p.op(j+2) == '{' || p.op(j+2) == '['):
			out = append(out, p.nested(j+2)...)
			j += 2
		case key != "":
			out = append(out, lang.Name{Imported: key, Local: key})
			j++
		case p.op(j) == '{' || p.op(j) == '[':
			out = append(out, p.nested(j)...)
		}
		for j < end && p.op(j) != ',' { // a default value
			j = p.next(j)
		}
		j++
	}
	return out
}

// nested lists the local names of a pattern within a pattern. Names below maxDepth are dropped:
// the file decides how deep patterns nest, and nobody writes that by hand.
func (p *parser) nested(i int) []lang.Name {
	depth := 0
	var out []lang.Name
	for j, end := i, p.pair(i, i); j < end; j++ {
		if p.op(j) == '[' && j > i && p.op(p.next(j)) == ':' {
			j = p.next(j) // a computed key
			continue
		}
		switch p.op(j) {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		ends := p.op(j+1) == ',' || p.op(j+1) == '=' || p.op(j+1) == '}' || p.op(j+1) == ']'
		starts := p.op(j-1) != '=' && p.op(j-1) != '.'
		if w := p.word(j); w != "" && ends && starts && depth <= maxDepth {
			out = append(out, lang.Name{Imported: "", Local: w})
		}
	}
	return out
}
