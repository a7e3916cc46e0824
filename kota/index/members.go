package index

import (
	"bytes"
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/members"
	"github.com/coctostan/pictx/kota/naming"
)

// Weights of a line with a member's name, ascending: how likely it is that this owner's member is
// meant. The receiver is the expression before the dot.
const (
	farAway   = iota // its file cannot reach the owner's file through imports
	against          // the file declares the receiver with another type
	doubtful         // the receiver has members that the owner lacks
	reachable        // the file reaches the owner's; nothing else is known
	fitting          // the receiver has several members of the owner
	named            // the receiver is named after the owner
	probable         // the receiver comes from a function or property of a name that elsewhere gives an owner
	near             // it stands in what the owner is made for, as ButtonProps is for Button
	derived          // by the types in other files, it is the owner's, or that of one of several owners
	typed            // the receiver is declared with the owner's type
	certain          // the receiver is the owner itself, or "this" inside it
)

// candidateLine is a line that mentions a member of that name.
type candidateLine struct {
	line, weight int
	far          bool          // its file cannot refer to the owner
	mention      *lang.Mention // set while the weight is still to be derived from it
}

// byName lists the lines that mention a member of that name. Without a type checker the type of a
// receiver is not known, so the lines are sorted by weight.
func (u *usageList) byName(d definition) {
	u.Definition, u.Confidence = &d.Definition, "name"
	m := u.memberSearch(d)
	found := make([][]candidateLine, len(u.tree.files))
	buffers := make([][]byte, workers())
	share(len(u.tree.files), func(w, i int) {
		f := &u.tree.files[i]
		if f.kind != Code || f.facts == "" || f.header().ImportsOnly || u.ctx.Err() != nil {
			return
		}
		data, err := readInto(u.files.Root+string(filepath.Separator)+f.path, buffers[w])
		buffers[w] = data
		if err == nil && bytes.Contains(data, m.name) {
			found[i] = m.lines(i, data)
		}
	})
	m.judge(u, found)
	type ranked struct {
		file, weight int
		lines        []int
	}
	var all []ranked
	for i, lines := range found {
		at := make(map[int][]int)
		for _, l := range best(lines) {
			at[l.weight] = append(at[l.weight], l.line)
		}
		for weight, lines := range at {
			all = append(all, ranked{i, weight, lines})
		}
	}
	// Members of tests are mostly used by tests, others mostly by production code.
	apart := u.isProduction(d.file)
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(
			b.weight-a.weight, falseFirst(a.file != d.file, b.file != d.file),
			falseFirst(apart && !u.isProduction(a.file), apart && !u.isProduction(b.file)),
			int(m.dist[a.file]-m.dist[b.file]), sharedDirs(u.name(b.file), d.File)-sharedDirs(u.name(a.file), d.File),
			len(b.lines)-len(a.lines), a.file-b.file,
		)
	})
	for _, r := range all {
		u.add(r.file, kota.Usage{Likely: r.weight >= m.likely}, r.lines)
	}
}

// memberSearch is the search for the uses of one member.
type memberSearch struct {
	file       int // the file that declares the member
	home       int // file that declares the owner
	name       []byte
	owner      string
	from, to   int // first and last line of the owner
	declared   int // the line of the member
	dist       []int32
	importers  map[int]string // files that import the owner, with its local name
	likely     int            // the weight from which a line is reported as likely
	everywhere map[string]bool
	types      map[string]bool // types derived from the owner
	makers     map[string]bool // functions that return an owner
	hidden     bool            // the owner is not exported
	instances  bool            // the owner is a class whose instances have the member
	languages  lang.Set
	path       func(i int) string
	typed      func(i int, data []byte, typ string) map[string]bool
}

