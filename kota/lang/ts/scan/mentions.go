package scan

import (
	"maps"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// maxType is how many tokens of a type are read to identify it.
const maxType = 64

// Mentions lists where a file mentions a member of a name, in source order, with clues to the
// type that has the member. ok is false for a component file, which is not all script. It
// implements lang.Language's Mentions.
func Mentions(file string, data []byte, q lang.MentionQuery) (list []lang.Mention, ok bool) {
	if lex.OfFile(file) == lex.Component {
		return nil, false
	}
	var l lex.Lexer
	data = lang.Decode(data)
	m := &mentions{parser: &parser{Tokens: lex.Tokens{Src: data}, out: &lang.Facts{}}, q: q, says: make(map[string]lang.Clue), bodies: make(map[int]body)}
	m.Toks, _ = l.Lex(data, lex.HasJSX(file))
	for i := range m.Toks {
		if m.Toks[i].Kind == lex.Word {
			m.seeWord(i)
		} else {
			m.seeBracket(i)
		}
	}
	return m.list, true
}

// place is what stands inside a bracket.
type place byte

const (
	inOther       place = iota
	inBlock             // statements
	inObject            // the entries of an object literal
	inPattern           // a destructuring pattern
	inDeclaration       // member declarations of a class or a type
)

// body is an open bracket and what is known of its contents.
type body struct {
	place place
	of    lang.Clue // the type whose members stand in it
	class bool
	heads bool // these are the parentheses of a parameter list
	close int
}

// mentions finds the mentions of a member in one file.
type mentions struct {
	*parser
	q        lang.MentionQuery
	says     map[string]lang.Clue // by variable, the latest clue to its type
	bodies   map[int]body         // by opening bracket, those known in advance
	open     []body
	typeEnd  int    // the end of the latest type alias
	last     string // the latest declared variable
	lastOpen int    // the number of open brackets around it
	list     []lang.Mention
}

// top returns the innermost open bracket.
func (m *mentions) top() body {
	if n := len(m.open); n > 0 {
		return m.open[n-1]
	}
	return body{place: inBlock}
}

// seeBracket updates the open brackets at token i.
func (m *mentions) seeBracket(i int) {
	for n := len(m.open); n > 0 && m.open[n-1].close <= i; n-- {
		m.open = m.open[:n-1]
	}
	pair := int(m.Toks[i].Pair)
	if pair <= i {
		return
	}
	b, known := m.bodies[i]
	switch {
	case known:
	case m.Op(i) == '{':
		b = m.brace(i, pair)
	case m.Op(i) == '(':
		b = m.parenthesis(i, pair)
	}
	b.close = pair
	m.open = append(m.open, b)
}

// parenthesis returns the body for the parentheses that token i opens.
func (m *mentions) parenthesis(i, pair int) body {
	var b body
	if w := m.Word(i - 1); !controls(w) && w != "return" {
		b.heads = m.Op(pair+1) == lex.Arrow || m.Op(pair+1) == '{' || m.Op(pair+1) == ':' && (&shadows{parser: m.parser}).headEnd(i, pair) > pair
	}
	for j := i + 1; b.heads && j < pair; j = m.Next(j) {
		if m.IsWord(j) && (m.Op(j+1) == ',' || j+1 == pair) {
			m.forget(m.Word(j))
		}
	}
	return b
}

// forget drops the clues of a name: from here it stands for something else.
func (m *mentions) forget(name string) {
	m.says[name] = lang.Clue{}
}

// brace returns the body for the braces that token i opens.
func (m *mentions) brace(i, pair int) body {
	before, parent := m.Op(i-1), m.top()
	switch {
	case parent.heads && (before == '(' || before == ',') && m.Op(pair+1) != ':':
		return body{place: inPattern}
	case m.Is(pair+1, "of") && parent.place == inOther:
		return body{place: inPattern}
	case m.Op(pair+1) == '=':
		return body{place: inPattern, of: m.valueAt(pair + 2)}
	case (before == '(' || before == ',') && m.Op(pair+1) == ':':
		return body{place: inPattern, of: m.typeAt(pair + 2)}
	case m.inType(i, parent):
		return body{place: inDeclaration}
	case before == ')' || before == lex.Arrow || before == ';' || before == '{' || before == '}' || i == 0:
		return body{place: inBlock}
	case before == 0 && m.IsWord(i-1) && !m.Is(i-1, "return") && !m.Is(i-1, "default"), before == '>', before == ']':
		return body{place: inBlock}
	}
	return body{place: inObject, of: m.literalAt(i, pair)}
}

// controls reports whether a word before parentheses makes the block behind them a part of its
// function: "await" is that of "for await (".
func controls(w string) bool {
	switch w {
	case "if", "while", "for", "switch", "catch", "with", "await":
		return true
	}
	return false
}

// inType reports whether the braces that token i opens, inside parent, are an object type.
func (m *mentions) inType(i int, parent body) bool {
	if i < m.typeEnd {
		return true
	}
	switch m.Op(i - 1) {
	case '|', '&', '<':
		return true
	case ',':
		return parent.place == inBlock || parent.place == inDeclaration
	case ':':
		isVariable := m.Is(i-3, "const") || m.Is(i-3, "let") || m.Is(i-3, "var")
		isChoice := m.IsWord(i-2) && m.Op(i-3) == '?' || !m.IsWord(i-2) && m.Op(i-2) != '?' && m.Op(i-2) != '}' && m.Op(i-2) != ']'
		return parent.place == inDeclaration || parent.place == inOther && !isChoice || parent.place == inBlock && isVariable
	}
	return false
}

// seeWord updates the clues to the types of variables, and records the word as a mention if it is
// one.
func (m *mentions) seeWord(i int) {
	if before := m.Op(i - 1); before != '.' && before != lex.Chain && !m.keyword(i) {
		m.declaration(i)
	}
	if string(m.Src[m.Toks[i].Start:m.Toks[i].End]) == m.q.Name {
		m.mention(i)
	}
}

// keyword handles the word at token i when it is "class", "interface", "enum", "type" or "as". It
// reports false for any other word.
func (m *mentions) keyword(i int) bool {
	end := min(i+reach, len(m.Toks))
	switch m.Word(i) {
	case "class", "interface":
		m.classAt(i)
	case "enum":
		m.bodies[m.Body(i+2, end)] = body{place: inDeclaration}
	case "type":
		if !m.IsWord(i+1) || m.Toks[i+1].First {
			return false
		}
		if n := m.Angles(i+2, end); m.Op(n) == '=' {
			m.typeEnd = m.StmtEnd(n, min(n+reach, len(m.Toks)))
		}
	case "as":
		if said := m.typeAt(i + 1); m.last != "" && (said.Says == lang.Owned || said.Says != lang.Unsaid && len(m.open) == m.lastOpen) {
			m.says[m.last] = said
		}
	default:
		return false
	}
	return true
}

// declaration records the clue that the word at token i, as a variable or member, gets from its
// type or value.
func (m *mentions) declaration(i int) {
	w := m.Word(i)
	n := i + 1
	if m.Op(n) == '?' || m.Op(n) == '!' {
		n++
	}
	isVariable := m.Is(i-1, "const") || m.Is(i-1, "let") || m.Is(i-1, "var")
	typed := m.Op(n) == ':' && (isVariable || m.annotates(i))
	if isVariable || m.Op(n) == lex.Arrow || typed {
		m.forget(w)
	}
	switch {
	case m.top().place == inPattern && m.Op(n) != ':':
		m.forget(w)
	case typed:
		m.say(w, m.typeAt(n+1))
		if m.top().place == inOther && memberModifier(m.Word(i-1)) { // a parameter that declares a member
			m.says["this."+w] = m.says[w]
		}
	case m.Op(n) == '=' && n == i+1 && (isVariable || m.top().place == inDeclaration):
		m.say(w, m.valueAt(n+1))
	case m.Op(n) == '=' && n == i+1:
		if said := m.valueAt(n + 1); said.Says == lang.Owned {
			m.says[w] = said
		}
	}
	if isVariable {
		m.last, m.lastOpen = w, len(m.open)
	}
}

// say records a clue for a variable. Inside a class or a type the name is that of a member, and
// is stored as "this.name".
func (m *mentions) say(name string, says lang.Clue) {
	if m.top().place == inDeclaration {
		name = "this." + name
	}
	m.says[name] = says
}

// annotates reports whether a colon after the word at token i is the type annotation of a
// parameter or a property.
func (m *mentions) annotates(i int) bool {
	switch m.top().place {
	case inDeclaration:
		return true
	case inOther:
		before := m.Op(i - 1)
		return before == '(' || before == ',' || before == lex.Spread || memberModifier(m.Word(i-1))
	}
	return false
}

// classAt prepares the body of the class or interface whose keyword is token i.
func (m *mentions) classAt(i int) {
	end := min(i+reach, len(m.Toks))
	heritage := m.Angles(i+2, end)
	open := m.Body(heritage, end)
	if open < 0 || !m.IsWord(i+1) {
		return
	}
	b := body{place: inDeclaration, class: true, of: with(lang.Clue{}, lang.Disowned, m.Word(i+1), 0)}
	if m.q.Types[m.Word(i+1)] {
		b.of = owned
	}
	for j := heritage; j < open; j++ {
		if m.named(j) == lang.Owned && m.Op(j-1) != '<' && m.Op(j-1) != ',' {
			b.of = owned
		}
	}
	if b.of.Says == lang.Owned && !m.q.Types[m.Word(i+1)] && m.redeclares(open) {
		b.of = lang.Clue{Says: lang.Disowned}
	}
	m.bodies[open] = b
	maps.DeleteFunc(m.says, func(name string, _ lang.Clue) bool { return strings.HasPrefix(name, "this.") })
}

// redeclares reports whether a class declares a member of that name itself, whatever it inherits.
// Token open opens its body.
func (m *mentions) redeclares(open int) bool {
	found := false
	p := &parser{Tokens: m.Tokens, out: &lang.Facts{}}
	p.member = func(at int) { found = found || p.Is(at, m.q.Name) }
	p.members(open+1, m.Pair(open, open), "")
	return found
}

// mention records the word at token i if it uses a member of that name.
func (m *mentions) mention(i int) {
	x := lang.Mention{Line: m.Line(i)}
	before, after := m.Op(i-1), m.Op(i+1)
	switch b := m.top(); {
	case b.place == inObject && after == '(' && memberModifier(m.Word(i-1)) && (m.Op(i-2) == '{' || m.Op(i-2) == ','):
		x.Clue = b.of // get, set, async
	case before == '.' || before == lex.Chain:
		x.Dotted = true
		m.receiver(i-2, &x)
	case b.place == inObject && (before == '{' || before == ',') && (after == ':' || after == ',' || after == '}' || after == '('),
		b.place == inPattern && (before == '{' || before == ',') && (after == ':' || after == ',' || after == '}' || after == '='):
		x.Clue = b.of
	default:
		return
	}
	m.list = append(m.list, x)
}

// isBuiltin reports whether a name is that of a global object, whose members belong to no
// declaration of the project.
func (m *mentions) isBuiltin(name string) bool {
	if _, own := m.says[name]; own {
		return false
	}
	switch name {
	case "Object", "Math", "JSON", "console", "Array", "Promise", "Number", "String", "Symbol", "Reflect", "process", "globalThis", "window", "document":
		return true
	}
	return false
}

// receiver sets the clues that come from the expression before the dot, which ends with token r.
func (m *mentions) receiver(r int, x *lang.Mention) {
	if m.Op(r) == '!' {
		r--
	}
	x.Receiver = m.Word(r)
	chained := m.Op(r-1) == '.' || m.Op(r-1) == lex.Chain
	switch {
	case x.Receiver == "this":
		x.Clue = m.self()
	case x.Receiver != "" && m.q.Types[x.Receiver] && !chained:
		x.Clue = owned
		if m.q.Instances && m.says[x.Receiver].Says != lang.Owned {
			x.Says = lang.Disowned
		}
	case m.isBuiltin(x.Receiver) && !chained:
		x.Says = lang.Disowned
	case x.Receiver != "":
		x.Clue = m.variable(r, chained)
	case m.Op(r) == ')' && m.IsWord(int(m.Toks[r].Pair)-1): // a call
	case m.Op(r) == ')':
		x.Clue = m.inside(int(m.Toks[r].Pair), r)
	}
}

// variable returns the clue to the type of token r. When chained, r itself follows a dot.
func (m *mentions) variable(r int, chained bool) lang.Clue {
	w := m.Word(r)
	if m.Op(r-1) == '#' || chained && m.Is(r-2, "this") {
		if says, ok := m.says["this."+w]; ok {
			return says
		}
		chained = true
	}
	if says := m.says[w]; !chained || says.Says == lang.Owned {
		return says
	}
	return lang.Clue{}
}
