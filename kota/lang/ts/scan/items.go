package scan

import (
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// items follows the name of a list where the clue to the type of its elements is stored.
const items = "[]"

// lists finds the types of the elements of lists.
type lists struct{ *mentions }

// variable records the clue to the type of the variable at token i, when it is the parameter of an arrow
// function or stands for each element of a list. It reports whether it is. Token n follows its name.
func (m lists) variable(i, n int, declared bool) bool {
	switch {
	case m.Op(n) == lex.Arrow:
		m.record(m.Word(i), m.given(i))
	case declared && m.Is(n, "of"):
		m.record(m.Word(i), m.itemOf(m.top().close-1))
	default:
		return false
	}
	return true
}

// itemsAt returns the clue to the type of the elements of a list whose type begins at token i.
func (m lists) itemsAt(i int) lang.Clue {
	for m.Is(i, "readonly") || m.Op(i) == '.' || m.Op(i+1) == '.' {
		i++
	}
	switch {
	case m.IsWord(i) && m.Op(i+1) == '[' && m.Op(i+2) == ']':
		return with(lang.Clue{}, m.named(i), m.Word(i), 0)
	case !isList(m.Word(i)) || m.Op(i+1) != '<':
		return lang.Clue{}
	}
	end, last := m.Angles(i+1, min(i+maxType, len(m.Toks)))-1, i+2
	for j, depth := last, 0; j < end; j = m.Next(j) {
		switch m.Op(j) {
		case '<':
			depth++
		case '>':
			depth--
		case ',':
			if depth == 0 {
				last = j + 1 // the values of a map
			}
		}
	}
	return m.typeAt(last)
}

// isList reports whether the last type argument of a generic type is what it holds many of.
func isList(name string) bool {
	switch name {
	case "Array", "ReadonlyArray", "Set", "ReadonlySet", "Map", "ReadonlyMap", "Record", "Iterable", "AsyncIterable", "Iterator", "Generator", "AsyncGenerator":
		return true
	}
	return false
}

// itemOf returns the clue to the type of the elements of the list that ends with token r.
func (m lists) itemOf(r int) lang.Clue {
	for range maxType { // each step leads to a list with the same elements
		if m.Op(r) == '!' {
			r--
		}
		if m.Op(r) != ')' {
			break
		}
		open := int(m.Toks[r].Pair)
		switch name, of := m.called(open), m.Word(open-3); {
		case (of == "Object" && name == "values" || of == "Array" && name == "from") && m.Op(open-2) == '.':
			r--
		case m.Op(open-2) != '.' && m.Op(open-2) != lex.Chain || !keepsItems(name):
			if name == "" {
				return lang.Clue{}
			}
			return item(m.returned(name))
		default:
			r = open - 3
		}
	}
	name := m.Word(r)
	chained := m.Op(r-1) == '.' || m.Op(r-1) == lex.Chain
	if chained && !m.Is(r-2, "this") {
		return item(clue(lang.Held, name))
	}
	if chained {
		name = "this." + name
	}
	if says, ok := m.says[name+items]; ok {
		return says
	}
	if says, ok := m.says[name]; ok || !chained {
		return item(says)
	}
	return item(clue(lang.Held, m.Word(r)))
}

// keepsItems reports whether a method of lists returns a list of the same elements.
func keepsItems(name string) bool {
	switch name {
	case "filter", "slice", "sort", "toSorted", "reverse", "toReversed", "concat", "values":
		return true
	}
	return false
}

// item returns the clue to the type of an element of the value that a clue describes.
func item(list lang.Clue) lang.Clue {
	if list.Origin != lang.Returned && list.Origin != lang.Held || list.Item {
		return lang.Clue{}
	}
	list.Item = true
	return list
}

// given returns the clue to the type of the first parameter of the function that begins at
// token i, when it is given the elements of a list, one by one.
func (m lists) given(i int) lang.Clue {
	if m.Is(i-1, "async") {
		i--
	}
	if m.Op(i-1) != '(' || m.Op(i-3) != '.' && m.Op(i-3) != lex.Chain {
		return lang.Clue{}
	}
	switch m.Word(i - 2) {
	case "map", "forEach", "filter", "find", "findIndex", "findLast", "some", "every", "flatMap", "sort", "toSorted":
		return m.itemOf(i - 4)
	}
	return lang.Clue{}
}

// record stores the clue to the type of a variable that stands for the elements of a list.
func (m lists) record(name string, says lang.Clue) {
	if says.Says != lang.Unsaid || says.Origin != lang.Nowhere {
		m.says[name] = says
	}
}

// inside returns the clue to the type of the expression between two parentheses.
func (m *mentions) inside(open, pair int) lang.Clue {
	as := 0
	for j := open + 1; open >= 0 && j < pair; j = m.Next(j) {
		if m.Is(j, "as") || m.Is(j, "satisfies") {
			as = j
		}
	}
	switch {
	case as > open+1 && m.Op(as+1) == '{': // an object type, which has no name
		return lang.Clue{Origin: lang.Literal}
	case as > open+1:
		return m.typeAt(as + 1)
	}
	return m.valueAt(open + 1)
}

// castAt returns the type to which the expression is cast that ends before token i.
func (m *mentions) castAt(i int) lang.TypeNames {
	for m.Is(i, "as") && m.Is(i+1, "unknown") {
		i += 2
	}
	if m.Is(i, "as") {
		return m.typeAt(i + 1).Named
	}
	return lang.TypeNames{}
}
