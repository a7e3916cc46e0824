package members

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/naming"
)

// Weight is how likely a line with a member's name means this owner's member; higher is more
// likely. The receiver is the expression before the dot.
type Weight int

// The weights.
const (
	FarAway   Weight = iota // its file cannot reach the owner's file through imports
	Contrary                // the file declares the receiver with another type
	Doubted                 // the receiver has members that the owner lacks, or is more like another type
	Foreign                 // by its name the type is the owner's, but nothing imports that into the file
	Reachable               // the file reaches the owner's; nothing else is known
	Similar                 // the receiver has several members of the owner
	Kindred                 // the receiver is named after several types, of which the owner is one
	Named                   // the receiver is named after the owner
	Probable                // the receiver comes from a function or property of a name that elsewhere gives an owner
	Nearby                  // it stands in what the owner is made for, as ButtonProps is for Button
	Derived                 // by the types in other files, it is the owner's, or that of one of several owners
	Assigned                // the receiver is declared with a type that an owner can be assigned to
	Typed                   // the receiver is declared with the owner's type
	Certain                 // the receiver is the owner itself, or "this" inside it
)

// Candidate is a line that mentions a member of that name.
type Candidate struct {
	Line   int
	Weight Weight

	far     bool          // its file cannot refer to the owner
	mention *lang.Mention // set while the weight is still to be derived from it
}

// Place is a line of a file.
type Place struct{ File, Line int }

// Search is a search for the uses of one member of one owner.
type Search struct {
	Owner, Name string
	File        int // the file that declares the member
	Declared    int // the line of the member
	Home        int // the file that declares the owner
	From, To    int // first and last line of the owner
	Hidden      bool
	Instances   bool            // the owner is a class whose instances have the member
	Importers   map[int]string  // files that import the owner, with its local name
	Everywhere  map[string]bool // names that are declared with the owner's type in files that import it
	Types       map[string]bool // types derived from the owner
	Makers      map[string]bool // functions that return an owner
	Bases       map[string]bool // interfaces that the owner implements by its methods
	Relatives   []Place         // where types that implement each other by their methods declare the member
	// Reaches reports whether imports lead from a file to the owner.
	Reaches func(i int) bool
	// Rivaled reports whether a file means another type by the owner's name.
	Rivaled func(i int) bool
}

// Candidates lists the lines of a file that mention the member.
func (s *Search) Candidates(i int, file string, l *lang.Language, data []byte) []Candidate {
	types := s.Types
	if local := s.Importers[i]; local != "" {
		types = maps.Clone(types)
		types[local] = true
	}
	list, ok := l.Mentions(file, data, lang.MentionQuery{Name: s.Name, Types: types, Makers: s.Makers, Instances: s.Instances})
	if !ok {
		return s.inText(i, l, data)
	}
	out := make([]Candidate, 0, len(list))
	for k, x := range list {
		out = append(out, Candidate{Line: x.Line, far: s.far(i), mention: &list[k]})
	}
	return out
}

// far reports whether a file cannot refer to the owner.
func (s *Search) far(i int) bool { return !s.Reaches(i) || s.Hidden && i != s.Home }

// inText lists candidates by text search, for a language that cannot list mentions.
func (s *Search) inText(i int, l *lang.Language, data []byte) []Candidate {
	local := s.Importers[i]
	var names map[string]bool
	if local != "" {
		names = l.Typed(data, local)
	}
	based := make(map[string]bool)
	for b := range s.Bases {
		maps.Copy(based, l.Typed(data, b))
	}
	extends := local != "" && (bytes.Contains(data, []byte("extends "+local)) || bytes.Contains(data, []byte("implements "+local)))
	var out []Candidate
	naming.EachMember(data, []byte(s.Name), func(line int, receiver string, dotted bool) {
		if i == s.File && line == s.Declared {
			return
		}
		weight, inside := FarAway, i == s.Home && s.From <= line && line <= s.To
		switch {
		case dotted && based[receiver]:
			weight = Assigned
		case s.far(i):
		case receiver == "this" && inside, dotted && receiver == local && local != "":
			weight = Certain
		case receiver == "this" && extends, dotted && names[receiver]:
			weight = Typed
		case dotted && receiver != "this" && s.likeOwner(receiver):
			weight = Named
		case dotted && receiver == "this": // it is another class
		default:
			weight = Reachable
		}
		out = append(out, Candidate{Line: line, Weight: weight})
	})
	return out
}

