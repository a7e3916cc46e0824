package scan

import (
	"strings"

	"github.com/coctostan/pictx/kota/lang"
)

// object records that a name stands for the object at token i. It does nothing when no object, as it
// stands or frozen, begins there.
func (p *parser) object(name string, i int) {
	if p.is(i, "Object") && p.is(i+2, "freeze") && p.op(i+3) == '(' {
		i += 4
	}
	if p.op(i) == '(' {
		i++
	}
	if p.op(i) != '{' || p.pair(i, i) == i {
		return
	}
	if p.objects == nil {
		p.objects = make(map[string]int)
	}
	p.objects[name] = i
}

// objectOf records the object with which the variable at token i, whose declaration ends before token
// end, is initialized.
func (p *parser) objectOf(i, end int) {
	for j := i + 1; j < end; j = p.next(j) {
		if p.op(j) == '=' {
			p.object(p.word(i), j+1)
			return
		}
	}
}

// literalOf returns the { of the object that a variable is initialized with, as in
// "const api = { … }"; -1 when there is none.
func (p *parser) literalOf(name string) int {
	if open, ok := p.objects[name]; ok {
		return open
	}
	return -1
}

// holdings exports what the objects that the file exports hold: a and b in "export default { a, c: b }",
// when the file declares or imports them at its top level. Their names there are "default.a" and
// "default.c".
func (p *parser) holdings() {
	if len(p.objects) == 0 {
		return
	}
	known := make(map[string]bool)
	for _, e := range p.out.Exports {
		if open := p.literalOf(e.Local); open >= 0 && e.From < 0 && !known[e.Local] {
			known[e.Local] = true
			p.holds(e.Local, open)
		}
	}
}

// holds exports the entries of the object at token open whose values are names of the file.
func (p *parser) holds(object string, open int) {
	for j, end := open+1, p.pair(open, open); j < end; j++ {
		key, value := p.word(j), j
		if p.op(j+1) == ':' {
			value += 2
		}
		if w := p.word(value); key != "" && p.top[w] && (p.op(value+1) == ',' || value+1 == end) {
			p.out.Exports = append(p.out.Exports, lang.Export{Name: object + "." + key, Local: w, From: -1, Line: p.line(j)})
		}
		for j < end && p.op(j) != ',' {
			j = p.next(j)
		}
	}
}

// membersOf adds the objects and namespaces with members that the file exports: their members are looked
// for, too.
func (b *binder) membersOf(exports []lang.Export) {
	for _, e := range exports {
		if object, _, _ := strings.Cut(e.Name, "."); e.Held() && object != lang.Default {
			b.members[object] = true
		}
	}
}
