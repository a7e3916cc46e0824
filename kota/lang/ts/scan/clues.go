package scan

import "github.com/coctostan/pictx/kota/lang"

// literalAt returns the clue to the type of the object literal between tokens i and pair.
func (m *mentions) literalAt(i, pair int) lang.Clue {
	if m.Is(pair+1, "as") || m.Is(pair+1, "satisfies") {
		return m.typeAt(pair + 2)
	}
	return m.assignee(i)
}

// assignee returns the clue to the type of the variable to which the value at token i is
// assigned.
func (m *mentions) assignee(i int) lang.Clue {
	if m.Op(i-1) != '=' {
		return lang.Clue{}
	}
	for j := i - 2; j > 0 && i-j < maxType; j-- {
		switch {
		case m.Op(j) == ':':
			return m.typeAt(j + 1)
		case m.Op(j) == ';' || m.Op(j) == '=' || m.Op(j) == ')' || m.Toks[j].First:
			if m.Op(j+1) == ':' {
				return m.typeAt(j + 2)
			}
			return m.says[m.Word(i-2)]
		}
	}
	return lang.Clue{}
}

// owned is the clue that a value has the owner's type.
var owned = lang.Clue{Says: lang.Owned}

// typeAt returns the clue to the type that begins at token i.
func (m *mentions) typeAt(i int) lang.Clue {
	depth, says := 0, lang.Clue{}
	for j := i; j < min(i+maxType, len(m.Toks)); j = m.Next(j) {
		if m.IsWord(j) {
			if depth == 0 && j > i && !m.Is(j-1, "readonly") && m.Op(j-1) != '|' && m.Op(j-1) != '&' && m.Op(j-1) != '.' {
				break
			}
			said := m.named(j)
			if said == lang.Owned && depth > 0 || m.Op(j+1) == '[' {
				return lang.Clue{} // a container of owners
			}
			says = with(says, said, m.Word(j), depth)
			continue
		}
		switch m.Op(j) {
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

// with adds the name of a type to a clue. At a depth above 0 it is a type argument.
func with(says lang.Clue, said lang.Owner, name string, depth int) lang.Clue {
	switch {
	case said == lang.Unsaid || says.Says == lang.Owned:
	case depth > 0:
		says.Named.Inner = append(says.Named.Inner, name)
	case said == lang.Owned:
		return owned
	default:
		says.Says = lang.Disowned
		says.Named.Names = append(says.Named.Names, name)
	}
	return says
}

// named reports what a type's name, at token j, says about the owner.
func (m *mentions) named(j int) lang.Owner {
	switch w := m.Word(j); {
	case m.Op(j+1) == '.': // a namespace, whose types are others than the type of its name
		return lang.Unsaid
	case m.q.Types[w]:
		return lang.Owned
	case len(w) < 3 || w == "any" || w == "unknown" || w == "undefined" || w == "null" || w == "readonly":
		return lang.Unsaid
	}
	return lang.Disowned
}

// valueAt returns the clue to the type of the value that begins at token i: a new object, this, or what a
// variable or a member of this has.
func (m *mentions) valueAt(i int) lang.Clue {
	var says lang.Clue
	for m.Is(i, "await") || m.Op(i) == '(' && m.Is(i+1, "await") {
		i++
	}
	switch w := m.Word(i); {
	case w == "new":
		for m.Op(i+2) == '.' {
			i += 2
		}
		says = with(says, m.named(i+1), m.Word(i+1), 0)
		if i = m.Angles(i+2, min(i+reach, len(m.Toks))); m.Op(i) == '(' {
			i = m.Next(i)
		}
	case w == "this" && m.Op(i+1) != '.':
		says, i = m.self(), i+1
	case w == "this":
		if i += 2; m.Op(i) == '#' {
			i++
		}
		says, i = m.says["this."+m.Word(i)], i+1
	case w != "":
		says, i = m.says[w], i+1
	}
	if m.Op(i) == '!' {
		i++
	}
	if op := m.Op(i); i < len(m.Toks) && op != ';' && op != ')' && op != ',' && op != '}' && !m.Breaks(i, len(m.Toks)) {
		return lang.Clue{}
	}
	return says
}

// self returns the clue to the type of "this".
func (m *mentions) self() lang.Clue {
	for k := len(m.open) - 1; k >= 0; k-- {
		if m.open[k].class {
			return m.open[k].of
		}
	}
	return lang.Clue{}
}

// inside returns the clue to the type of the expression between two parentheses.
func (m *mentions) inside(open, pair int) lang.Clue {
	as := 0
	for j := open + 1; open >= 0 && j < pair; j = m.Next(j) {
		if m.Is(j, "as") || m.Is(j, "satisfies") {
			as = j
		}
	}
	if as > open+1 {
		return m.typeAt(as + 1)
	}
	return m.valueAt(open + 1)
}
