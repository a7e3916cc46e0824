package scan

import (
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// variables reads a list of variables. The statement begins at token i, the keyword is token j.
func (p *parser) variables(i, j, end int, at scope, ex *exportMark) int {
	c := lang.Var
	switch p.Word(j) {
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
			return p.StmtEnd(k, end)
		}
		n, more := p.initializer(p.Next(k), end, c)
		last := n - 1
		if (p.Op(last) == ';' || p.Op(last) == ',') && last > k {
			last--
		}
		for _, name := range names {
			p.declare(name, c, from, last, at, ex)
		}
		if p.IsWord(k) {
			p.initial(k, n, at.in)
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
	if p.Breaks(i, end) {
		return i, false
	}
	depth := 0
	for j := i; j < end; {
		switch p.Op(j) {
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
		n := p.Next(j)
		if p.Module(n, end) {
			return n, false
		}
		if n < end && p.Toks[n].First && p.Ender(n-1) && !p.GoesOn(n) && (p.Op(n-1) != '>' || p.Declares(n) || depth <= 0) {
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
	case p.Op(i) == '{' || p.Op(i) == '[':
		return p.Op(p.Next(i)) == '=' && !inAngles
	case !p.IsWord(i):
		return false
	}
	switch p.Op(i + 1) {
	case '=':
		return true
	case ':', '!':
		return !inAngles
	case ',', ';':
		return c != lang.Const && !inAngles
	}
	return c != lang.Const && !inAngles && (i+1 >= len(p.Toks) || p.Toks[i+1].First)
}

// targets lists the names that the name or pattern at token i declares.
func (p *parser) targets(i int) []string {
	if w := p.Word(i); w != "" {
		return []string{w}
	}
	if p.Op(i) != '{' && p.Op(i) != '[' {
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
	end := p.Pair(i, i)
	object := p.Op(i) == '{'
	for j := i + 1; j < end; {
		key := p.Word(j)
		switch {
		case p.Op(j) == lex.Spread && p.IsWord(j+1): // what the other names leave
			out = append(out, lang.Name{Imported: lang.Namespace, Local: p.Word(j + 1)})
		case p.Op(j) == lex.Spread:
			j++
			continue
		case object && p.Op(j) == '[': // a computed key
			if after := p.Next(j); p.Op(after) == ':' && (p.IsWord(after+1) || p.Op(after+1) == '{' || p.Op(after+1) == '[') {
				for _, name := range p.targets(after + 1) {
					out = append(out, lang.Name{Local: name})
				}
				j = after + 1
			}
		case object && p.Op(j+1) == ':' && p.IsWord(j+2):
			out = append(out, lang.Name{Imported: key, Local: p.Word(j + 2)})
			j += 3
		case object && p.Op(j+1) == ':' && (p.Op(j+2) == '{' || p.Op(j+2) == '['):
			out = append(out, p.nested(j+2)...)
			j += 2
		case key != "":
			out = append(out, lang.Name{Imported: key, Local: key})
			j++
		case p.Op(j) == '{' || p.Op(j) == '[':
			out = append(out, p.nested(j)...)
		}
		for j < end && p.Op(j) != ',' { // a default value
			j = p.Next(j)
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
	for j, end := i, p.Pair(i, i); j < end; j++ {
		if p.Op(j) == '[' && j > i && p.Op(p.Next(j)) == ':' {
			j = p.Next(j) // a computed key
			continue
		}
		switch p.Op(j) {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		ends := p.Op(j+1) == ',' || p.Op(j+1) == '=' || p.Op(j+1) == '}' || p.Op(j+1) == ']'
		starts := p.Op(j-1) != '=' && p.Op(j-1) != '.'
		if w := p.Word(j); w != "" && ends && starts && depth <= maxDepth {
			out = append(out, lang.Name{Imported: "", Local: w})
		}
	}
	return out
}
