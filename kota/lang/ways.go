package lang

import (
	"slices"
	"strings"
)

// Way is how other files come by something that a file exports: by its name or, when Member is not
// empty, by that member of the object with the name. Member may be a path "a.b".
type Way struct{ Name, Member string }

// Held reports whether the export is of what stands around a namespace or an object, and is a member
// of it because it is exported there: as in "export default { a }".
func (x Export) Held() bool {
	return x.From < 0 && strings.Contains(x.Name, ".") && !strings.Contains(x.Local, ".")
}

// Holds reports whether a line of an object of the file only gives a name to what is declared
// elsewhere: as "a," and "b: a," do.
func (f *Facts) Holds(object, local string, line int) bool {
	return slices.ContainsFunc(f.Exports, func(x Export) bool {
		return x.Line == line && x.Local == local && x.Held() && strings.HasPrefix(x.Name, object+".")
	})
}

// Held returns the local name of what an object of the file holds under a name, "" for nothing. The
// default export goes by the name of its file, too.
func (f *Facts) Held(object, member, stem string) string {
	for _, x := range f.Exports {
		if x.Held() && (x.Name == object+"."+member || stem == object && x.Name == Default+"."+member) {
			return x.Local
		}
	}
	return ""
}

// IsPlain reports whether the default export of a file, as other files import it, is the module as a
// whole: in CommonJS there is no other.
func (f *Facts) IsPlain() bool {
	return !slices.ContainsFunc(f.Exports, func(x Export) bool { return x.Name == Default && !x.Whole })
}

// Ways lists how other files come by one of the file's own exports: by its name and, when it is of a
// namespace or an object, as a member of each name under which the file exports that.
func (f *Facts) Ways(x Export) []Way {
	var out []Way
	path := x.Name
	if !x.Held() {
		out, path = append(out, Way{Name: x.Name}), x.Local
	}
	object, member, dotted := strings.Cut(path, ".")
	if x.Held() && slices.ContainsFunc(f.Exports, func(y Export) bool { return y.Whole && y.Local == object }) {
		name, rest, _ := strings.Cut(member, ".")
		out = append(out, Way{Name: name, Member: rest})
	}
	for _, y := range f.Exports {
		switch {
		case !dotted || y.From >= 0 || y.Local != object:
		case !y.Held():
			out = append(out, Way{Name: y.Name, Member: member})
		case !x.Held():
			for _, w := range f.Ways(y) {
				out = append(out, Way{Name: w.Name, Member: strings.Trim(w.Member+"."+member, ".")})
			}
		}
	}
	return out
}
