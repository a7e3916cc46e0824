package index

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/graph"
	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/members"
	"github.com/coctostan/pictx/kota/words"
)

// byName lists the lines that mention a member of that name. Without a type checker the type of a
// receiver is not known, so the lines are sorted by weight.
func (u *usageList) byName(d definition) {
	u.Definition, u.Confidence = &d.Definition, "name"
	m := u.memberSearch(d)
	found := make([][]members.Candidate, len(u.tree.files))
	if l := u.files.Languages.Of(d.File); l.Members != nil {
		m.Checked(l.Members(u.ctx, sourcesOf(u.view), lang.MemberSearch{File: d.File, Owner: m.Owner, Name: m.Name, Mentions: func(p string) bool {
			return strings.Contains(u.tree.files[u.tree.find(p)].facts, m.Name)
		}}), found, u.tree.find)
	} else {
		u.mentions(m, found)
	}
	listed := members.Doubted
	if u.isOnly(d) { // nothing else has a member of that name
		listed = members.FarAway
	}
	for _, r := range m.ranked(u, found) {
		usage := kota.Usage{Likely: r.weight >= members.Assigned, Unlikely: r.weight < listed}
		u.add(r.file, usage, slices.DeleteFunc(r.lines, func(l int) bool { return slices.Contains(u.bind[r.file], l) }))
	}
}

// mentions finds the candidates of a member in all files, and weighs them by what the files say of types.
func (u *usageList) mentions(m *memberSearch, found [][]members.Candidate) {
	buffers := make([][]byte, workers())
	share(len(u.tree.files), func(w, i int) {
		f := &u.tree.files[i]
		if f.kind != Code || f.facts == "" || f.marks.Any(codec.ImportsOnly) || u.ctx.Err() != nil {
			return
		}
		data, err := readInto(u.files.at(f.path), buffers[w])
		buffers[w] = data
		if err == nil && bytes.Contains(data, []byte(m.Name)) {
			found[i] = m.Candidates(i, f.path, u.files.Languages.Of(f.path), data)
		}
	})
	m.Weigh(&declarations{view: u.view, sources: make(map[int]lang.Text)}, found)
}

// weighted are the lines of a file that have the same weight.
type weighted struct {
	file   int
	weight members.Weight
	lines  []int
}

// ranked lists the candidates, likeliest first.
func (m *memberSearch) ranked(u *usageList, found [][]members.Candidate) []weighted {
	var all []weighted
	for i, list := range found {
		at := make(map[members.Weight][]int)
		for _, c := range list {
			at[c.Weight] = append(at[c.Weight], c.Line)
		}
		for weight, lines := range at {
			all = append(all, weighted{i, weight, lines})
		}
	}
	// Members of tests are mostly used by tests, others mostly by production code.
	apart := u.isProduction(m.File)
	slices.SortFunc(all, func(a, b weighted) int {
		return cmp.Or(
			int(b.weight-a.weight), falseFirst(a.file != m.File, b.file != m.File),
			falseFirst(apart && !u.isProduction(a.file), apart && !u.isProduction(b.file)),
			int(m.dist[a.file]-m.dist[b.file]), words.SharedDirs(u.name(b.file), u.name(m.File))-words.SharedDirs(u.name(a.file), u.name(m.File)),
			len(b.lines)-len(a.lines), a.file-b.file,
		)
	})
	return all
}

// memberSearch is the search for the uses of one member.
type memberSearch struct {
	members.Search
	dist []int32 // number of imports from each file to the owner, negative for none
}

// memberSearch prepares the search for the uses of a member.
func (u *usageList) memberSearch(d definition) *memberSearch {
	m := &memberSearch{Search: members.Search{
		Owner: d.in[strings.LastIndexByte(d.in, '.')+1:], Name: d.short(), File: d.file, Declared: d.Line,
		Importers: map[int]string{d.file: d.in[strings.LastIndexByte(d.in, '.')+1:]},
	}}
	m.dist = u.graph.Reach([]int{d.file}, graph.AnyDepth, u.graph.In)
	m.Reaches = func(i int) bool { return m.dist[i] >= 0 }
	m.Rivaled = func(i int) bool { return i != d.file && u.ownName(i, m.Owner) }
	var items []item
	for _, x := range u.facts(d.file).Exports {
		if x.Local == m.Owner && x.From < 0 {
			items = append(items, item{name: x.Name})
		}
	}
	u.follow(u.ctx, d.file, items, func(b binding) {
		if b.local != "" {
			m.Importers[b.file] = b.local
		}
	})
	return m
}

// ownName reports whether a file declares or imports a type of that name.
func (u *usageList) ownName(i int, name string) bool {
	facts := u.all(i, codec.WithImports|codec.WithDecls)
	return slices.ContainsFunc(facts.Decls, func(d lang.Decl) bool { return d.In == "" && d.Name == name }) ||
		slices.ContainsFunc(facts.Imports, func(im lang.Import) bool {
			return slices.ContainsFunc(im.Names, func(n lang.Name) bool { return n.Local == name })
		})
}

// isOnly reports whether no other declaration of a member has the name of this one.
func (v *view) isOnly(d definition) bool {
	only := true
	for i := range v.tree.files {
		if facts := v.tree.files[i].facts; strings.Contains(facts, d.short()) {
			codec.EachDecl(facts, func(o *lang.Decl) {
				only = only && (o.Name != d.short() || o.In == "" || o.In == d.in && i == d.file)
			})
		}
	}
	return only
}

// maxSources is the total size, in bytes, of the cached sources in which declarations are read.
const maxSources = 16 << 20

// declarations gives package members access to the declarations of all files.
type declarations struct {
	*view
	sources map[int]lang.Text
	size    int // of the sources, in bytes
}

// Len implements members.Project.
func (d *declarations) Len() int { return len(d.tree.files) }

// EachDecl implements members.Project.
func (d *declarations) EachDecl(i int, fn func(*lang.Decl)) {
	if facts := d.tree.files[i].facts; facts != "" {
		codec.EachDecl(facts, fn)
	}
}

// Head implements members.Project.
func (d *declarations) Head(i int, decl lang.Decl) lang.TypeNames {
	text, ok := d.sources[i]
	if !ok {
		text = d.source(i)
		if d.size += len(text.Data); d.size > maxSources {
			clear(d.sources)
			d.size = len(text.Data)
		}
		d.sources[i] = text
	}
	return d.files.Languages.Of(d.name(i)).Head(text.Span(decl.Line, decl.End), decl)
}
