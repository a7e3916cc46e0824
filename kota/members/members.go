// Package members decides which type a mentioned member belongs to, when the file with the
// mention does not settle it. It follows the types in the declarations of other files, by name
// only.
//
// It asks a Project, and must not know an index or a language. Start reading at Search.Weigh.
package members

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
)

// Project gives access to the declarations of all files.
type Project interface {
	// Len returns the number of files.
	Len() int
	// EachDecl calls fn with the declarations of a file. fn must not keep the pointer.
	EachDecl(i int, fn func(*lang.Decl))
	// Head returns the type of a declaration of a file.
	Head(i int, d lang.Decl) lang.TypeNames
}

// judge judges mentions of one member of one owner.
type judge struct {
	project Project
	owner   string
	types   map[string][]place  // declared types, by name
	again   []place             // the declarations of a member of that name in other types
	derived map[string]bool     // by type, whether it is derived from the owner; a cache
	reached map[string]bool     // by type, whether it is and has the owner's member; a cache
	made    map[string][]string // by type, what it is derived from; a cache
	bases   map[string]bool     // the types of the project that the owner extends or implements
}

// place is a declaration and its file.
type place struct {
	file int
	decl lang.Decl
}

// newJudge returns a judge for a member.
func newJudge(p Project, owner, member string) *judge {
	j := &judge{
		project: p, owner: owner, types: make(map[string][]place),
		derived: map[string]bool{owner: true}, reached: map[string]bool{owner: true}, made: make(map[string][]string),
		bases: make(map[string]bool),
	}
	j.read(member)
	j.findBases(owner)
	return j
}

// read goes through the declarations of all files and keeps those that matter for the member.
func (j *judge) read(member string) {
	redeclared := make(map[string]map[int]bool) // by type, the files in which it declares the member
	for i := range j.project.Len() {
		j.project.EachDecl(i, func(d *lang.Decl) {
			if d.Class == lang.TypeAlias || d.Class == lang.Interface || d.Class == lang.ClassDecl {
				j.types[d.Name] = append(j.types[d.Name], place{i, *d})
			}
			in := inner(d.In)
			if in == "" || d.Name != member || d.In == j.owner {
				return
			}
			j.again = append(j.again, place{i, *d})
			if d.Class.Member() && in != j.owner {
				if redeclared[in] == nil {
					redeclared[in] = make(map[int]bool)
				}
				redeclared[in][i] = true
			}
		})
	}
	for name, files := range redeclared {
		if len(files) >= len(j.types[name]) {
			j.reached[name] = false // it does not have the owner's
		}
	}
}

// inner returns the last name of a path "a.b".
func inner(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// judge weighs a mention by the types that its own file and others declare: Reachable when they say
// nothing.
func (j *judge) judge(m lang.Mention) Weight {
	if len(m.Type.Names) > 0 {
		return j.verdict(m.Type)
	}
	return Reachable
}

// verdict compares the names of a type with the owner: Typed when it is the owner, or derived from it and
// does not redeclare the member.
func (j *judge) verdict(t lang.TypeNames) Weight {
	names := t.Names
	for _, n := range t.Names {
		if transparent(n) || len(j.types[n]) > 0 && j.types[n][0].decl.Class == lang.TypeAlias {
			names = slices.Concat(names, t.Inner)
			break
		}
	}
	redeclared := false
	for _, n := range names {
		if j.reaches(j.reached, n) {
			return Typed
		}
		redeclared = redeclared || j.reaches(j.derived, n)
	}
	switch {
	case slices.ContainsFunc(names, j.isBase), redeclared && j.isInterface():
		return Assigned
	case redeclared:
		return Doubted
	case t.Open || len(names) == 0 || slices.ContainsFunc(t.Inner, func(n string) bool { return j.reaches(j.reached, n) }):
		return Reachable
	}
	return Contrary
}

// reaches reports whether a type of this name is the owner or derived from it. known holds earlier
// answers, by name; it adds those that it finds.
func (j *judge) reaches(known map[string]bool, name string) bool {
	if r, done := known[name]; done {
		return r
	}
	from := map[string]string{name: ""}
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		for _, n := range j.madeOf(queue[0]) {
			r, done := known[n]
			if r {
				for at := queue[0]; at != ""; at = from[at] {
					known[at] = true
				}
				return true
			}
			if _, seen := from[n]; !done && !seen {
				from[n] = queue[0]
				queue = append(queue, n)
			}
		}
	}
	for n := range from { // everything they are derived from was visited
		known[n] = false
	}
	return false
}

// madeOf lists the types from which the types of a name are derived: by inheritance, as an alias,
// or as arguments of an alias.
func (j *judge) madeOf(name string) []string {
	if out, known := j.made[name]; known {
		return out
	}
	var out []string
	for _, p := range j.types[name] {
		is := j.project.Head(p.file, p.decl)
		if slices.Contains(is.Names, "Array") {
			continue
		}
		out = append(out, is.Names...)
		if p.decl.Class == lang.TypeAlias {
			out = append(out, is.Inner...)
		}
	}
	j.made[name] = out
	return out
}

// findBases records the types of the project that a type extends or implements.
func (j *judge) findBases(name string) {
	for _, p := range j.types[name] {
		if p.decl.Class == lang.TypeAlias {
			continue
		}
		for _, n := range j.project.Head(p.file, p.decl).Names {
			if n != j.owner && !j.bases[n] && !transparent(n) {
				j.bases[n] = true
				j.findBases(n)
			}
		}
	}
}

// isBase reports whether a type is a base of the owner, or an alias of one and of others.
func (j *judge) isBase(name string) bool {
	if j.bases[name] {
		return true
	}
	return len(j.types[name]) > 0 && j.types[name][0].decl.Class == lang.TypeAlias && slices.ContainsFunc(j.madeOf(name), func(n string) bool { return j.bases[n] })
}

// isInterface reports whether the owner is an interface: what implements it declares the member again.
func (j *judge) isInterface() bool {
	return len(j.types[j.owner]) > 0 && j.types[j.owner][0].decl.Class == lang.Interface
}

// relatives lists the declarations of the member in the types that the owner extends or implements, and
// in those that extend or implement it.
func (j *judge) relatives() (out []Place) {
	for _, p := range j.again {
		if in := inner(p.decl.In); in != j.owner && (j.bases[in] || j.reaches(j.derived, in)) {
			out = append(out, Place{p.file, p.decl.Line})
		}
	}
	return out
}

// transparent reports whether a generic type stands for its argument, as Promise does.
func transparent(name string) bool {
	switch name {
	case "Promise", "Awaited", "Readonly", "Partial", "Required", "Omit", "Pick", "NonNullable", "Exclude", "Extract", "PromiseLike":
		return true
	}
	return false
}