// memberSearch prepares the search for the uses of a member.
func (u *usageList) memberSearch(d definition) *memberSearch {
	short := d.Name[strings.LastIndexByte(d.Name, '.')+1:]
	m := &memberSearch{
		file: d.file, home: u.home(d), name: []byte(short), owner: d.in[strings.LastIndexByte(d.in, '.')+1:], declared: d.Line,
		importers: map[int]string{}, likely: typed,
		everywhere: make(map[string]bool), types: make(map[string]bool), makers: make(map[string]bool),
		languages: u.files.Languages, path: u.name, typed: u.typed,
	}
	m.dist = u.graph.reach([]int{d.file, m.home}, anyDepth, u.graph.in)
	for _, o := range u.all(m.home, codec.WithDecls).Decls {
		if o.Name == m.owner && (m.home != d.file || o.Line <= d.Line && d.Line <= o.End) {
			m.from, m.to = o.Line, o.End
			m.instances = o.Class == lang.ClassDecl && !ofClass(u.all(d.file, codec.WithDecls).Decls, u.source(d.file), m.owner, short)
		}
	}
	m.importers[m.home] = m.owner
	var items []item
	for _, x := range u.facts(m.home).Exports {
		if x.Local == m.owner && x.From < 0 {
			items = append(items, item{name: x.Name})
		}
	}
	for _, b := range u.follow(u.ctx, m.home, items) {
		if b.local != "" {
			m.importers[b.file] = b.local
		}
	}
	m.hidden = len(items) == 0
	if u.owners(short) == 1 {
		m.likely = reachable // nothing else declares a member of that name
	}
	m.collectNames(u)
	return m
}

// ofClass reports whether the class itself has a member: it is static, or assigned to the class.
func ofClass(decls []lang.Decl, text lang.Text, class, member string) bool {
	return slices.ContainsFunc(decls, func(o lang.Decl) bool {
		line := text.Span(o.Line, o.Line)
		return o.Name == member && o.In == class && (bytes.Contains(line, []byte("static")) || bytes.Contains(line, []byte(class+".")))
	})
}

// home returns the file that declares the owner of a member, which is another file than the
// member's when a method stands apart from its type.
func (v *view) home(d definition) int {
	declares := func(i int) bool {
		return slices.ContainsFunc(v.all(i, codec.WithDecls).Decls, func(o lang.Decl) bool { return o.Name == d.in && o.In == "" })
	}
	for _, a := range v.graph.in(d.file) {
		if a.kinds&(1<<lang.Methods) != 0 && !declares(d.file) && declares(int(a.to)) {
			return int(a.to)
		}
	}
	return d.file
}

// typed lists the names that a file declares with a type.
func (v *view) typed(i int, data []byte, typ string) map[string]bool {
	return v.files.Languages.Of(v.name(i)).Typed(data, typ)
}

// owners counts the declarations that have a member of that name.
func (v *view) owners(name string) int {
	n := make([]int, workers())
	share(len(v.tree.files), func(w, i int) {
		if !strings.Contains(v.tree.files[i].facts, name) {
			return
		}
		in := make(map[string]bool)
		for _, d := range v.all(i, codec.WithDecls).Decls {
			if d.Name == name && d.In != "" {
				in[d.In] = true
			}
		}
		n[w] += len(in)
	})
	total := 0
	for _, k := range n {
		total += k
	}
	return total
}

// collectNames collects, from the files that import the owner, the names that are declared with
// its type, the types that are derived from it and the functions that return it. Properties of
// these names are taken to hold an owner in other files, too.
func (m *memberSearch) collectNames(u *usageList) {
	for i := range m.importers {
		if u.ctx.Err() != nil {
			return
		}
		data := u.source(i).Data
		for name := range u.typed(i, data, m.importers[i]) {
			m.everywhere[name] = true
		}
		types, makers := m.languages.Of(m.path(i)).Related(data, m.importers[i])
		decls := u.all(i, codec.WithDecls).Decls
		for _, t := range types {
			// A type that declares the member itself does not have the owner's.
			own := slices.ContainsFunc(decls, func(d lang.Decl) bool { return d.In == t && d.Name == string(m.name) })
			m.types[t] = m.types[t] || !own
		}
		for _, f := range makers {
			m.makers[f] = true
		}
	}
}

// lines lists the lines of a file that mention the member, each once.
func (m *memberSearch) lines(i int, data []byte) []candidateLine {
	if list, ok := m.mentions(i, data); ok {
		return list
	}
	return m.inText(i, data)
}

