package scan

import (
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// shape records the word at token i as a member of the expression before the dot, or of the
// object literal or pattern that it stands in.
func (m *mentions) shape(i int) {
	w := m.Word(i)
	switch before := m.Op(i - 1); before {
	case '.', lex.Chain:
		if s := m.shapeOf(i - 2); s != nil {
			s.Names = append(s.Names, w)
		}
	case '{', ',':
		if s := m.top().shape; s != nil && isKeyEnd(m.Op(i+1)) {
			s.Names = append(s.Names, w)
			if value := m.valueOf(i, false); value != "" {
				s.Give(w, value)
			}
		}
	}
}

// isKeyEnd reports whether an operator can follow a key.
func isKeyEnd(op byte) bool {
	switch op {
	case ':', ',', '}', '(', '=':
		return true
	}
	return false
}

// shapeOf returns the known members of the expression that ends with token r, nil when it has no
// name.
func (m *mentions) shapeOf(r int) *lang.Shape {
	if m.Op(r) == '!' {
		r--
	}
	name := m.Word(r)
	if name == "" || name == "this" {
		return nil
	}
	if m.Op(r-1) != '.' && m.Op(r-1) != lex.Chain {
		return &m.shapes.of(name).own
	}
	of := m.shapes.of(m.Word(r - 2))
	if of.held == nil {
		of.held = make(map[string]*lang.Shape)
	}
	if of.held[name] == nil {
		of.held[name] = &lang.Shape{}
	}
	return of.held[name]
}

// shapes are the known members of variables, by name.
type shapes map[string]*variable

// variable is the known members of a variable, and of the objects in its properties.
type variable struct {
	own  lang.Shape
	held map[string]*lang.Shape
}

// of returns the members of a variable.
func (s shapes) of(name string) *variable {
	if s[name] == nil {
		s[name] = &variable{}
	}
	return s[name]
}
