package index

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/graph"
	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/words"
)

// definition is a kota.Definition with what is needed to follow it through imports.
type definition struct {
	kota.Definition
	file   int
	in     string // the declaration it is a member of, "" at the top level
	passed bool   // the file re-exports it under this name
	whole  bool   // it is a module exported as a namespace
	deflt  bool   // it is the default export, named after its file
	direct bool   // it is a member that the file exports, as "export =" does with those of a namespace
	// beside is what has the same name in the namespace that shares its name with the type whose
	// instances have this member; nil for none.
	beside *definition
	// written means that it stands in an object, and is used through that.
	written bool
}

// isInstance reports whether instances have the member, rather than the owner itself.
func (d definition) isInstance() bool {
	return d.in != "" && (d.Kind == lang.Method.String() || d.Kind == lang.Property.String())
}

// local returns the name of a definition in its own file. owner is the name in the question.
func (d definition) local(owner string) string {
	if d.deflt {
		return lang.Default
	}
	return owner
}

// short returns the name of a definition without that of its owner.
func (d definition) short() string { return d.Name[strings.LastIndexByte(d.Name, '.')+1:] }

// path returns the names, with dots, that lead to a definition from the top level of its file.
func (d definition) path() string {
	if d.in == "" {
		return d.short()
	}
	return d.in + "." + d.short()
}

