// Package members decides which type a mentioned member belongs to, when the file with the
// mention does not settle it. It follows the types in the declarations of other files, by name
// only, and compares the other members that the same receiver is seen to have.
//
// It asks a Project, and must not know an index or a language. Start reading at New and
// Judge.Judge.
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
	// Head returns the types in a declaration of a file.
	Head(i int, d lang.Decl) lang.Head
}

// Verdict is how likely a mention means the owner's member; higher is more likely.
type Verdict int

// The verdicts.
const (
	Against  Verdict = iota // the receiver has another type
	Doubtful                // the receiver has members that the owner lacks, or a value that the owner's cannot have
	Rare                    // functions or properties of that name mostly give other types
	Scarce                  // a few functions or properties of that name give an owner
	Unknown
	Fitting // the receiver has several members of the owner that few other types have, or a value that the owner's has
	Likely  // a function or property of the same name gives an owner
	// Assignable: the receiver is declared with a type that an owner can be assigned to, or that can
	// be assigned to an owner that is an interface.
	Assignable
	Sure // the receiver has the owner's type
)

// Judge judges mentions of one member of one owner.
type Judge struct {
	project Project
	owner   string
	types   map[string][]place         // declared types, by name
	values  map[string][]place         // functions, properties and variables that clues name
	tags    map[string][]place         // the owner's members to which object literals give strings
	allowed map[string][]string        // by tag, the only strings that it can hold, nil for any value
	derived map[string]bool            // by type, whether it is derived from the owner; a cache
	reached map[string]bool            // by type, whether it is and has the owner's member; a cache
	made    map[string][]string        // by type, what it is derived from; a cache
	rivals  []map[string]bool          // for each type with a member of that name, all of its members
	family  map[string]bool            // the owner and its ancestors, nil when they are not all known
	bases   map[string]bool            // the types of the project that the owner extends or implements
	holders map[string]map[string]bool // by member of a shape, the types that have it
	asked   map[source]Verdict
	others  []string            // the other types with a member of that name
	again   []place             // the declarations of a member of that name in other types
	near    map[int][]span      // by file, the declarations that the owner or one of the others is made for
	strings []string            // the only strings that the member can hold, nil for any value
	enums   map[string]bool     // the enums of the project
	holds   map[string]bool     // the types of the project that the member holds, by name
	method  bool                // the member is called by those who use it
	called  map[receiver]Weight // by receiver, what its name says; a cache
}

// place is a declaration and its file.
type place struct {
	file int
	decl lang.Decl
}

// New returns a Judge for a member. mentions are all mentions that it will judge.
func New(p Project, owner, member string, mentions []lang.Mention) *Judge {
	j := &Judge{
		project: p, owner: owner, types: make(map[string][]place), values: make(map[string][]place), tags: make(map[string][]place), allowed: make(map[string][]string), holds: make(map[string]bool), enums: make(map[string]bool),
		derived: map[string]bool{owner: true}, reached: map[string]bool{owner: true}, made: make(map[string][]string), asked: make(map[source]Verdict),
		holders: make(map[string]map[string]bool), near: make(map[int][]span), called: make(map[receiver]Weight),
	}
	for _, m := range mentions {
		if m.Shape != nil {
			for _, n := range m.Shape.Names {
				j.holders[n] = make(map[string]bool)
			}
			for n := range m.Shape.Values {
				j.tags[n] = nil
			}
		}
		if m.Origin >= lang.Returned {
			for _, n := range m.Named.Names {
				j.values[n] = nil
			}
		}
	}
	own := j.read(member)
	j.strings, j.method = j.held(own), len(own) > 0
	for _, p := range own {
		head := j.project.Head(p.file, p.decl)
		j.method = j.method && head.Called
		for _, n := range head.Is.Names {
			j.holds[n] = len(j.types[n]) > 0
		}
	}
	for name, declarations := range j.tags {
		j.allowed[name] = j.held(declarations)
	}
	j.findNear()
	return j
}

// read goes through the declarations of all files and keeps those that matter for the member. It
// returns those of the member itself.
func (j *Judge) read(member string) (own []place) {
	redeclared := make(map[string]int) // by type, in how many files it declares the member
	for i := range j.project.Len() {
		var owners map[string]map[string]bool
		j.project.EachDecl(i, func(d *lang.Decl) {
			j.declared(i, d)
			if d.In != "" && d.Name == member {
				if owners == nil {
					owners = make(map[string]map[string]bool)
				}
				if owners[d.In] == nil && d.Class.Member() {
					redeclared[d.In[strings.LastIndexByte(d.In, '.')+1:]]++
				}
				owners[d.In] = make(map[string]bool)
				if d.In == j.owner {
					own = append(own, place{i, *d})
				} else {
					j.again = append(j.again, place{i, *d})
				}
			}
		})
		if owners != nil {
			j.addRivals(i, owners)
		}
	}
	for name, n := range redeclared {
		if name != j.owner {
			j.others = append(j.others, name)
		}
		if name != j.owner && n >= len(j.types[name]) {
			j.reached[name] = false // it does not have the owner's
		}
	}
	j.family = j.inherited()
	return own
}

