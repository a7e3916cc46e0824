package index

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
)

// item is a name that a file exports. If member is not empty, the name is an object that holds
// the wanted name under that member, which may be a path "a.b". origin is the name in the file
// where following started; it tells apart names that are followed together.
type item struct{ name, member, origin string }

// way returns how other files come by the item.
func (it item) way() lang.Way { return lang.Way{Name: it.name, Member: it.member} }

// binding is a place where a file imports or re-exports an item.
type binding struct {
	file   int
	via    int    // the file it is imported from
	local  string // "name", or "name.member"
	line   int    // line of the import
	kind   lang.Kind
	passed bool   // the file only passes it on
	held   bool   // the file re-exports an object that holds the item
	origin string // origin of the item
}

// flow follows exports of a file to every file that takes them, through re-exports.
type flow struct {
	v    *view
	ctx  context.Context
	left int // steps that may still be made
	seen map[int]map[item]bool
	todo []int
	next map[int][]item
	each func(binding) // called with every binding
}

// maxSteps is how many steps are made to follow exports: a barrel of 300 files that export all of each
// other would take a thousand million.
const maxSteps = 10_000_000

// follow calls each with the bindings of these exports of a file in all files. It stops early when
// ctx ends, and after maxSteps, which unsure then says of the file.
func (v *view) follow(ctx context.Context, file int, items []item, each func(binding)) {
	f := &flow{v: v, ctx: ctx, left: maxSteps, seen: make(map[int]map[item]bool), next: make(map[int][]item), each: each}
	for _, it := range items {
		f.push(file, it)
	}
	for len(f.todo) > 0 && f.left > 0 && ctx.Err() == nil {
		i := f.todo[0]
		f.todo = f.todo[1:]
		batch := f.next[i]
		delete(f.next, i)
		f.spread(i, batch)
	}
	if f.left <= 0 {
		v.mu.Lock()
		v.cut[file] = true
		v.mu.Unlock()
	}
}

// unfollowed says so when the exports of a file were not followed to the end.
func unfollowed(v *view, i int) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.cut[i] {
		return nil
	}
	return []string{"the exports of " + v.name(i) + " are passed on by too many files to follow them all"}
}

// templates says so when HTML templates, which are not read, may use a class that one of these files
// exports.
func templates(v *view, files ...int) []string {
	n := 0
	for i := range v.tree.files {
		f := &v.tree.files[i]
		n += oneIf(f.kind == Asset && path.Ext(f.path) == ".html" && len(v.graph.In(i)) > 0)
	}
	for _, i := range files {
		isClass := func(d lang.Decl) bool { return d.Class == lang.ClassDecl && d.Exported }
		if n > 0 && slices.ContainsFunc(v.all(i, codec.WithDecls).Decls, isClass) {
			return []string{"uses in " + text.CountPlain(n, "HTML template") + " are not known"}
		}
	}
	return nil
}

// push queues an item that a file exports, once.
func (f *flow) push(file int, it item) {
	if f.seen[file] == nil {
		f.seen[file] = make(map[item]bool)
	}
	if f.left--; f.seen[file][it] {
		return
	}
	f.seen[file][it] = true
	if len(f.next[file]) == 0 {
		f.todo = append(f.todo, file)
	}
	f.next[file] = append(f.next[file], it)
}

// spread passes items of a file to the files that import it.
func (f *flow) spread(file int, items []item) {
	byName := make(map[string][]item, len(items))
	for _, it := range items {
		byName[it.name] = append(byName[it.name], it)
	}
	target := f.v.name(file)
	for _, a := range f.v.graph.In(file) {
		g := int(a.To)
		facts := f.v.facts(g)
		if f.left -= len(facts.Imports) + len(facts.Exports); f.left <= 0 {
			return
		}
		for k := range f.v.tree.files[g].edges {
			if f.v.means(g, k, target) && k < len(facts.Imports) {
				f.take(g, file, k, facts, byName, items)
			}
		}
	}
}

