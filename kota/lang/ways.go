package lang

import (
	"slices"
	"strings"
)

// Way is how other files come by something that a file exports: by its name or, when Member is not
// empty, by that member of the object with the name. Member may be a path "a.b".
type Way struct{ Name, Member string }

// maxPath is how many names a path has at most: modules that export themselves as a namespace would give
// ever longer ones.
const maxPath = 4

// Held reports whether the export is a member that an exported object or namespace takes from around
// it, as "export default { a }" takes a.
func (x Export) Held() bool {
	return x.From < 0 && strings.Contains(x.Name, ".") && x.Name != x.Local
}

// Spreads reports whether the export takes every member of an imported object, as
// "export default { ...a }" does.
func (x Export) Spreads() bool { return x.Held() && strings.HasSuffix(x.Name, "."+Namespace) }

// Written reports whether a declaration stands in an object that is the value of a variable or of the
// default export: it is used through the object.
func (f *Facts) Written(d Decl) bool {
	owner, _, _ := strings.Cut(d.In, ".")
	return owner != "" && d.Class == Function && slices.ContainsFunc(f.Decls, func(o Decl) bool {
		return o.In == "" && o.Name == owner && o.Class >= Const && o.Class <= Var
	})
}

// Shown returns the name of an export or a declaration as people write it: what the default export
// holds goes by the name of its file. A question may name it so.
func Shown(name, stem string) string {
	if member, ok := strings.CutPrefix(name, Default+"."); ok {
		return stem + "." + member
	}
	return name
}

// Meant returns the name in the file of the object that a question names, which may be the default export
// by the name of its file.
func (f *Facts) Meant(object, stem string) string {
	name, rest, nested := strings.Cut(object, ".")
	if name != stem || slices.ContainsFunc(f.Decls, func(d Decl) bool { return d.In == "" && d.Name == name }) {
		return object
	}
	if nested {
		return Default + "." + rest
	}
	return Default
}

// Holds reports whether a line of an object of the file only gives a name to what is declared
// elsewhere: as "a," and "b: a," do.
func (f *Facts) Holds(object, local string, line int) bool {
	return slices.ContainsFunc(f.Exports, func(x Export) bool {
		return x.Line == line && x.Local == local && x.Held() && strings.HasPrefix(x.Name, object+".")
	})
}

// Held returns the local name behind a member of one of the file's objects, or "" if there is none.
func (f *Facts) Held(object, member string) string {
	for _, x := range f.Exports {
		if x.Held() && x.Name == object+"."+member {
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
	path := strings.TrimSuffix(x.Name, "."+Namespace)
	inside := x.Held() || x.Name == x.Local && f.Unit == "" && strings.Contains(x.Name, ".")
	if !inside {
		out, path = append(out, Way{Name: x.Name}), x.Local
	}
	object, member, dotted := strings.Cut(path, ".")
	dotted = dotted || x.Spreads()
	if inside && slices.ContainsFunc(f.Exports, func(y Export) bool { return y.Whole && y.Local == object }) {
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

// Under returns where an imported name has what a way leads to: in the name itself, "", or in a member.
// ok is false when it does not have it. plain and whole say that the module is CommonJS: its default
// export is the module, and a namespace import is its value.
func (w Way) Under(imported string, plain, whole bool) (member string, ok bool) {
	path := strings.TrimSuffix(w.Name+"."+w.Member, ".")
	fits := strings.Count(path, ".") < maxPath-1
	switch {
	case imported == w.Name, imported == Namespace && whole && w.Name == Default:
		return w.Member, true
	case imported == Namespace, imported == Default && plain:
		return path, fits
	case plain && w.Name != Default:
		imported = strings.TrimPrefix(imported, Default+".")
	}
	rest, ok := strings.CutPrefix(path+".", imported+".")
	return strings.TrimSuffix(rest, "."), ok && fits
}

// Of returns the way to what an object has, when w is the way to all that is spread in the object.
func (w Way) Of(member string) Way {
	if w.Name == "" { // the object is the module
		w.Name, member, _ = strings.Cut(member, ".")
	}
	return Way{Name: w.Name, Member: strings.Trim(w.Member+"."+member, ".")}
}
