package members

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/naming"
)

// span is the first and the last line of a declaration that a type is made for.
type span struct {
	from, to int
	own      bool // the type is the owner
}

// Near reports whether a line stands in the function, class or variable that the owner is made
// for, as ButtonProps is for Button: what has no known type there is more likely an owner's than
// the same name elsewhere.
func (j *Judge) Near(file, line int) bool { return j.within(file, line, true) }

// Elsewhere reports whether a line stands in what another type with a member of that name is made
// for, and not in what the owner is.
func (j *Judge) Elsewhere(file, line int) bool {
	return j.within(file, line, false) && !j.within(file, line, true)
}

func (j *Judge) within(file, line int, own bool) bool {
	return slices.ContainsFunc(j.near[file], func(s span) bool { return s.own == own && s.from <= line && line <= s.to })
}

// findNear finds the declarations that the owner or one of the others is made for.
func (j *Judge) findNear() {
	made := make(map[string]bool) // by name without its first letter, whether the owner is made for it
	for _, t := range j.others {
		for _, name := range purposes(t) {
			made[name] = false
		}
	}
	for _, name := range purposes(j.owner) {
		made[name] = true
	}
	for i := range j.project.Len() {
		j.project.EachDecl(i, func(d *lang.Decl) {
			if d.In != "" || d.End <= d.Line || len(d.Name) < 2 {
				return
			}
			if _, ok := made[d.Name[1:]]; !ok {
				return
			}
			own := madeFor(j.owner, d)
			if own || d.Class != lang.ClassDecl && slices.ContainsFunc(j.others, func(t string) bool { return madeFor(t, d) }) {
				j.near[i] = append(j.near[i], span{d.Line, d.End, own})
			}
		})
	}
}

// purposes are the names, without their first letter, of what a type can be made for.
func purposes(t string) []string {
	if t == "" {
		return nil
	}
	all := []string{t[1:]}
	if last := strings.LastIndexFunc(t, unicode.IsUpper); last > 0 {
		all = append(all, t[1:last])
	}
	return all
}

// madeFor reports whether a type is made for a variable, a function or a class: it has that name and
// one more word, as ButtonProps is made for Button. It may have the very name of a variable or a
// function. The case of the first letter does not matter.
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

// maxNamesakes bounds the other types that have the member and are as much like the name of a
// receiver as the owner is: with more of them the name says nothing about the owner.
const maxNamesakes = 2

// receiver is a receiver's name, and whether variables of that name are known to hold an owner.
type receiver struct {
	name  string
	known bool
}

// named weighs a mention by the name of its receiver alone, which it compares with the owner and
// with the other types that have the member.
func (j *Judge) named(r receiver) Weight {
	if w, ok := j.called[r]; ok {
		return w
	}
	own, most, same := naming.Alike(r.name, j.owner), naming.Unlike, 0
	if r.known && own == naming.Unlike {
		own = naming.Short
	}
	for _, t := range j.others {
		a := naming.Alike(r.name, t)
		most = max(most, a)
		if a >= own {
			same++
		}
	}
	w := Named
	switch {
	case most > own && most >= naming.Long:
		w = Doubted
	case own == naming.Unlike:
		w = Reachable
	case same > maxNamesakes:
		w = Kindred
	}
	j.called[r] = w
	return w
}
