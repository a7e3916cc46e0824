package members

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coctostan/pictx/kota/lang"
)

// span is the first and the last line of a declaration.
type span struct{ from, to int }

// Near reports whether a line stands in the function, class or variable that the owner is made
// for, as ButtonProps is for Button: what has no known type there is more likely an owner's than
// the same name elsewhere.
func (j *Judge) Near(file, line int) bool {
	for _, s := range j.near[file] {
		if s.from <= line && line <= s.to {
			return true
		}
	}
	return false
}

// recordNear records a declaration that the owner is made for.
func (j *Judge) recordNear(file int, d *lang.Decl) {
	if d.In == "" && d.End > d.Line && madeFor(j.owner, d) {
		j.near[file] = append(j.near[file], span{d.Line, d.End})
	}
}

// madeFor reports whether a type is made for a declaration: it has the name of a variable or a
// function, or that of a class, too, and one more word.
func madeFor(owner string, d *lang.Decl) bool {
	if d.Class == lang.Interface || d.Class == lang.TypeAlias || d.Name == "" || len(d.Name) > len(owner) {
		return false
	}
	if !strings.EqualFold(d.Name[:1], owner[:1]) || d.Name[1:] != owner[1:len(d.Name)] {
		return false
	}
	more := owner[len(d.Name):]
	if more == "" {
		return d.Class != lang.ClassDecl
	}
	first, n := utf8.DecodeRuneInString(more)
	return unicode.IsUpper(first) && strings.IndexFunc(more[n:], unicode.IsUpper) < 0
}
