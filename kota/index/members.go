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

// How much a line that has a member's name says that it is that of this owner.
const (
	farAway   = iota // its file does not reach the owner's file by any import
	against          // it does, and declares what stands before the dot with another type
	doubtful         // what stands before the dot has members that the owner has not
	reachable        // it says nothing of that
	fitting          // it has several members of the owner
	named            // what stands before the dot is called like the owner
	probable         // it comes from something that is said to be an owner, under that name
	derived          // by what other files say of types, it is the owner's, or that of one of several
	typed            // what stands before the dot is declared with the owner's type
	certain          // it is the owner itself, or "this" within it
)

// candidateLine is a line on which something is called like the member.
type candidateLine struct {
	line, weight int
	far          bool          // its file cannot name the owner
	mention      *lang.Mention // by which the weight is found out, when it is not known
}

// byName lists the lines where something is called like a member. What it belongs
// to is not known without the types: those come first whose receiver is declared with
// the owner's type, then those whose file can reach the owner at all.
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
	// What belongs to tests is mostly used by tests, anything else mostly by the rest.
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

// memberSearch looks for the uses of one member.
type memberSearch struct {
	file       int // that declares it
	home       int // the file that declares the owner
	name       []byte
	owner      string
	from, to   int // the lines of the owner
	declared   int // the line of the member
	dist       []int32
	importers  map[int]string // files that import the owner, with the name it has there
	likely     int            // the weight from which a line is likely
	everywhere map[string]bool
	types      map[string]bool // what is made of the owner
	makers     map[string]bool // functions that return an owner
	hidden     bool            // the owner is not exported
	languages  lang.Set
	path       func(i int) string
	typed      func(i int, data []byte, typ string) map[string]bool
}

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
		m.likely = reachable // no other declaration has a member of that name
	}
	m.collectNames(u)
	return m
}

// home is the file that declares the owner of a member: a method may stand apart from
// its type.
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

// owners counts the declarations that have a member of a name.
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

// collectNames reads, in the files that import the owner, what is declared with its
// type: properties of that name mean it in other files, too.
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
			// What declares a member of the name itself has that, and not the owner's.
			own := slices.ContainsFunc(decls, func(d lang.Decl) bool { return d.In == t && d.Name == string(m.name) })
			m.types[t] = m.types[t] || !own
		}
		for _, f := range makers {
			m.makers[f] = true
		}
	}
}

// lines lists the lines of a file that have the member's name, each once, with what
// speaks for it.
func (m *memberSearch) lines(i int, data []byte) []candidateLine {
	if list, ok := m.mentions(i, data); ok {
		return list
	}
	return m.inText(i, data)
}

// inText does it without knowing more of the language than how it declares names with a
// type.
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
		weight := farAway
		inside := i == m.home && m.from <= line && line <= m.to
		switch {
		case m.dist[i] < 0:
		case receiver == "this" && inside, dotted && receiver == local && local != "":
			weight = certain
		case receiver == "this" && extends, dotted && names[receiver]:
			weight = typed
		case dotted && receiver != "this" && (m.everywhere[receiver] || naming.Alike(receiver, m.owner)):
			weight = named
		case dotted && receiver == "this":
			weight = farAway // of another class
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

// mentions does the same where the language knows what it reads.
func (m *memberSearch) mentions(i int, data []byte) ([]candidateLine, bool) {
	types := m.types
	if local := m.importers[i]; local != "" {
		types = maps.Clone(types)
		types[local] = true
	}
	list, ok := m.languages.Of(m.path(i)).Mentions(m.path(i), data, lang.MentionQuery{Name: string(m.name), Types: types, Makers: m.makers})
	var out []candidateLine
	for k, x := range list {
		out = append(out, candidateLine{line: x.Line, far: m.dist[i] < 0 || m.hidden && i != m.home, mention: &list[k]})
	}
	return out, ok
}

// judge weighs the lines that are not weighed yet, once all are known.
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
	for _, list := range found {
		for k := range list {
			if x := list[k].mention; x != nil {
				w := m.weigh(*x, judge.Judge(*x))
				if list[k].far {
					w = min(max(w-reachable, farAway), doubtful) // a value may get there all the same
				}
				list[k].weight = w
			}
		}
	}
}

// weigh is how much a verdict on a mention weighs.
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

// maxSources is how much text of files is kept to read declarations in, in bytes.
const maxSources = 16 << 20

// declarations are those of all files, for package members.
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

// best keeps of each line the candidate for which most speaks.
func best(list []candidateLine) []candidateLine {
	slices.SortFunc(list, func(a, b candidateLine) int { return cmp.Or(a.line-b.line, b.weight-a.weight) })
	return slices.CompactFunc(list, func(a, b candidateLine) bool { return a.line == b.line })
}