// definitions lists the declarations of a symbol, exported ones first. If only is not negative it
// looks in that file alone.
func (v *view) definitions(owner, member string, only int) []definition {
	name := owner
	if member != "" {
		name = member
	}
	found := make([][]definition, workers())
	share(len(v.tree.files), func(w, i int) {
		f := &v.tree.files[i]
		if (only >= 0 && i != only) || !strings.Contains(f.facts, name) && words.Stem(f.path) != name {
			return
		}
		found[w] = append(found[w], v.declared(i, owner, member)...)
	})
	all := slices.Concat(found...)
	if len(all) == 0 && member == "" {
		return passes(v, only, name)
	}
	if len(all) == 0 && member != "" && !strings.Contains(owner, ".") { // a module by the name of its file
		for i := range v.tree.files {
			if words.Stem(v.name(i)) == owner && (only < 0 || i == only) && slices.Contains(v.exportsOf(i), member) {
				all = append(all, v.declared(i, member, "")...)
			}
		}
	}
	// Prefer declarations to re-exports, top-level names to others, and others to members.
	for _, better := range []func(definition) bool{
		func(d definition) bool {
			return (!d.passed || d.whole) && (d.in == "" || member != "" || d.direct && !d.written)
		},
		func(d definition) bool { return d.written },
		func(d definition) bool { return d.in == "" },
		func(d definition) bool { return member == "" && !d.isInstance() },
	} {
		if slices.ContainsFunc(all, better) {
			all = slices.DeleteFunc(all, func(d definition) bool { return !better(d) })
			break
		}
	}
	slices.SortFunc(all, func(a, b definition) int {
		return cmp.Or(falseFirst(b.Exported, a.Exported), strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	return all
}

// declared lists what a file declares under a name, at most one definition for each container. A
// name that both a namespace and instances of its type have is one definition of both.
func (v *view) declared(i int, owner, member string) []definition {
	facts := v.all(i, codec.WithImports|codec.WithDecls)
	object := facts.Meant(owner, words.Stem(v.name(i)))
	var out []definition
	add := func(d definition) {
		d.file, d.File, d.Label = i, v.name(i), v.label(i)
		k := slices.IndexFunc(out, func(o definition) bool { return o.in == d.in })
		switch {
		case k < 0:
			out = append(out, d)
		case out[k].isInstance() && !d.isInstance():
			out[k].beside = cmp.Or(out[k].beside, &d)
		case d.isInstance() && !out[k].isInstance():
			was := out[k]
			d.beside = &was
			out[k] = d
		}
	}
	for _, d := range facts.Decls {
		full := kota.Definition{Line: d.Line, End: kota.Number(d.End), Name: d.Name, Kind: d.Class.String(), Exported: d.Exported}
		if d.In != "" {
			full.Name = shown(v.name(i), d.In+"."+d.Name)
		}
		switch {
		case member == "" && d.Name == owner, member != "" && d.Name == member && (d.In == object || strings.HasSuffix(d.In, "."+owner)):
			add(definition{Definition: full, in: d.In, direct: facts.ExportsMember(d, member != ""), written: facts.Written(d)})
		case member != "" && d.Name == member && d.In == "" && facts.Unit == owner:
			add(definition{Definition: full})
		}
	}
	if held := facts.Held(object, member); held != "" && len(out) == 0 {
		owner, member = words.Parts(held)
		return v.declared(i, owner, member)
	}
	if member == "" && !slices.ContainsFunc(out, func(d definition) bool { return d.in == "" }) {
		for _, x := range facts.Exports {
			if d, ok := exported(x, owner, &facts, v.name(i)); ok {
				add(d)
			}
		}
	}
	return out
}

// exported returns the definition of an export that has no declaration of its name in the file: a
// re-export, an export of a file whose declarations were not read, or a default export that is
// known by the name of its file.
func exported(x lang.Export, owner string, facts *lang.Facts, file string) (definition, bool) {
	d := definition{Definition: kota.Definition{Line: x.Line, End: kota.Number(x.Line), Name: owner, Kind: "re-export", Exported: true}, passed: true}
	switch {
	case x.Name == lang.Default && x.Local == lang.Default && x.From < 0 && words.Stem(file) == owner:
		d.Kind, d.passed, d.deflt = "default export", false, true
		return d, true
	case x.Name != owner:
		return d, false
	case x.From >= 0 && x.Local == lang.Namespace, x.From < 0 && facts.IsNamespace(x.Local):
		d.Kind, d.whole = lang.NamespaceDecl.String(), true
		return d, true
	case x.From < 0 && facts.ImportsOnly:
		d.Kind, d.passed = "export, in a file read for its imports alone", false
		return d, true
	}
	return d, x.Name != x.Local
}

// passes returns the re-export by which a file passes a name on as it is, none for another name or
// when only is negative.
func passes(v *view, only int, name string) []definition {
	if only < 0 || !slices.Contains(v.exportsOf(only), name) {
		return nil
	}
	line := 0
	for _, x := range v.facts(only).Exports {
		if x.Name == name {
			line = x.Line
		} else if x.Name == lang.Namespace && line == 0 && x.From >= 0 {
			if to := v.tree.find(v.tree.files[only].edges[x.From].to); to >= 0 && slices.Contains(v.exportsOf(to), name) {
				line = x.Line
			}
		}
	}
	return []definition{{
		Definition: kota.Definition{File: v.name(only), Line: line, End: kota.Number(line), Name: name, Kind: "re-export", Exported: true, Label: v.label(only)},
		file:       only, passed: true,
	}}
}

// bindsMember reports whether uses of a member can be found through the owner's name, as with
// enums and namespaces. Members of a class are used through instances instead.
func (v *view) bindsMember(d definition) bool {
	if d.Kind == lang.EnumMember.String() || d.isInstance() {
		return d.Kind == lang.EnumMember.String()
	}
	if d.written {
		return true
	}
	// A namespace may share its name with a type or a function.
	return slices.ContainsFunc(v.all(d.file, codec.WithDecls).Decls, func(o lang.Decl) bool {
		return o.Class == lang.NamespaceDecl && strings.TrimPrefix(o.In+"."+o.Name, ".") == d.in
	})
}

// typed returns the member of an object's declared type that a function in the object implements:
// the function is used through that type, too. ok is false when there is none.
func (u *usageList) typed(d definition) (t definition, ok bool) {
	decls := u.all(d.file, codec.WithDecls).Decls
	at := slices.IndexFunc(decls, func(o lang.Decl) bool { return d.written && o.Name == d.in && o.In == "" })
	if at < 0 {
		return t, false
	}
	is := u.files.Languages.Of(d.File).Head(u.source(d.file).Span(decls[at].Line, decls[at].End), decls[at])
	dist := u.graph.Reach([]int{d.file}, graph.AnyDepth, u.graph.Out)
	for _, name := range slices.Concat(is.Names, is.Inner) {
		all := slices.DeleteFunc(u.definitions(name, d.short(), -1), func(m definition) bool { return !m.isInstance() || dist[m.file] < 0 })
		if len(all) > 0 && u.ownName(d.file, name) {
			return slices.MinFunc(all, func(a, b definition) int { return int(dist[a.file] - dist[b.file]) }), true
		}
	}
	return t, false
}

// symbols lists the top-level names of all files, sorted, each once.
func (v *view) symbols() []string {
	found := make([][]string, workers())
	share(len(v.tree.files), func(w, i int) {
		for _, d := range v.all(i, codec.WithDecls).Decls {
			if d.In == "" {
				found[w] = append(found[w], d.Name)
			}
		}
	})
	all := slices.Concat(found...)
	slices.Sort(all)
	return slices.Compact(all)
}
