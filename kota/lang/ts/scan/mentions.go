package scan

import (
	"maps"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// Mentions lists where a file mentions a member of a name, in source order, with what the file says of
// the type that has the member. ok is false for a component file, which is not all script. It
// implements lang.Language's Mentions.
func Mentions(file string, data []byte, q lang.MentionQuery) (list []lang.Mention, ok bool) {
	if lex.OfFile(file) == lex.Component {
		return nil, false
	}
	var l lex.Lexer
	data = lang.Decode(data)
	m := &mentions{parser: &parser{Tokens: lex.Tokens{Src: data}}, q: q, types: make(map[string]lang.TypeNames), classOpen: -1, lastOpen: -1}
	m.Toks, _ = l.Lex(data, lex.HasJSX(file))
	for i := range m.Toks {
		for n := len(m.open); n > 0 && m.open[n-1].close <= i; n-- {
			m.open = m.open[:n-1]
		}
		switch {
		case m.Toks[i].Kind == lex.Word:
			m.word(i)
		case m.Pair(i, i) > i:
			b := body{op: m.Op(i), open: i, close: m.Pair(i, i)}
			if i == m.classOpen {
				b.class = m.class
			}
			for j := i + 1; b.op == '(' && m.Op(b.close+1) == lex.Arrow && j < b.close; j = m.Next(j) {
				delete(m.types, m.Word(j)) // a parameter without a type
			}
			m.open = append(m.open, b)
		}
	}
	return m.list, true
}

// body is an open bracket.
type body struct {
	op          byte
	class       string // the class or interface whose members stand in it, "" for another bracket
	open, close int
}

// mentions finds the mentions of a member in one file.
type mentions struct {
	*parser
	q       lang.MentionQuery
	types   map[string]lang.TypeNames // by variable, the latest type; a member of the class is "this.name"
	open    []body
	typeEnd int // the end of the latest type alias
	list    []lang.Mention

	class     string // the latest class or interface
	classOpen int    // the { that opens it
	last      string // the latest declared variable
	lastOpen  int    // the number of open brackets around it
}

// around returns the innermost open bracket.
func (m *mentions) around() body {
	if n := len(m.open); n > 0 {
		return m.open[n-1]
	}
	return body{}
}

// word reads the word at token i.
func (m *mentions) word(i int) {
	end := min(i+reach, len(m.Toks))
	dotted := m.Op(i-1) == '.' || m.Op(i-1) == lex.Chain
	switch w := m.Word(i); {
	case dotted:
	case w == "class" || w == "interface":
		if open := m.Body(m.Angles(i+2, end), end); open >= 0 && m.IsWord(i+1) {
			m.class, m.classOpen = m.Word(i+1), open
			maps.DeleteFunc(m.types, func(name string, _ lang.TypeNames) bool { return strings.HasPrefix(name, "this.") })
		}
	case w == "type" && m.IsWord(i+1) && !m.Toks[i+1].First:
		if n := m.Angles(i+2, end); m.Op(n) == '=' {
			m.typeEnd = m.StmtEnd(n, min(n+reach, len(m.Toks)))
		}
	case w == "as" && len(m.open) == m.lastOpen && !m.Is(i+1, "const"):
		m.types[m.last] = m.typeNames(i+1, m.anyType, false)
	default:
		m.declaration(i)
	}
	if string(m.Src[m.Toks[i].Start:m.Toks[i].End]) == m.q.Name {
		m.mention(i, dotted)
	}
}

// anyType reports whether the name of a type may stand for any type.
func (m *mentions) anyType(w string) bool { return w != m.q.Owner && isParameter(w) }

// declaration records the type of the variable or member that the word at token i declares.
func (m *mentions) declaration(i int) {
	n, in, before := i+1, m.around(), m.Op(i-1)
	for m.Op(n) == '?' || m.Op(n) == '!' {
		n++
	}
	name, modified := m.Word(i), memberModifier(m.Word(i-1))
	isVariable := m.isVariable(i - 1)
	isParameter := in.op == '(' && (before == '(' || before == ',' || before == lex.Spread || modified)
	if in.class != "" {
		name = "this." + name
	}
	switch {
	case m.Op(n) == lex.Arrow:
		delete(m.types, name)
	case m.Op(n) == ':' && (isVariable || isParameter || in.class != ""):
		m.types[name] = m.typeNames(n+1, m.anyType, false)
		if isParameter && modified { // it declares a member
			m.types["this."+name] = m.types[name]
		}
	case m.Op(n) == '=' && n == i+1:
		if t := m.value(n + 1); isVariable || len(t.Names) > 0 {
			m.types[name] = t
		}
	}
	if isVariable {
		m.last, m.lastOpen = name, len(m.open)
	}
}

// isVariable reports whether token i is the keyword of a variable.
func (m *mentions) isVariable(i int) bool {
	return m.Is(i, "const") || m.Is(i, "let") || m.Is(i, "var")
}

// mention records the word at token i if it uses a member of that name.
func (m *mentions) mention(i int, dotted bool) {
	x := lang.Mention{Line: m.Line(i), Dotted: dotted}
	if dotted {
		m.receiver(i-2, &x)
	} else if !m.isKey(i) {
		return
	} else {
		x.Type = m.holder(m.around())
	}
	m.list = append(m.list, x)
}

// holder returns the type of the object or the pattern in braces.
func (m *mentions) holder(in body) lang.TypeNames {
	before, after := m.Op(in.open-1), m.Op(in.close+1)
	switch {
	case m.Is(in.close+1, "as") || m.Is(in.close+1, "satisfies"):
		return m.cast(in.close + 1)
	case after == ':' && (before == '(' || before == ',' || m.IsWord(in.open-1)): // of a parameter or a variable
		return m.typeNames(in.close+2, m.anyType, false)
	case after == '=':
		return m.value(in.close + 2)
	case before != '=':
		return lang.TypeNames{}
	}
	for j := in.open - 2; j > 0 && in.open-j < maxType && m.Op(j) != ';' && m.Op(j) != '=' && m.Op(j) != ')'; j-- {
		if m.Op(j) == ':' {
			return m.typeNames(j+1, m.anyType, false)
		}
	}
	var x lang.Mention
	m.receiver(in.open-2, &x)
	return x.Type
}

// cast returns the type behind the "as" at token i.
func (m *mentions) cast(i int) lang.TypeNames {
	if m.Is(i+1, "const") {
		return lang.TypeNames{}
	}
	return m.typeNames(i+1, m.anyType, false)
}

// value returns the type of the value at token i when that is a new object, this, a variable or a member
// of this.
func (m *mentions) value(i int) lang.TypeNames {
	last := i
	if m.Is(i, "this") && m.Op(i+1) == '.' {
		last = i + 2
	}
	if !m.IsWord(last) || !m.ended(last+1) {
		return m.made(i, m.anyType)
	}
	var x lang.Mention
	m.receiver(last, &x)
	return x.Type
}

// isKey reports whether the word at token i is the key of an object or of a pattern.
func (m *mentions) isKey(i int) bool {
	in, first := m.around(), i
	if memberModifier(m.Word(i - 1)) { // get, set, async
		first--
	}
	before, after, outside := m.Op(first-1), m.Op(i+1), in.open-1
	// Behind anything else the braces of a method or a default value would be a block.
	opens := m.isVariable(outside) || m.Is(outside, "return") || slices.Contains([]byte{'(', ',', '=', ':', '?', '['}, m.Op(outside))
	switch {
	case m.Is(in.close+1, "from") || in.op != '{' || in.class != "" || i < m.typeEnd || before != '{' && before != ',':
		return false
	case after == '(':
		return opens || before == ','
	}
	return after == ':' || after == ',' || after == '}' || after == '=' && opens
}

// receiver sets what the expression before the dot, which ends with token r, says.
func (m *mentions) receiver(r int, x *lang.Mention) {
	if m.Op(r) == '!' {
		r--
	}
	w := m.Word(r)
	x.Receiver = w
	chained := m.Op(r-1) == '.' || m.Op(r-1) == lex.Chain
	t, known := m.types[w]
	switch {
	case m.Op(r) == ')':
		open := int(m.Toks[r].Pair)
		for j := open + 1; j < r && !m.IsWord(open-1); j = m.Next(j) { // no call
			if m.Is(j, "as") {
				x.Type = m.cast(j)
			}
		}
	case w == "this":
		for k := len(m.open) - 1; k >= 0 && len(x.Type.Names) == 0; k-- {
			if class := m.open[k].class; class != "" {
				x.Type.Names = []string{class}
			}
		}
	case m.Op(r-1) == '#' || chained && m.Is(r-2, "this"):
		x.Type = m.types["this."+w]
	case chained:
	case known:
		x.Type = t
	case w != "" && (w == m.q.Owner || isGlobal(w)):
		x.Type.Names = []string{w}
	}
}

// isGlobal reports whether a name is that of a global object.
func isGlobal(w string) bool {
	return slices.Contains([]string{"Object", "Math", "JSON", "console", "Array", "Promise", "Number", "String", "Symbol", "Reflect", "process", "globalThis", "window", "document"}, w)
}
