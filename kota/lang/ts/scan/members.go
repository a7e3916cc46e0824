package scan

import "github.com/coctostan/pictx/kota/lang"

// members reads the members of a class or an interface between tokens i and end.
func (p *parser) members(i, end int, in string) {
	for i < end {
		switch p.Op(i) {
		case ';', ',', '}':
			i++
			continue
		case '@':
			i = p.decorator(i, end)
			continue
		}
		i = max(p.oneMember(i, end, in), i+1)
	}
}

// oneMember reads one member and returns the index after it.
func (p *parser) oneMember(i, end int, in string) int {
	j := i
	for p.IsWord(j) && j+1 < end && memberModifier(p.Word(j)) && p.namesMember(j+1) && !p.Toks[j+1].First {
		j++
	}
	if p.Op(j) == '*' {
		j++
	}
	if p.Is(j, "static") && p.Op(j+1) == '{' {
		return min(p.Pair(j+1, end-1)+1, end)
	}
	if p.Op(j) == '<' { // a call signature with type parameters
		return p.method(i, j, end, "", in)
	}
	name := p.memberName(j)
	n := p.Next(j)
	for n < end && (p.Op(n) == '?' || p.Op(n) == '!') {
		n++
	}
	if n < end && (p.Op(n) == '(' || p.Op(n) == '<') {
		return p.method(i, n, end, name, in)
	}
	last := p.memberEnd(n, end)
	for k := i; k < j && name != ""; k++ {
		if p.Is(k, "static") {
			p.initial(j, last, in)
		}
	}
	if name != "" {
		p.out.Decls = append(p.out.Decls, lang.Decl{Name: name, In: in, Class: lang.Property, Line: p.Line(i), End: p.LastLine(max(p.trim(last-1), j))})
	}
	return last
}

// memberName returns the member name at token i, "" when it is computed.
func (p *parser) memberName(i int) string {
	if lit, ok := p.Literal(i); ok {
		return lit
	}
	return p.Word(i)
}

// method reads a method that begins at token i and whose parameters begin at token n.
func (p *parser) method(i, n, end int, name, in string) int {
	n = p.Angles(n, end)
	if p.Op(n) == '(' {
		n = p.Next(n)
	}
	last := n
	if open := p.methodBody(n, end); open >= 0 {
		last = min(p.Pair(open, end-1)+1, end)
	} else {
		last = p.memberEnd(n, end)
	}
	if name != "" {
		p.out.Decls = append(p.out.Decls, lang.Decl{Name: name, In: in, Class: lang.Method, Line: p.Line(i), End: p.LastLine(p.trim(last - 1))})
	}
	return last
}

// methodBody returns the { of a method's body, -1 when the method is only a signature.
func (p *parser) methodBody(i, end int) int {
	if p.Breaks(i, end) && p.Op(i) != '{' {
		return -1
	}
	for j := i; j < end; {
		switch p.Op(j) {
		case '{':
			if p.EndsType(j - 1) {
				return j
			}
		case ';', ',':
			return -1
		}
		n := p.Next(j)
		if n < end && p.Toks[n].First && p.Op(n) != '{' && p.Ender(n-1) && (!p.GoesOn(n) || p.Op(n) == '[' || p.Op(n) == '*') {
			return -1
		}
		j = n
	}
	return -1
}

// memberEnd returns the index after the type and value of a property.
func (p *parser) memberEnd(i, end int) int {
	if p.Breaks(i, end) {
		return i
	}
	depth := 0
	for j := i; j < end; {
		switch p.Op(j) {
		case ';':
			return j + 1
		case '<':
			depth++
		case '>':
			depth--
		case ',':
			if depth <= 0 {
				return j + 1
			}
		}
		n := p.Next(j)
		if n < end && p.Toks[n].First && p.Ender(n-1) && (!p.GoesOn(n) || p.Op(n) == '[' || p.Op(n) == '*') {
			return n
		}
		j = n
	}
	return end
}

// trim returns the index of the last token of a member, without the separator at token i.
func (p *parser) trim(i int) int {
	if i > 0 && (p.Op(i) == ';' || p.Op(i) == ',') {
		return i - 1
	}
	return i
}

// namesMember reports whether token i can be the name of a member, which makes the word before it
// a modifier.
func (p *parser) namesMember(i int) bool {
	if _, ok := p.Literal(i); ok {
		return true
	}
	return p.IsWord(i) || p.Op(i) == '[' || p.Op(i) == '*' || p.Is(i-1, "static") && p.Op(i) == '{'
}

func memberModifier(w string) bool {
	switch w {
	case "public", "private", "protected", "static", "readonly", "abstract", "override", "async", "get", "set", "accessor", "declare":
		return true
	}
	return false
}

// enumMembers reads the members of an enum.
func (p *parser) enumMembers(i, end int, in string) {
	for i < end {
		name := p.memberName(i)
		if name != "" {
			p.out.Decls = append(p.out.Decls, lang.Decl{Name: name, In: in, Class: lang.EnumMember, Line: p.Line(i), End: p.Line(i)})
		}
		for i < end && p.Op(i) != ',' {
			i = p.Next(i)
		}
		i++
	}
}