// likeOwner reports whether a receiver is called like what holds an owner.
func (s *Search) likeOwner(receiver string) bool {
	return s.Everywhere[receiver] || naming.Alike(receiver, s.Owner) > naming.Unlike
}

// named weighs a mention by the name of the receiver, or of the function that returned it.
func (s *Search) named(j *Judge, x lang.Mention, v Verdict) Weight {
	if !x.Dotted {
		return Reachable
	}
	w := j.named(receiver{x.Receiver, s.Everywhere[x.Receiver] && v != Scarce})
	if x.Origin == lang.Returned {
		w = max(w, j.named(receiver{name: x.Named.Names[0]}))
	}
	return w
}

// Weigh weighs the candidates of all files, by number of the file, and keeps the heaviest of each
// line.
func (s *Search) Weigh(p Project, found [][]Candidate) {
	var all []lang.Mention
	for _, list := range found {
		for _, c := range list {
			if c.mention != nil {
				all = append(all, *c.mention)
			}
		}
	}
	var judge *Judge
	if len(all) > 0 {
		judge = New(p, s.Owner, s.Name, all)
	}
	for i, list := range found {
		for k := range list {
			if list[k].mention != nil {
				list[k].Weight = s.weight(judge, i, list[k])
			}
		}
	}
	relatives := s.Relatives
	if judge != nil {
		for _, p := range judge.relatives() {
			relatives = append(relatives, Place{p.file, p.decl.Line})
		}
	}
	for _, p := range relatives {
		if p.File != s.File || p.Line != s.Declared {
			found[p.File] = append(found[p.File], Candidate{Line: p.Line, Weight: Assigned})
		}
	}
	for i, list := range found {
		found[i] = best(list)
	}
}

// weight returns the weight of a candidate with a mention.
func (s *Search) weight(judge *Judge, file int, c Candidate) Weight {
	v := judge.Judge(*c.mention)
	if v == Assignable {
		return Assigned // its file need not know the owner
	}
	w := s.weightOf(judge, *c.mention, v)
	switch near := judge.Near(file, c.Line); {
	case near && v == Rare:
		w = Similar
	case near && Reachable <= w && w < Nearby:
		w = Nearby
	case Reachable <= w && (w < Named || w == Named && naming.Alike(c.mention.Receiver, s.Owner) == naming.Unlike) && judge.Elsewhere(file, c.Line):
		w = Doubted
	}
	switch {
	case !c.far:
		return w
	case w >= Derived && s.Rivaled(file):
		return Contrary
	case w >= Derived:
		return Foreign
	}
	// A value may still reach the file through others.
	return min(max(w-Reachable, FarAway), Contrary)
}

// weightOf returns the weight of a mention with a verdict, as if its file reached the owner.
func (s *Search) weightOf(j *Judge, x lang.Mention, v Verdict) Weight {
	switch {
	case v == Sure && j.cannotHold(x.Value): // it is one of several types
		return Nearby
	case x.Says == lang.Owned:
		return Typed
	case v == Sure:
		return Derived
	case v == Against || x.Receiver == "this":
		return Contrary
	case v == Doubtful || v == Rare:
		return Doubted
	case v == Likely:
		return Probable
	}
	w := s.named(j, x, v)
	switch {
	case w == Doubted, w < Named && x.Dotted && !x.Called && j.method:
		return Doubted
	case v == Fitting:
		return max(w, Similar)
	}
	return w
}

// best keeps the heaviest candidate of each line.
func best(list []Candidate) []Candidate {
	slices.SortFunc(list, func(a, b Candidate) int { return cmp.Or(a.Line-b.Line, int(b.Weight-a.Weight)) })
	return slices.CompactFunc(list, func(a, b Candidate) bool { return a.Line == b.Line })
}
