package scan

import "github.com/coctostan/pictx/kota/lang"

// members reads the members of a class or an interface between tokens i and end.
func (p *parser) members(i, end int, in string) {
	for i < end {
		switch p.op(i) {
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
	for p.isWord(j) && j+1 < end && memberModifier(p.word(j)) && p.namesMember(j+1) && !p.toks[j+1].First {
		j++
	}
	if p.op(j) == '*' {
		j++
	}
	if p.is(j, "static") && p.op(j+1) == '{' {
		return min(p.pair(j+1, end-1)+1, end)
	}
	if p.op(j) == '<' { // a call signature with type parameters
		return p.method(i, j, end, "", in)
	}
	name := p.memberName(j)
	n := p.next(j)
	for n < end && (p.op(n) == '?' || p.op(n) == '!') {
		n++
	}
	if n < end && (p.op(n) == '(' || p.op(n) == '<') {
		return p.method(i, n, end, name, in)
	}
	last := p.memberEnd(n, end)
	if name != "" {
		p.out.Decls = append(p.out.Decls, lang.Decl{Name: name, In: in, Class: lang.Property, Line: p.line(i), End: p.lastLine(max(p.trim(last-1), j))})
	}
	return last
}

// memberName returns the member name at token i, "" when it is computed.
func (p *parser) memberName(i int) string {
	if lit, ok := p.literal(i); ok {
		return lit
	}
	if p.member != nil && p.isWord(i) {
		p.member(i)
	}
	return p.word(i)
}

// method reads a method that begins at token i and whose parameters begin at token n.
func (p *parser) method(i, n, end int, name, in string) int {
	n = p.angles(n, end)
	if p.op(n) == '(' {
		n = p.next(n)
	}
	last := n
	if open := p.methodBody(n, end); open >= 0 {
		last = min(p.pair(open, end-1)+1, end)
	} else {
		last = p.memberEnd(n, end)
	}
	if name != "" {
		p.out.Decls = append(p.out.Decls, lang.Decl{Name: name, In: in, Class: lang.Method, Line: p.line(i), End: p.lastLine(p.trim(last - 1))})
	}
	return last
}

// methodBody returns the { of a method's body, -1 when the method is only a signature.
func (p *parser) methodBody(i, end int) int {
	if p.breaks(i, end) && p.op(i) != '{' {
		return -1
	}
	for j := i; j < end; {
		switch p.op(j) {
		case '{':
			if p.endsType(j - 1) {
				return j
			}
		case ';', ',':
			return -1
		}
		n := p.next(j)
		if n < end && p.toks[n].First && p.op(n) != '{' && p.ender(n-1) && (!p.goesOn(n) || p.op(n) == '[' || p.op(n) == '*') {
			return -1
		}
		j = n
	}
	return -1
}

// memberEnd returns the index after the type and value of a property.
func (p *parser) memberEnd(i, end int) int {
	if p.breaks(i, end) {
		return i
	}
	depth := 0
	for j := i; j < end; {
		switch p.op(j) {
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
		n := p.next(j)
		if n < end && p.toks[n].First && p.ender(n-1) && (!p.goesOn(n) || p.op(n) == '[' || p.op(n) == '*') {
			return n
		}
		j = n
	}
	return end
}

// trim returns the index of the last token of a member, without the separator at token i.
func (p *parser) trim(i int) int {
	if i > 0 && (p.op(i) == ';' || p.op(i) == ',') {
		return i - 1
	}
	return i
}

// namesMember reports whether token i can be the name of a member, which makes the word before it
// a modifier.
func (p *parser) namesMember(i int) bool {
	if _, ok := p.literal(i); ok {
		return true
	}
	return p.isWord(i) || p.op(i) == '[' || p.op(i) == '*' || p.is(i-1, "static") && p.op(i) == '{'
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
			p.out.Decls = append(p.out.Decls, lang.Decl{Name: name, In: in, Class: lang.EnumMember, Line: p.line(i), End: p.line(i)})
		}
		for i < end && p.op(i) != ',' {
			i = p.next(i)
		}
		i++
	}
}
