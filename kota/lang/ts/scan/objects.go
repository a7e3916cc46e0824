package scan

import (
	"strings"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// Limits on what is read of exported objects.
const (
	maxNested = 3    // objects in objects, and objects that are spread in objects
	maxHeld   = 2000 // names in all of a file
)

// object records that a name stands for the object at token i. It does nothing when no object, as it
// stands or frozen, begins there.
func (p *parser) object(name string, i int) {
	if p.Is(i, "Object") && p.Is(i+2, "freeze") && p.Op(i+3) == '(' {
		i += 4
	}
	if p.Op(i) == '(' {
		i++
	}
	if p.Op(i) != '{' || p.Pair(i, i) == i {
		return
	}
	if p.objects == nil {
		p.objects = make(map[string]int)
	}
	p.objects[name] = i
}

// literalOf returns the { of the object that a variable is initialized with, as in
// "const api = { … }"; -1 when there is none.
func (p *parser) literalOf(name string) int {
	if open, ok := p.objects[name]; ok {
		return open
	}
	return -1
}

// holdings exports what the objects that the file exports hold: a, b and d in
// "export default { a, c: b, d() {}, ...e }", when the file declares or imports them at its top level or
// they are functions. Their names there are "default.a", "default.c" and "default.d"; "default.*" is all
// that an imported e has.
func (p *parser) holdings() {
	if len(p.objects) == 0 {
		return
	}
	h := &holder{parser: p, at: make(map[string]int), read: make(map[int]bool), methods: make(map[string]bool)}
	for _, e := range p.out.Exports {
		if open := p.literalOf(e.Local); open >= 0 && e.From < 0 && !h.read[open] {
			h.whole = e.Whole
			h.holds(literal{path: e.Local, owner: e.Local, open: open})
		}
	}
	h.ownUses()
}

// holder reads the objects that a file exports.
type holder struct {
	*parser
	whole bool           // a require returns the object itself: its functions are exported already
	at    map[string]int // index in the exports, by name: a later entry replaces an earlier one
	read  map[int]bool   // the { of objects whose functions are declared

	literals []literal       // the objects, those that hold others before these
	methods  map[string]bool // the functions written in them, as "owner.name"
}

// literal is an object that a file exports, or one in it.
type literal struct {
	path  string // what it goes by where it is used
	owner string // what it goes by in the file
	open  int    // its {
	depth int    // how many objects it is in
	known bool   // it was read before, under another path
}

// hold exports a name of an object.
func (h *holder) hold(name, local string, i int) {
	e := lang.Export{Name: name, Local: local, From: -1, Line: h.Line(i)}
	at, known := h.at[name]
	switch {
	case known && !strings.HasSuffix(name, "."+lang.Namespace):
		h.out.Exports[at] = e
	case len(h.at) < maxHeld:
		h.at[name] = len(h.out.Exports)
		h.out.Exports = append(h.out.Exports, e)
	}
}

// holds exports the entries of an object: those whose values are names of the file, functions, or objects.
func (h *holder) holds(o literal) {
	if o.depth > maxNested || len(h.at) == maxHeld {
		return
	}
	if o.known = h.read[o.open]; !o.known {
		h.read[o.open] = true
		h.literals = append(h.literals, o)
	}
	for j, end := o.open+1, h.Pair(o.open, o.open); j < end; j++ {
		last := h.entryEnd(j, end)
		if h.Op(j) == lex.Spread && j+2 == last {
			h.spread(o, j+1)
		} else if h.Op(j) != lex.Spread {
			h.entry(o, j, last)
		}
		j = last
	}
}

// entry exports the entry of an object between tokens i and end.
func (h *holder) entry(o literal, i, end int) {
	key, value := h.key(i, end)
	if key == "" {
		return
	}
	path, local, w := o.path+"."+key, o.owner+"."+key, h.Word(value)
	switch {
	case value+1 == end && h.top[w]:
		h.hold(path, w, i)
		if open := h.literalOf(w); open >= 0 {
			h.holds(literal{path: path, owner: w, open: open, depth: o.depth + 1})
		}
	case h.Op(value) == '{' && h.Next(value) == end:
		h.holds(literal{path: path, owner: local, open: value, depth: o.depth + 1})
	case !h.isFunction(value, end):
	case h.whole && o.depth == 0 && h.common[key]:
		h.hold(path, key, i)
	default:
		if !o.known {
			h.out.Decls = append(h.out.Decls, lang.Decl{Name: key, In: o.owner, Class: lang.Function, Exported: true, Line: h.Line(i), End: h.LastLine(end - 1)})
			h.methods[local] = true
		}
		h.hold(path, local, i)
	}
}

// entryEnd returns the index of the comma after the entry that begins at token i, end for the last.
func (p *parser) entryEnd(i, end int) int {
	typed := false // in the type of a result
	for j := i; j < end; {
		switch op := p.Op(j); {
		case op == ',':
			return j
		case op == '<' && (typed || i < j && j <= i+3): // types have commas of their own
			j = max(p.Angles(j, end), j+1)
			continue
		case op == ':':
			typed = p.Op(j-1) == ')'
		case op == lex.Arrow:
			typed = false
		}
		j = p.Next(j)
	}
	return end
}

// spread exports what the object that token i names brings into another one.
func (h *holder) spread(o literal, i int) {
	w := h.Word(i)
	if open := h.literalOf(w); open >= 0 {
		h.holds(literal{path: o.path, owner: w, open: open, depth: o.depth + 1})
	} else if h.top[w] {
		h.hold(o.path+"."+lang.Namespace, w, i)
	}
}

// key returns the name of the entry of an object that begins at token i, and the token where its value
// begins: a function's ( for "a() {}". The name is "" when it is computed.
func (p *parser) key(i, end int) (name string, value int) {
	for (p.Is(i, "async") || p.Is(i, "get") || p.Is(i, "set")) && i+1 < end && (p.nameAt(i+1) || p.Op(i+1) == '*') && p.Op(i+1) != '(' {
		i++
	}
	if p.Op(i) == '*' {
		i++
	}
	switch name = p.name(i); {
	case name == "" || strings.ContainsAny(name, ".*"):
		return "", i
	case p.Op(i+1) == ':':
		return name, i + 2
	case p.Op(i+1) == '(' || p.Op(i+1) == '<':
		return name, i + 1
	}
	return name, i
}

// isFunction reports whether a function, or the rest of a method after its name, stands between tokens
// i and end.
func (p *parser) isFunction(i, end int) bool {
	method := p.Op(i-1) != ':'
	if p.Is(i, "async") && i+1 < end && p.Op(i+1) != lex.Arrow {
		i++
	}
	if p.Is(i, "function") || p.Op(i+1) == lex.Arrow && p.IsWord(i) {
		return true
	}
	i = p.Angles(i, end)
	if i >= end || p.Op(i) != '(' {
		return false
	}
	for j := p.Next(i); j < end; j = p.Next(j) {
		if p.Op(j) == lex.Arrow || method && p.Op(j) == '{' && p.Next(j) == end {
			return true
		}
	}
	return false
}

// ownUses records where functions of an object use others of it through this.
func (h *holder) ownUses() {
	if len(h.methods) == 0 {
		return
	}
	h.own = make(map[int]string)
	for _, l := range h.literals {
		for i, end := l.open+1, h.Pair(l.open, l.open); i < end; i++ {
			switch {
			case h.Is(i, "this") && (h.Op(i+1) == '.' || h.Op(i+1) == lex.Chain):
				delete(h.own, i+2) // it is the innermost object
				if name := l.owner + "." + h.Word(i+2); h.methods[name] {
					h.own[i+2] = name
				}
			case (h.Is(i, "function") || h.Is(i, "class")) && h.Op(i-1) != ':' && !h.Is(i-1, "async"):
				if open := h.Body(i+1, end); open >= 0 {
					i = h.Pair(open, open) // it has a this of its own
				}
			}
		}
	}
}

// membersOf adds the objects and namespaces with members that the file exports: their members are looked
// for, too.
func (b *binder) membersOf(exports []lang.Export) {
	for _, e := range exports {
		if object, _, dotted := strings.Cut(e.Name, "."); dotted && e.From < 0 && object != lang.Default {
			b.members[object] = true
		}
	}
}
