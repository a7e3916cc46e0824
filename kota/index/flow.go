package index

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
)

// item is a name that a file exports. When member is not empty it is an object
// that holds what is looked for under that name. origin is what it was at first,
// for those who follow several at once and tell them apart.
type item struct{ name, member, origin string }

// binding is where an export is taken over under a name of its own.
type binding struct {
	file   int
	via    int    // the file it is imported from
	local  string // "name", or "name.member"
	line   int    // of the import
	kind   lang.Kind
	passed bool   // the file only passes it on
	origin string // of the item
}

// flow follows exports of a file to every file that takes them, through files
// that pass them on.
type flow struct {
	v    *view
	seen map[int]map[item]bool
	todo []int
	next map[int][]item
	out  []binding
}

// follow lists who takes these exports of a file.
func (v *view) follow(file int, items []item) []binding {
	f := &flow{v: v, seen: make(map[int]map[item]bool), next: make(map[int][]item)}
	for _, it := range items {
		f.push(file, it)
	}
	for len(f.todo) > 0 {
		i := f.todo[0]
		f.todo = f.todo[1:]
		batch := f.next[i]
		delete(f.next, i)
		f.spread(i, batch)
	}
	return f.out
}

// push notes that a file gives away an item, once.
func (f *flow) push(file int, it item) {
	if f.seen[file] == nil {
		f.seen[file] = make(map[item]bool)
	}
	if f.seen[file][it] {
		return
	}
	f.seen[file][it] = true
	if len(f.next[file]) == 0 {
		f.todo = append(f.todo, file)
	}
	f.next[file] = append(f.next[file], it)
}

// spread hands items of a file to those that import it.
func (f *flow) spread(file int, items []item) {
	byName := make(map[string][]item, len(items))
	for _, it := range items {
		byName[it.name] = append(byName[it.name], it)
	}
	target := f.v.name(file)
	for _, a := range f.v.graph.in(file) {
		g := int(a.to)
		facts := f.v.facts(g)
		for k, l := range f.v.tree.files[g].edges {
			if l.to == target && l.status == lang.Found && k < len(facts.Imports) {
				f.take(g, file, k, &facts, byName, items)
			}
		}
	}
}

// take follows items through the k-th import of file g.
func (f *flow) take(g, via, k int, facts *lang.Facts, byName map[string][]item, items []item) {
	im := &facts.Imports[k]
	for _, n := range im.Names {
		if n.Imported == lang.Namespace {
			for _, it := range items {
				if it.member == "" {
					f.bind(g, via, im, facts, n.Local, item{member: it.name, origin: it.origin})
				}
			}
			continue
		}
		for _, it := range byName[n.Imported] {
			f.bind(g, via, im, facts, n.Local, item{member: it.member, origin: it.origin})
		}
	}
	for _, x := range facts.Exports {
		if x.From != k {
			continue
		}
		switch {
		case x.Local == lang.Namespace && x.Name == lang.Namespace: // export *
			for _, it := range items {
				if it.name != lang.Default {
					f.pass(g, via, x, it)
				}
			}
		case x.Local == lang.Namespace: // export * as name
			for _, it := range items {
				if it.member == "" {
					f.pass(g, via, x, item{x.Name, it.name, it.origin})
				}
			}
		default:
			for _, it := range byName[x.Local] {
				f.pass(g, via, x, item{x.Name, it.member, it.origin})
			}
		}
	}
}

// pass records that a file passes an item on.
func (f *flow) pass(g, via int, x lang.Export, it item) {
	f.out = append(f.out, binding{file: g, via: via, line: x.Line, kind: lang.ReExport, passed: true, origin: it.origin})
	f.push(g, it)
}

// bind records that a file has an item under a local name, and follows it to
// where the file exports that name.
func (f *flow) bind(g, via int, im *lang.Import, facts *lang.Facts, local string, it item) {
	name := local
	if it.member != "" {
		name += "." + it.member
	}
	f.out = append(f.out, binding{file: g, via: via, local: name, line: im.Line, kind: im.Kind, origin: it.origin})
	if local == "" {
		return
	}
	for _, x := range facts.Exports {
		if x.From < 0 && x.Local == local {
			f.push(g, item{x.Name, it.member, it.origin})
		}
	}
}

// exportsOf lists what a file exports by name, what it passes on included.
func (v *view) exportsOf(i int) []string {
	seen := map[string]bool{}
	visited := map[int]bool{}
	var visit func(i, depth int, deflt bool)
	visit = func(i, depth int, deflt bool) {
		if visited[i] || depth > 64 {
			return
		}
		visited[i] = true
		facts := v.facts(i)
		for _, x := range facts.Exports {
			if x.Name != lang.Namespace {
				if deflt || x.Name != lang.Default {
					seen[x.Name] = true
				}
				continue
			}
			if x.From >= 0 && x.From < len(v.tree.files[i].edges) {
				if to := v.tree.find(v.tree.files[i].edges[x.From].to); to >= 0 {
					visit(to, depth+1, false)
				}
			}
		}
	}
	visit(i, 0, true)
	out := make([]string, 0, len(seen))
	for n := range seen {
		out = append(out, n)
	}
	slices.SortFunc(out, strings.Compare)
	return out
}
