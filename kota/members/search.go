package members

import (
	"cmp"
	"slices"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/words"
)

// Weight is how likely a line with a member's name means this owner's member; higher is more
// likely. The receiver is the expression before the dot.
type Weight int

// The weights.
const (
	FarAway   Weight = iota // its file cannot reach the owner's file through imports
	Contrary                // the receiver has another type
	Doubted                 // the receiver probably has another type
	Foreign                 // by its name the type is the owner's, but nothing imports that into the file
	Reachable               // the file reaches the owner's; nothing else is known
	Assigned                // the receiver is declared with a type that an owner can be assigned to
	Typed                   // the receiver is declared with the owner's type, or one derived from it
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
	File        int            // the file that declares the member
	Declared    int            // the line of the member
	Importers   map[int]string // files that import the owner, with its local name
	// Reaches reports whether imports lead from a file to the owner.
	Reaches func(i int) bool
	// Rivaled reports whether a file means another type by the owner's name.
	Rivaled func(i int) bool
}

// Candidates lists the lines of a file that mention the member.
func (s *Search) Candidates(i int, file string, l *lang.Language, data []byte) []Candidate {
	owner := cmp.Or(s.Importers[i], s.Owner)
	list, ok := l.Mentions(file, data, lang.MentionQuery{Name: s.Name, Owner: owner})
	if !ok {
		return s.inText(i, data)
	}
	out := make([]Candidate, 0, len(list))
	for k, x := range list {
		for n, name := range x.Type.Names {
			if name == owner {
				x.Type.Names[n] = s.Owner
			}
		}
		out = append(out, Candidate{Line: x.Line, far: !s.Reaches(i), mention: &list[k]})
	}
	return out
}

// inText lists candidates by text search, for a file that is not all script.
func (s *Search) inText(i int, data []byte) (out []Candidate) {
	words.EachMember(data, []byte(s.Name), func(line int, receiver string) {
		weight := FarAway
		switch {
		case !s.Reaches(i):
		case receiver != "" && receiver == s.Importers[i]:
			weight = Certain
		case receiver != "this": // it is another class
			weight = Reachable
		}
		out = append(out, Candidate{Line: line, Weight: weight})
	})
	return out
}

// Weigh weighs the candidates of all files, by number of the file, and keeps the heaviest of each
// line. It adds the declarations of the member in the types that the owner is assigned to, and in
// those that are assigned to it.
func (s *Search) Weigh(p Project, found [][]Candidate) {
	j := newJudge(p, s.Owner, s.Name)
	for i, list := range found {
		for k := range list {
			if list[k].mention != nil {
				list[k].Weight = s.weight(j, i, list[k])
			}
		}
	}
	for _, p := range j.relatives() {
		if p.File != s.File || p.Line != s.Declared {
			found[p.File] = append(found[p.File], Candidate{Line: p.Line, Weight: Assigned})
		}
	}
	for i, list := range found {
		found[i] = best(list)
	}
}

// Checked returns the candidates of the uses that a language's own type checker found, by number of
// the file. number returns that of a path.
func (s *Search) Checked(uses []lang.MemberUse, found [][]Candidate, number func(path string) int) {
	weights := [...]Weight{lang.Unsaid: Reachable, lang.Owned: Typed, lang.Disowned: Contrary, lang.Assignable: Assigned}
	for _, u := range uses {
		if i := number(u.File); i != s.File || u.Line != s.Declared {
			found[i] = append(found[i], Candidate{Line: u.Line, Weight: weights[u.Says]})
		}
	}
	for i, list := range found {
		found[i] = best(list)
	}
}

// weight returns the weight of a candidate with a mention.
func (s *Search) weight(j *judge, file int, c Candidate) Weight {
	m := *c.mention
	w := j.judge(m)
	if w == Reachable && m.Receiver == "this" {
		w = Contrary
	}
	switch {
	case w == Assigned && !m.Dotted: // a literal of a base type is not an owner
		return Doubted
	case !c.far || w == Assigned: // what is assigned to a base need not be known there
		return w
	case w >= Assigned && s.Rivaled(file):
		return Contrary
	case w >= Assigned:
		return Foreign
	}
	// A value may still reach the file through others.
	return min(max(w-Reachable, FarAway), Contrary)
}

// best keeps the heaviest candidate of each line.
func best(list []Candidate) []Candidate {
	slices.SortFunc(list, func(a, b Candidate) int { return cmp.Or(a.Line-b.Line, int(b.Weight-a.Weight)) })
	return slices.CompactFunc(list, func(a, b Candidate) bool { return a.Line == b.Line })
}