// far reports whether a file cannot refer to the owner.
func (m *memberSearch) far(i int) bool { return m.dist[i] < 0 || m.hidden && i != m.home }

// inText lists them by text search, for a language that cannot list mentions.
func (m *memberSearch) inText(i int, data []byte) []candidateLine {
	local := m.importers[i]
	var names map[string]bool
	if local != "" {
		names = m.typed(i, data, local)
	}
	extends := local != "" && (bytes.Contains(data, []byte("extends "+local)) || bytes.Contains(data, []byte("implements "+local)))
	var out []candidateLine
	naming.EachMember(data, m.name, func(line int, receiver string, dotted bool) {
		if i == m.file && line == m.declared {
			return
		}
		weight, inside := farAway, i == m.home && m.from <= line && line <= m.to
		switch {
		case m.far(i):
		case receiver == "this" && inside, dotted && receiver == local && local != "":
			weight = certain
		case receiver == "this" && extends, dotted && names[receiver]:
			weight = typed
		case dotted && receiver != "this" && (m.everywhere[receiver] || naming.Alike(receiver, m.owner)):
			weight = named
		case dotted && receiver == "this": // it is another class
		default:
			weight = reachable
		}
		if n := len(out); n > 0 && out[n-1].line == line {
			out[n-1].weight = max(out[n-1].weight, weight)
			return
		}
		out = append(out, candidateLine{line: line, weight: weight})
	})
	return out
}

// mentions lists them by the mentions that the language finds; false when it finds none for this
// file.
func (m *memberSearch) mentions(i int, data []byte) ([]candidateLine, bool) {
	types := m.types
	if local := m.importers[i]; local != "" {
		types = maps.Clone(types)
		types[local] = true
	}
	list, ok := m.languages.Of(m.path(i)).Mentions(m.path(i), data, lang.MentionQuery{Name: string(m.name), Types: types, Makers: m.makers, Instances: m.instances})
	var out []candidateLine
	for k, x := range list {
		out = append(out, candidateLine{line: x.Line, far: m.far(i), mention: &list[k]})
	}
	return out, ok
}

// judge weighs the lines that come from mentions, when those of all files are known.
func (m *memberSearch) judge(u *usageList, found [][]candidateLine) {
	var all []lang.Mention
	for _, list := range found {
		for _, c := range list {
			if c.mention != nil {
				all = append(all, *c.mention)
			}
		}
	}
	if len(all) == 0 {
		return
	}
	judge := members.New(&declarations{view: u.view, sources: make(map[int]lang.Text)}, m.owner, string(m.name), all)
	for i, list := range found {
		for k := range list {
			if x := list[k].mention; x != nil {
				w := m.weigh(*x, judge.Judge(*x))
				if reachable <= w && w < near && judge.Near(i, x.Line) {
					w = near
				}
				if list[k].far {
					w = distant(w)
				}
				list[k].weight = w
			}
		}
	}
}

// distant lowers the weight of a line in a far file: a value may still reach it through others.
func distant(weight int) int {
	if weight >= derived {
		return doubtful
	}
	return min(max(weight-reachable, farAway), against)
}

// weigh returns the weight of a mention with a verdict.
func (m *memberSearch) weigh(x lang.Mention, v members.Verdict) int {
	switch {
	case x.Says == lang.Owned:
		return typed
	case v == members.Sure:
		return derived
	case v == members.Against || x.Receiver == "this":
		return against
	case v == members.Doubtful:
		return doubtful
	case v == members.Likely:
		return probable
	case x.Dotted && (m.everywhere[x.Receiver] || naming.Alike(x.Receiver, m.owner)):
		return named
	case v == members.Fitting:
		return fitting
	}
	return reachable
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
func (d *declarations) Head(i int, decl lang.Decl) lang.Head {
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

// best keeps the heaviest candidate of each line.
func best(list []candidateLine) []candidateLine {
	slices.SortFunc(list, func(a, b candidateLine) int { return cmp.Or(a.line-b.line, b.weight-a.weight) })
	return slices.CompactFunc(list, func(a, b candidateLine) bool { return a.line == b.line })
}
