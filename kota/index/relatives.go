package index

import (
	"maps"
	"path"
	"slices"

	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/members"
)

// methodSet is a type and the names of its members.
type methodSet struct {
	name      string
	members   map[string]bool
	at        members.Place // where it declares the member asked for, line 0 when it does not
	isWanting bool          // it is an interface
}

// implements reports whether a type has all methods of an interface.
func (t *methodSet) implements(wanting *methodSet) bool {
	for n := range wanting.members {
		if !t.members[n] {
			return false
		}
	}
	return len(wanting.members) > 0
}

// relatives lists the declarations of a member in the types that the owner implements, or that implement
// it, by their methods: in a language in which a type need not name what it implements. bases are the
// interfaces among them that the owner implements.
func (u *usageList) relatives(m *memberSearch) (list []members.Place, bases map[string]bool) {
	bases = make(map[string]bool)
	if !u.files.Languages.Of(u.name(m.Home)).Structural {
		return nil, bases
	}
	sets := u.methodSets(m.Name)
	own := sets[[2]string{path.Dir(u.name(m.Home)), m.Owner}]
	if own == nil {
		return nil, bases
	}
	for _, key := range slices.SortedFunc(maps.Keys(sets), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		t := sets[key]
		switch {
		case t == own || t.at.Line == 0:
			continue
		case t.isWanting && own.implements(t):
			bases[t.name] = true
		case !own.isWanting || !t.implements(own):
			continue
		}
		list = append(list, t.at)
	}
	return list, bases
}

// methodSets returns the types of the project with their members, by directory and name.
func (u *usageList) methodSets(member string) map[[2]string]*methodSet {
	sets := make(map[[2]string]*methodSet)
	of := func(dir, name string) *methodSet {
		key := [2]string{dir, name}
		if sets[key] == nil {
			sets[key] = &methodSet{name: name, members: make(map[string]bool)}
		}
		return sets[key]
	}
	for i := range u.tree.files {
		facts := u.tree.files[i].facts
		if facts == "" || !u.files.Languages.Of(u.name(i)).Structural {
			continue
		}
		dir := path.Dir(u.name(i))
		codec.EachDecl(facts, func(d *lang.Decl) {
			switch {
			case d.Class == lang.Interface && d.In == "":
				of(dir, d.Name).isWanting = true
			case d.Class == lang.Method && d.In != "":
				t := of(dir, d.In)
				if t.members[d.Name] = true; d.Name == member {
					t.at = members.Place{File: i, Line: d.Line}
				}
			}
		})
	}
	return sets
}
