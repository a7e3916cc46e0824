package scan

import (
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/ext"
)

// maxType is how many tokens of a type are read to find out what it is.
const maxType = 64

// Mentions lists where a file has a name as that of a member, in the order of the source,
// with what it says of the owner. ok is false for a file that is not all script. It
// implements lang.Language's Mentions.
func Mentions(file string, data []byte, q lang.MentionQuery) (list []lang.Mention, ok bool) {
	if ext.OfFile(file) == ext.Component {
		return nil, false
	}
	var l lexer
	data = lang.Decode(data)
	m := &mentions{parser: &parser{src: data, out: &lang.Facts{}}, q: q, says: make(map[string]lang.Owner), bodies: make(map[int]body)}
	m.toks = l.lex(data, ext.HasJSX(file))
	for i := range m.toks {
		if m.toks[i].kind == word {
			m.seeWord(i)
		} else {
			m.seeBracket(i)
		}
	}
	return m.list, true
}

// place is what stands in a bracket.
type place byte

const (
	inOther       place = iota
	inBlock             // statements
	inObject            // the members of a value
	inPattern           // what is taken from a value
	inDeclaration       // the declarations of members
)

// body is a bracket with what it is about.
type body struct {
	place place
	of    lang.Owner // whose members stand in it
	gives lang.Owner // of a block: what a function returns
	class bool
	close int
}

// mentions finds members of a name in one file.
type mentions struct {
	*parser
	q       lang.MentionQuery
	says    map[string]lang.Owner // by variable, what was said last
	bodies  map[int]body          // by the bracket that opens them
	open    []body
	typeEnd int    // where the alias of a type ends that was declared last
	last    string // the variable that was declared last
	list    []lang.Mention
}

// top is what token i stands in.
func (m *mentions) top() body {
	if n := len(m.open); n > 0 {
		return m.open[n-1]
	}
	return body{place: inBlock}
}

// seeBracket follows the brackets.
func (m *mentions) seeBracket(i int) {
	for n := len(m.open); n > 0 && m.open[n-1].close <= i; n-- {
		m.open = m.open[:n-1]
	}
	pair := int(m.toks[i].pair)
	if pair <= i {
		return
	}
	b, known := m.bodies[i]
	switch {
	case known:
	case m.op(i) == '{':
		b = m.brace(i, pair)
	case m.op(i) == '[':
		b.of = m.assignee(i)
	case m.op(i) == '(' && m.op(pair+1) == opArrow:
		for j := i + 1; j < pair; j = m.next(j) {
			if m.isWord(j) && (m.op(j+1) == ',' || j+1 == pair) {
				delete(m.says, m.word(j))
			}
		}
	}
	b.close = pair
	m.open = append(m.open, b)
}

// brace says what stands in the braces that token i opens.
func (m *mentions) brace(i, pair int) body {
	before, parent := m.op(i-1), m.top()
	switch {
	case m.op(pair+1) == '=':
		return body{place: inPattern, of: m.valueAt(pair + 2)}
	case (before == '(' || before == ',') && m.op(pair+1) == ':':
		return body{place: inPattern, of: m.typeAt(pair + 2)}
	case m.inType(i, parent):
		return body{place: inDeclaration}
	case before == ')' || before == opArrow || before == ';' || before == '{' || before == '}' || i == 0:
		return body{place: inBlock, gives: m.result(i)}
	case before == 0 && m.isWord(i-1) && !m.is(i-1, "return") && !m.is(i-1, "default"), before == '>', before == ']':
		return body{place: inBlock, gives: m.result(i)}
	}
	return body{place: inObject, of: m.literalAt(i, pair)}
}

// inType reports whether the braces that token i opens, in something else, are a type.
func (m *mentions) inType(i int, parent body) bool {
	if i < m.typeEnd {
		return true
	}
	switch m.op(i - 1) {
	case '|', '&', '<':
		return true
	case ',':
		return parent.place == inBlock || parent.place == inDeclaration
	case ':':
		isVariable := m.is(i-3, "const") || m.is(i-3, "let") || m.is(i-3, "var")
		isChoice := m.isWord(i-2) && m.op(i-3) == '?' || !m.isWord(i-2) && m.op(i-2) != '?' && m.op(i-2) != '}' && m.op(i-2) != ']'
		return parent.place == inDeclaration || parent.place == inOther && !isChoice || parent.place == inBlock && isVariable
	}
	return false
}