// held returns the only strings, and members of enums, that the declarations of a member allow, nil when
// one of them allows any other value.
func (j *Judge) held(declarations []place) []string {
	var all []string
	for _, p := range declarations {
		values := j.project.Head(p.file, p.decl).Values
		if values == nil || slices.ContainsFunc(values, func(v string) bool { return enumOf(v) != "" && !j.enums[enumOf(v)] }) {
			return nil
		}
		all = append(all, values...)
	}
	return all
}

// addRivals records the members of the owners in a file.
func (j *Judge) addRivals(i int, owners map[string]map[string]bool) {
	j.project.EachDecl(i, func(d *lang.Decl) {
		if set := owners[d.In]; set != nil {
			set[d.Name] = true
		}
	})
	for _, set := range owners {
		j.rivals = append(j.rivals, set)
	}
}

// declared records a declaration if it is needed.
func (j *Judge) declared(file int, d *lang.Decl) {
	switch {
	case d.Class == lang.TypeAlias || d.Class == lang.Interface || d.Class == lang.ClassDecl:
		j.types[d.Name] = append(j.types[d.Name], place{file, *d})
		return
	case d.Class == lang.Enum:
		j.enums[d.Name] = true
	case d.Name == "constructor":
		if of, wanted := j.values[d.In]; wanted {
			j.values[d.In] = append(of, place{file, *d})
		}
	}
	if of, wanted := j.values[d.Name]; wanted {
		j.values[d.Name] = append(of, place{file, *d})
	}
	if of, wanted := j.tags[d.Name]; wanted && d.In == j.owner {
		j.tags[d.Name] = append(of, place{file, *d})
	}
	if of := j.holders[d.Name]; of != nil && d.In != "" {
		of[d.In[strings.LastIndexByte(d.In, '.')+1:]] = true
	}
}

// has reports whether the owner, or a type derived from it, has a member.
func (j *Judge) has(member string) bool {
	for in := range j.holders[member] {
		if j.family[in] || j.reaches(j.derived, in) {
			return true
		}
	}
	return false
}

// Judge returns the verdict on a mention.
func (j *Judge) Judge(m lang.Mention) Verdict {
	v := Unknown
	switch {
	case m.Shape != nil && j.contradicted(m.Shape.Values):
		return Doubtful
	case m.Says == lang.Owned:
		return Sure
	case m.Origin == lang.Literal:
		return Doubtful
	case m.Origin == lang.Declared:
		v = j.verdict(m.Named, Sure)
	case m.Says == lang.Disowned:
		return Against
	case m.Origin > lang.Declared:
		v = j.looked(source{origin: m.Origin, name: m.Named.Names[0], item: m.Item})
	}
	switch {
	case v == Against || v >= Assignable:
		return v
	case slices.ContainsFunc(m.As.Names, func(n string) bool { return j.holds[n] }):
		return Likely
	case v <= Rare:
		return v
	}
	switch {
	case j.cannotHold(m.Value):
		return Doubtful
	case slices.Contains(j.strings, m.Value):
		v = max(v, Fitting)
	}
	if m.Shape == nil {
		return v
	}
	return j.shaped(v, m.Shape.Names)
}

// contradicted reports whether an object literal gives a member of the owner a string that the member
// cannot hold: the literal is then another of several types that such a member tells apart.
func (j *Judge) contradicted(values map[string]string) bool {
	for name, value := range values {
		if excluded(j.allowed[name], value) {
			return true
		}
	}
	return false
}

// cannotHold reports whether the member can only hold other strings.
func (j *Judge) cannotHold(value string) bool {
	return value != "" && excluded(j.strings, value)
}

// excluded reports whether a value is not allowed although others of its kind are: strings, or members
// of the same enum.
func excluded(allowed []string, value string) bool {
	alike := func(a string) bool { return enumOf(a) == enumOf(value) }
	return !slices.Contains(allowed, value) && slices.ContainsFunc(allowed, alike)
}

// enumOf returns the enum of the value "=Enum.Member", "" for a string.
func enumOf(value string) string {
	object, _, _ := strings.Cut(value, ".")
	if !strings.HasPrefix(value, "=") {
		return ""
	}
	return object[1:]
}

