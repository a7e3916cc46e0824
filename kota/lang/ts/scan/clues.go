package scan

import (
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// literalAt returns the clue to the type of the object literal between tokens i and pair.
func (m *mentions) literalAt(i, pair int) lang.Clue {
	if m.Is(pair+1, "as") || m.Is(pair+1, "satisfies") {
		return m.typeAt(pair + 2)
	}
	parent := m.top()
	switch {
	case m.Is(i-1, "return"):
		for k := len(m.open) - 1; k >= 0; k-- {
			if g := m.open[k].gives; g.Says != lang.Unsaid || m.open[k].runs {
				return g
			}
		}
	case m.Op(i-1) == '(' && m.Op(i-2) == lex.Arrow:
		return m.result(i - 1)
	case parent.place == inOther && (m.Op(i-1) == '[' || m.Op(i-1) == ','):
		return parent.of // an element of a list
	case parent.place == inObject && m.Op(i-1) == ':' && m.IsWord(i-2):
		return clue(lang.Held, m.Word(i-2))
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
			return m.holds(j+1, i-1)
		case m.Op(j) == ';' || m.Op(j) == '=' || m.Op(j) == ')' || m.Toks[j].First:
			if m.Op(j+1) == ':' {
				return m.holds(j+2, i-1)
			}
			return m.says[m.Word(i-2)]
		}
	}
	return lang.Clue{}
}

// holds returns the clue to the type between two tokens. It is the owner's also when the owner is
// only an argument of that type, as in "Map<string, Owner>".
func (m *mentions) holds(from, to int) lang.Clue {
	for j := from; j < to; j++ {
		if m.named(j) == lang.Owned {
			return owned
		}
	}
	return m.typeAt(from)
}

// result returns the clue to the result type of the function whose body token i opens.
func (m *mentions) result(i int) lang.Clue {
	j := i - 1
	if m.Op(j) == lex.Arrow {
		j--
	}
	for k := j; k > 0 && j-k < maxType; k-- {
		switch {
		case m.Op(k) == ':' && m.Op(k-1) == ')':
			return m.holds(k+1, j+1)
		case m.Op(k) == ')' || m.Op(k) == ';' || m.Op(k) == '}' || m.Op(k) == '=':
			return lang.Clue{}
		}
	}
	return lang.Clue{}
}

// owned is the clue that a value has the owner's type.
var owned = lang.Clue{Says: lang.Owned}

// clue returns the clue that a value comes from a function or a property of this name.
func clue(from lang.Origin, name string) lang.Clue {
	return lang.Clue{Origin: from, Named: lang.TypeNames{Names: []string{name}}}
}

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
		says.Says, says.Origin = lang.Disowned, lang.Declared
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

// valueAt returns the clue to the type of the value that begins at token i.
func (m *mentions) valueAt(i int) lang.Clue {
	for m.Is(i, "await") || m.Op(i) == '(' && m.Is(i+1, "await") {
		i++
	}
	switch w := m.Word(i); {
	case w == "new":
		for m.Op(i+2) == '.' {
			i += 2
		}
		if behind := m.Next(m.Angles(i+2, min(i+reach, len(m.Toks)))); m.Op(behind) == '.' || m.Op(behind) == lex.Chain {
			return m.chain(behind, lang.Clue{})
		}
		return with(lang.Clue{}, m.named(i+1), m.Word(i+1), 0)
	case w == "this" && m.Op(i+1) != '.':
		return m.self()
	case w == "this" && m.Op(i+3) != '(':
		if says, ok := m.says["this."+m.Word(i+2)]; ok {
			return m.chain(i+3, says)
		}
		return m.chain(i+1, lang.Clue{})
	case w == "":
		return lang.Clue{}
	case m.Op(i+1) == '(':
		return m.chain(m.Next(i+1), clue(lang.Returned, w))
	case m.Op(i+1) == '<':
		if open := m.Angles(i+1, min(i+reach, len(m.Toks))); m.Op(open) == '(' {
			return m.chain(m.Next(open), clue(lang.Returned, w))
		}
		return lang.Clue{}
	}
	return m.chain(i+1, m.says[m.Word(i)])
}

// chain returns the clue to the type of a chain such as "a.b().c". says is the clue to its start,
// which ends before token i.
func (m *mentions) chain(i int, says lang.Clue) lang.Clue {
	for end := min(i+reach, len(m.Toks)); i < end; {
		switch op := m.Op(i); {
		case op == '!':
			i++
		case (op == '.' || op == lex.Chain) && m.Op(i+1) == '#':
			i++
			says = m.says["this."+m.Word(i+1)]
			if i += 2; m.Op(i) == '(' {
				says, i = clue(lang.Returned, m.Word(i-1)), m.Next(i)
			}
		case (op == '.' || op == lex.Chain) && m.IsWord(i+1):
			open := m.Angles(i+2, end)
			if m.Op(open) == '(' && !m.Toks[open].First {
				says, i = clue(lang.Returned, m.Word(i+1)), m.Next(open)
			} else {
				says, i = clue(lang.Held, m.Word(i+1)), i+2
			}
		case op == ';' || op == ')' || op == ',' || op == '}' || m.Breaks(i, len(m.Toks)):
			return says
		default:
			return lang.Clue{}
		}
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