// literalAt says what the object that token i opens is.
func (m *mentions) literalAt(i, pair int) lang.Owner {
	if m.is(pair+1, "as") || m.is(pair+1, "satisfies") {
		return m.typeAt(pair + 2)
	}
	parent := m.top()
	switch {
	case m.is(i-1, "return"):
		for k := len(m.open) - 1; k >= 0; k-- {
			if m.open[k].gives != lang.Unsaid {
				return m.open[k].gives
			}
		}
	case m.op(i-1) == '(' && m.op(i-2) == opArrow:
		return m.result(i - 1)
	case parent.place == inOther && (m.op(i-1) == '[' || m.op(i-1) == ','):
		return parent.of // an element of a list
	}
	return m.assignee(i)
}

// assignee says what is assigned behind the = before token i.
func (m *mentions) assignee(i int) lang.Owner {
	if m.op(i-1) != '=' {
		return lang.Unsaid
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
	return lang.Unsaid
}

// holds says whether the type between two tokens is, or is made of, the owner.
func (m *mentions) holds(from, to int) lang.Owner {
	for j := from; j < to; j++ {
		if m.q.Types[m.word(j)] {
			return lang.Owned
		}
	}
	return m.typeAt(from)
}

// result says what the function returns whose body token i opens.
func (m *mentions) result(i int) lang.Owner {
	j := i - 1
	if m.op(j) == opArrow {
		j--
	}
	for k := j; k > 0 && j-k < maxType; k-- {
		switch {
		case m.op(k) == ':' && m.op(k-1) == ')':
			return m.holds(k+1, j+1)
		case m.op(k) == ')' || m.op(k) == ';' || m.op(k) == '}' || m.op(k) == '=':
			return lang.Unsaid
		}
	}
	return lang.Unsaid
}

// typeAt says what the type is that begins at token i.
func (m *mentions) typeAt(i int) lang.Owner {
	depth, says := 0, lang.Unsaid
	for j := i; j < min(i+maxType, len(m.toks)); j = m.next(j) {
		if m.isWord(j) {
			if depth == 0 && j > i && !m.is(j-1, "readonly") && m.op(j-1) != '|' && m.op(j-1) != '&' && m.op(j-1) != '.' {
				break
			}
			if said := m.named(j); said == lang.Owned && depth > 0 || m.op(j+1) == '[' {
				return lang.Unsaid // a list of them, or something else that holds them
			} else if depth == 0 && said != lang.Unsaid && says != lang.Owned {
				says = said
			}
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
		case '(', '{', '[':
			return says
		default:
			return says
		}
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
func (m *mentions) valueAt(i int) lang.Owner {
	for m.is(i, "await") {
		i++
	}
	switch w := m.word(i); {
	case w == "new":
		for m.op(i+2) == '.' {
			i += 2
		}
		return m.named(i + 1)
	case w == "this" && m.op(i+1) != '.':
		return m.self()
	case w == "":
		return lang.Unsaid
	case m.op(i+1) == '(' && m.op(m.next(i+1)) != '.':
		if m.q.Makers[w] {
			return lang.Owned
		}
	case m.op(i+1) == '.' && m.op(i+3) == '(':
		if m.q.Makers[m.word(i+2)] && m.op(m.next(i+3)) != '.' {
			return lang.Owned
		}
	case m.op(i+1) == ';' || m.op(i+1) == ')' || i+1 == len(m.toks) || m.breaks(i+1, len(m.toks)):
		return m.says[w]
	}
	return lang.Unsaid
}

// self says what "this" is.
func (m *mentions) self() lang.Owner {
	for k := len(m.open) - 1; k >= 0; k-- {
		if m.open[k].class {
			return m.open[k].of
		}
	}
	return lang.Unsaid
}

// seeWord follows what is said of variables, and notes the mentions.
func (m *mentions) seeWord(i int) {
	if before := m.op(i - 1); before != '.' && before != opChain && !m.keyword(i) {
		m.declaration(i)
	}
	if string(m.src[m.toks[i].start:m.toks[i].end]) == m.q.Name {
		m.mention(i)
	}
}

// keyword notes what follows the word at token i, if that begins the declaration of a
// type or ends a value.
func (m *mentions) keyword(i int) bool {
	end := min(i+reach, len(m.toks))
	switch m.word(i) {
	case "class", "interface":
		m.classAt(i)
	case "enum":
		m.bodies[m.body(i+2, end)] = body{place: inDeclaration}
	case "type":
		if !m.isWord(i+1) || m.toks[i+1].first {
			return false
		}
		if n := m.angles(i+2, end); m.op(n) == '=' {
			m.typeEnd = m.stmtEnd(n, min(n+reach, len(m.toks)))
		}
	case "as":
		if said := m.typeAt(i + 1); said == lang.Owned && m.last != "" {
			m.says[m.last] = said
		}
	default:
		return false
	}
	return true
}

// declaration notes what the word at token i says of a variable.
func (m *mentions) declaration(i int) {
	w := m.word(i)
	n := i + 1
	if m.op(n) == '?' || m.op(n) == '!' {
		n++
	}
	isVariable := m.is(i-1, "const") || m.is(i-1, "let") || m.is(i-1, "var")
	switch {
	case m.op(n) == ':' && (isVariable || m.annotates(i)):
		m.says[w] = m.typeAt(n + 1)
	case m.op(n) == '=' && n == i+1 && (isVariable || m.top().place == inDeclaration):
		m.says[w] = m.valueAt(n + 1)
	case isVariable || m.op(n) == opArrow:
		delete(m.says, w)
	case m.op(n) == '=' && n == i+1:
		if said := m.valueAt(n + 1); said == lang.Owned {
			m.says[w] = said
		}
	}
	if isVariable {
		m.last = w
	}
}

// annotates reports whether a colon behind the word at token i gives a parameter or a
// property its type.
func (m *mentions) annotates(i int) bool {
	switch m.top().place {
	case inDeclaration:
		return true
	case inOther:
		before := m.op(i - 1)
		return before == '(' || before == ',' || before == opSpread || memberModifier(m.word(i-1))
	}
	return false
}

// classAt notes whose the body of the class or interface is whose keyword is token i.
func (m *mentions) classAt(i int) {
	end := min(i+reach, len(m.toks))
	open := m.body(i+1, end)
	if open < 0 || !m.isWord(i+1) {
		return
	}
	b := body{place: inDeclaration, class: true, of: lang.Disowned}
	for j := i + 1; j < open; j++ {
		if m.q.Types[m.word(j)] && m.op(j-1) != '<' && m.op(j-1) != ',' {
			b.of = lang.Owned
		}
	}
	if !m.q.Types[m.word(i+1)] && m.redeclares(open) {
		b.of = lang.Disowned
	}
	m.bodies[open] = b
}

// redeclares reports whether a class has a member of the name itself, whatever it
// extends. Its body opens at a token.
func (m *mentions) redeclares(open int) bool {
	found := false
	p := &parser{src: m.src, toks: m.toks, out: &lang.Facts{Lines: m.line(len(m.toks) - 1)}}
	p.member = func(at int) { found = found || p.is(at, m.q.Name) }
	p.members(open+1, m.pair(open, open), "")
	return found
}

// mention notes the name at token i, if it is that of a member which is used there.
func (m *mentions) mention(i int) {
	x := lang.Mention{Line: m.line(i)}
	before, after := m.op(i-1), m.op(i+1)
	switch b := m.top(); {
	case b.place == inObject && after == '(' && memberModifier(m.word(i-1)) && (m.op(i-2) == '{' || m.op(i-2) == ','):
		x.Says = b.of // get, set, async
	case before == '.' || before == opChain:
		x.Dotted = true
		m.receiver(i-2, &x)
	case b.place == inObject && (before == '{' || before == ',') && (after == ':' || after == ',' || after == '}' || after == '('),
		b.place == inPattern && (before == '{' || before == ',') && (after == ':' || after == ',' || after == '}' || after == '='):
		x.Says = b.of
	default:
		return
	}
	m.list = append(m.list, x)
}

// isBuiltin reports whether a name is that of an object of the language or of its
// runtime, whose members are no one else's.
func isBuiltin(name string) bool {
	switch name {
	case "Object", "Math", "JSON", "console", "Array", "Promise", "Number", "String", "Symbol", "Reflect", "process", "globalThis", "window", "document":
		return true
	}
	return false
}

// receiver notes what stands before the dot, which ends with token r.
func (m *mentions) receiver(r int, x *lang.Mention) {
	if m.op(r) == '!' {
		r--
	}
	x.Receiver = m.word(r)
	chained := m.op(r-1) == '.' || m.op(r-1) == opChain
	switch {
	case x.Receiver == "this":
		x.Says = m.self()
	case x.Receiver != "" && m.q.Types[x.Receiver] && !chained:
		x.Says = lang.Owned
	case isBuiltin(x.Receiver) && !chained:
		x.Says = lang.Disowned
	case x.Receiver != "":
		if x.Says = m.says[x.Receiver]; chained && x.Says == lang.Disowned && !m.is(r-2, "this") {
			x.Says = lang.Unsaid
		}
	case m.op(r) == ')' && m.q.Makers[m.word(int(m.toks[r].pair)-1)]:
		x.Says = lang.Owned
	}
}