// verdict compares the names of a type with the owner. best is the verdict when the type is
// derived from the owner, unless that redeclares the member.
func (j *Judge) verdict(t lang.TypeNames, best Verdict) Verdict {
	inner, names := false, t.Names
	for _, n := range t.Names {
		if transparent(n) || len(j.types[n]) > 0 && j.types[n][0].decl.Class == lang.TypeAlias {
			names = slices.Concat(names, t.Inner)
			break
		}
	}
	redeclared := false
	for _, n := range names {
		if j.reaches(j.reached, n) {
			return best
		}
		redeclared = redeclared || j.reaches(j.derived, n)
	}
	switch {
	case slices.ContainsFunc(names, func(n string) bool { return j.bases[n] }), redeclared && j.isInterface():
		return Assignable
	case redeclared:
		return Doubtful
	}
	for _, n := range t.Inner {
		inner = inner || j.reaches(j.reached, n)
	}
	if t.Open || inner || len(names) == 0 {
		return Unknown
	}
	return Against
}

// source is the function or property from which a value comes.
type source struct {
	origin lang.Origin
	name   string
	item   bool // the value is an element of the list that comes from there
}

// types returns the type of the value in a declaration of its source.
func (s source) types(head lang.Head) lang.TypeNames {
	t := head.Is
	switch s.origin {
	case lang.Returned:
		t = head.Result
	case lang.Passed:
		t = head.Takes
	}
	if s.item {
		return lang.TypeNames{Names: t.Inner, Open: t.Open}
	}
	return t
}

// looked returns the verdict from the declarations of the function or property that a clue names.
func (j *Judge) looked(s source) Verdict {
	if v, ok := j.asked[s]; ok {
		return v
	}
	var all poll
	for _, p := range j.values[s.name] {
		all.add(j.verdict(s.types(j.project.Head(p.file, p.decl)), Sure))
	}
	v := all.result()
	if s.origin == lang.Passed && len(j.values[s.name]) == 0 {
		v = Doubtful // a function of a package takes no type of the project
	}
	j.asked[s] = v
	return v
}

// poll counts the verdicts of several declarations.
type poll struct {
	yes, no, open int
	doubtful      bool // one of no is a doubt
	assignable    bool // one of yes is not sure
}

func (p *poll) add(v Verdict) {
	switch v {
	case Sure, Assignable:
		p.yes++
		p.assignable = p.assignable || v == Assignable
	case Doubtful, Against:
		p.no++
		p.doubtful = p.doubtful || v == Doubtful
	default:
		p.open++
	}
}

// result returns the verdict of all.
func (p poll) result() Verdict {
	others := p.no + p.open
	switch {
	case p.yes > 0 && others == 0 && p.assignable:
		return Assignable
	case p.yes > 0 && others == 0:
		return Sure
	case 3*p.yes > others:
		return Likely
	case p.yes > 0:
		return Scarce
	case p.no > 0 && p.open == 0 && p.doubtful:
		return Doubtful
	case p.no > 0 && p.open == 0:
		return Against
	case p.no > p.open:
		return Rare
	}
	return Unknown
}

// reaches reports whether a type of this name is the owner or derived from it. known holds earlier
// answers, by name; it adds those that it finds.
func (j *Judge) reaches(known map[string]bool, name string) bool {
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
func (j *Judge) madeOf(name string) []string {
	if out, known := j.made[name]; known {
		return out
	}
	var out []string
	for _, p := range j.types[name] {
		is := j.project.Head(p.file, p.decl).Is
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

// shaped corrects a verdict by the other members of the receiver.
func (j *Judge) shaped(v Verdict, names []string) Verdict {
	if j.family == nil {
		return v
	}
	seen := make(map[string]bool)
	for _, n := range names {
		if !common(n) {
			seen[n] = true
		}
	}
	for n := range seen {
		if !j.has(n) {
			return min(v, Doubtful)
		}
	}
	fits := 0
	for _, r := range j.rivals {
		all := true
		for n := range seen {
			all = all && r[n]
		}
		if all {
			fits++
		}
	}
	if len(seen) > 1 && fits <= 2 {
		return max(v, Fitting)
	}
	return v
}

// transparent reports whether a generic type stands for its argument, as Promise does.
func transparent(name string) bool {
	switch name {
	case "Promise", "Awaited", "Readonly", "Partial", "Required", "Omit", "Pick", "NonNullable", "Exclude", "Extract", "PromiseLike":
		return true
	}
	return false
}

// common reports whether every object has a member of that name.
func common(name string) bool {
	switch name {
	case "toString", "hasOwnProperty", "valueOf", "constructor", "prototype", "then", "catch", "finally":
		return true
	}
	return false
}