// take follows items through the k-th import of file g.
func (f *flow) take(g, via, k int, facts *lang.Facts, byName map[string][]item, items []item) {
	im := &facts.Imports[k]
	from := f.v.facts(via)
	plain, whole := from.IsPlain(), im.Kind != lang.Dynamic && slices.ContainsFunc(from.Exports, func(x lang.Export) bool { return x.Whole })
	for _, n := range im.Names {
		for _, it := range among(n.Imported, plain, byName, items) {
			if member, ok := it.way().Under(n.Imported, plain, whole); ok {
				f.bind(g, via, im, facts, n.Local, item{member: member, origin: it.origin})
			}
		}
	}
	for _, x := range facts.Exports {
		if x.From != k {
			continue
		}
		if x.Local == lang.Namespace && x.Name == lang.Namespace { // export *
			for _, it := range items {
				if it.name != lang.Default || x.Whole {
					f.pass(g, via, x, it, false)
				}
			}
			continue
		}
		for _, it := range among(x.Local, plain, byName, items) {
			if member, ok := it.way().Under(x.Local, plain, false); ok {
				f.pass(g, via, x, item{x.Name, member, it.origin}, member != "" && x.Local != lang.Namespace)
			}
		}
	}
}

// among returns those items that an import may have under this name.
func among(imported string, plain bool, byName map[string][]item, items []item) []item {
	if imported == lang.Namespace || strings.Contains(imported, ".") || imported == lang.Default && plain {
		return items
	}
	return byName[imported]
}

// pass records that a file re-exports an item, or the object that holds it.
func (f *flow) pass(g, via int, x lang.Export, it item, held bool) {
	f.each(binding{file: g, via: via, line: x.Line, kind: lang.ReExport, passed: true, held: held, origin: it.origin})
	f.push(g, it)
}

// bind records that a file has an item under a local name, and follows it when the file exports
// that name.
func (f *flow) bind(g, via int, im *lang.Import, facts *lang.Facts, local string, it item) {
	if local == "" && it.member != "" {
		return // nothing is called like the object
	}
	name := memberOf(local, it.member)
	f.each(binding{file: g, via: via, local: name, line: im.Line, kind: im.Kind, origin: it.origin})
	if local == "" {
		return
	}
	for _, x := range facts.Exports {
		it := it
		if x.Local == name {
			it.member = "" // the member has that name, too
		} else if x.Local != local {
			continue
		}
		if x.From >= 0 || x.Spreads() && it.member == "" {
			continue
		}
		if x.Line != im.Line && it.member == "" {
			f.each(binding{file: g, via: via, line: x.Line, kind: lang.ReExport, passed: true, origin: it.origin})
		}
		if x.Held() && it.member == "" {
			f.each(binding{file: g, via: via, local: x.Name, line: im.Line, kind: im.Kind, origin: it.origin})
		}
		for _, w := range facts.Ways(x) {
			w = w.Of(it.member)
			f.push(g, item{w.Name, w.Member, it.origin})
		}
	}
}

// exportedBy lists the items that one of a file's own exports makes. A spread makes none: its members
// are exported where they are declared.
func exportedBy(facts *lang.Facts, x lang.Export) []item {
	var out []item
	if x.Spreads() {
		return nil
	}
	for _, w := range facts.Ways(x) {
		out = append(out, item{name: w.Name, member: w.Member})
	}
	return out
}

// exportsOf returns the names that a file exports, re-exports included, sorted. Callers must not change
// the list: all that import types from code beside its declarations ask for it.
func (v *view) exportsOf(i int) []string {
	v.mu.Lock()
	names, known := v.exported[i]
	v.mu.Unlock()
	if !known {
		names = findExports(v, i)
		v.mu.Lock()
		v.exported[i] = names
		v.mu.Unlock()
	}
	return names
}

// findExports lists the names that a file exports, re-exports included, sorted.
func findExports(v *view, i int) []string {
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
				if (deflt || x.Name != lang.Default && !strings.HasPrefix(x.Name, lang.Default+".")) && !x.Spreads() {
					seen[x.Name] = true
				}
				continue
			}
			if x.From >= 0 && x.From < len(v.tree.files[i].edges) {
				if to := v.tree.find(v.tree.files[i].edges[x.From].to); to >= 0 {
					visit(to, depth+1, deflt && x.Whole)
				}
			}
		}
	}
	visit(i, 0, true)
	return slices.Sorted(maps.Keys(seen))
}
