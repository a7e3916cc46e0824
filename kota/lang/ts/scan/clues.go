package scan

import "github.com/coctostan/pictx/kota/lang"

// literalAt says what the object that token i opens is.
func (m *mentions) literalAt(i, pair int) lang.Clue {
	if m.is(pair+1, "as") || m.is(pair+1, "satisfies") {
		return m.typeAt(pair + 2)
	}
	parent := m.top()
	switch {
	case m.is(i-1, "return"):
		for k := len(m.open) - 1; k >= 0; k-- {
			if g := m.open[k].gives; g.Says != lang.Unsaid {
				return g
			}
		}
	case m.op(i-1) == '(' && m.op(i-2) == opArrow:
		return m.result(i - 1)
	case parent.place == inOther && parent.call != "" && (m.op(i-1) == '(' || m.op(i-1) == ','):
		return clue(lang.Passed, parent.call)
	case parent.place == inOther && (m.op(i-1) == '[' || m.op(i-1) == ','):
		return parent.of // an element of a list
	case parent.place == inObject && m.op(i-1) == ':' && m.isWord(i-2):
		return clue(lang.Held, m.word(i-2))
	}
	return m.assignee(i)
}

// assignee says what is assigned behind the = before token i.
func (m *mentions) assignee(i int) lang.Clue {
	if m.op(i-1) != '=' {
		return lang.Clue{}
	}
	for j := i - 2; j > 0 && i-j < maxType; j-- {
		switch {
		case m.op(j) == ':':
			return m.holds(j+1, i-1)
		case m.op(j) == ';' || m.op(j) == '=' || m.op(j) == ')' || m.toks[j].first:
			if m.op(j+1) == ':' {
				return m.holds(j+2, i-1)
			}
			return m.says[m.word(i-2)]
		}
	}
	return lang.Clue{}
}

// holds says whether the type between two tokens is, or is made of, the owner.
func (m *mentions) holds(from, to int) lang.Clue {
	for j := from; j < to; j++ {
		if m.q.Types[m.word(j)] {
			return owned
		}
	}
	return m.typeAt(from)
}

// result says what the function returns whose body token i opens.
func (m *mentions) result(i int) lang.Clue {
	j := i - 1
	if m.op(j) == opArrow {
		j--
	}
	for k := j; k > 0 && j-k < maxType; k-- {
		switch {
		case m.op(k) == ':' && m.op(k-1) == ')':
			return m.holds(k+1, j+1)
		case m.op(k) == ')' || m.op(k) == ';' || m.op(k) == '}' || m.op(k) == '=':
			return lang.Clue{}
		}
	}
	return lang.Clue{}
}

// owned is what is said of the owner itself.
var owned = lang.Clue{Says: lang.Owned}

// clue says that something comes from a function or a property of this name.
func clue(from lang.Origin, name string) lang.Clue {
	return lang.Clue{Origin: from, Named: lang.TypeNames{Names: []string{name}}}
}

// typeAt says what the type is that begins at token i.
func (m *mentions) typeAt(i int) lang.Clue {
	depth, says := 0, lang.Clue{}
	for j := i; j < min(i+maxType, len(m.toks)); j = m.next(j) {
		if m.isWord(j) {
			if depth == 0 && j > i && !m.is(j-1, "readonly") && m.op(j-1) != '|' && m.op(j-1) != '&' && m.op(j-1) != '.' {
				break
			}
			said := m.named(j)
			if said == lang.Owned && depth > 0 || m.op(j+1) == '[' {
				return lang.Clue{} // a list of them, or something else that holds them
			}
			says = with(says, said, m.word(j), depth)
			continue
		}
		switch m.op(j) {
		case '<':
			depth++
		case '>':
			depth--
		case '|', '&', '.', '?':
		case ',':
			if depth <= 0 {
				return says
			}
		default:
			return says
		}
	}
	return says
}

// with adds the name of a type to what is said, which is an argument of another type
// below that.
func with(says lang.Clue, said lang.Owner, name string, depth int) lang.Clue {
	switch {
	case said == lang.Unsaid || says.Says == lang.Owned:
	case depth > 0:
		says.Named.Inner = append(says.Named.Inner, name)
	case said == lang.Owned:
		return owned
	default:
		says.Says, says.Origin = lang.Disowned, lang.Declared
		says.Named.Names = append(says.Named.Names, name)
	}
	return says
}

// named says what the type is that token j names.
func (m *mentions) named(j int) lang.Owner {
	switch w := m.word(j); {
	case m.q.Types[w]:
		return lang.Owned
	case len(w) < 3 || w == "any" || w == "unknown" || w == "undefined" || w == "null" || w == "readonly" || m.op(j+1) == '.':
		return lang.Unsaid
	}
	return lang.Disowned
}

// valueAt says what the value is that begins at token i.
func (m *mentions) valueAt(i int) lang.Clue {
	for m.is(i, "await") || m.op(i) == '(' && m.is(i+1, "await") {
		i++
	}
	switch w := m.word(i); {
	case w == "new":
		for m.op(i+2) == '.' {
			i += 2
		}
		if behind := m.next(m.angles(i+2, min(i+reach, len(m.toks)))); m.op(behind) == '.' || m.op(behind) == opChain {
			return m.chain(behind, lang.Clue{})
		}
		return with(lang.Clue{}, m.named(i+1), m.word(i+1), 0)
	case w == "this" && m.op(i+1) != '.':
		return m.self()
	case w == "this" && m.op(i+3) != '(':
		if says, ok := m.says["this."+m.word(i+2)]; ok {
			return m.chain(i+3, says)
		}
		return m.chain(i+1, lang.Clue{})
	case w == "":
		return lang.Clue{}
	case m.op(i+1) == '(':
		return m.chain(m.next(i+1), m.returned(w))
	case m.op(i+1) == '<':
		if open := m.angles(i+1, min(i+reach, len(m.toks))); m.op(open) == '(' {
			return m.chain(m.next(open), m.returned(w))
		}
		return lang.Clue{}
	}
	return m.chain(i+1, m.says[m.word(i)])
}

// returned says what a function of this name returns.
func (m *mentions) returned(name string) lang.Clue {
	if m.q.Makers[name] {
		return owned
	}
	return clue(lang.Returned, name)
}

// chain says what the value is that goes on at token i, where what stands before that is
// known.
func (m *mentions) chain(i int, says lang.Clue) lang.Clue {
	for end := min(i+reach, len(m.toks)); i < end; {
		switch op := m.op(i); {
		case op == '!':
			i++
		case (op == '.' || op == opChain) && m.op(i+1) == '#':
			i++
			says = m.says["this."+m.word(i+1)]
			if i += 2; m.op(i) == '(' {
				says, i = m.returned(m.word(i-1)), m.next(i)
			}
		case (op == '.' || op == opChain) && m.isWord(i+1):
			open := m.angles(i+2, end)
			if m.op(open) == '(' && !m.toks[open].first {
				says, i = m.returned(m.word(i+1)), m.next(open)
			} else {
				says, i = clue(lang.Held, m.word(i+1)), i+2
			}
		case op == ';' || op == ')' || op == ',' || op == '}' || m.breaks(i, len(m.toks)):
			return says
		default:
			return lang.Clue{}
		}
	}
	return says
}

// self says what "this" is.
func (m *mentions) self() lang.Clue {
	for k := len(m.open) - 1; k >= 0; k-- {
		if m.open[k].class {
			return m.open[k].of
		}
	}
	return lang.Clue{}
}
