package index

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/graph"
	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/words"
)

// affected computes what a change of files and names affects.
type affected struct{ *view }

// Impact returns what a change affects and breaks.
func (e *Engine) Impact(ctx context.Context, q kota.ImpactQuery) (kota.Impact, error) {
	im := kota.Impact{ChangeType: q.ChangeType, Reasons: []string{}, Broken: []kota.Missing{}, Tests: []kota.Dep{}, Dependents: []kota.Dep{}, Exports: []kota.Export{}}
	if err := e.addDiff(ctx, &q); err != nil {
		return im, err
	}
	if len(q.Modify)+len(q.Create)+len(q.Delete)+len(q.Gone)+len(q.Symbols) == 0 {
		return im, &kota.QueryError{Cause: "find impact: no file is changed"}
	}
	a := affected{e.view}
	missing := slices.DeleteFunc(slices.Concat(q.Modify, q.Delete), func(name string) bool { _, err := e.ask(name); return err == nil })
	if missing = append(missing, q.Gone...); len(missing) > 0 {
		a = affected{withGone(ctx, e.view, missing...)}
	}
	c, err := a.changeOf(ctx, q)
	if err != nil {
		return im, err
	}
	im.Changed = len(c.files) + len(q.Create) + c.unused
	im.Names = a.changedNames(c)
	a.reached(ctx, &im, c, 0)
	for _, i := range c.deleted {
		im.Broken = append(im.Broken, a.breaks(i, c.deleted)...)
	}
	for i := range q.Lines {
		if at := a.tree.find(i); at >= 0 {
			im.Broken = append(im.Broken, a.unexported(at)...)
		}
	}
	im.Breaks = len(im.Broken)
	for _, i := range c.files {
		im.Exports = append(im.Exports, a.surface(ctx, i, c.names[i])...)
	}
	for k := range im.Exports {
		if x := &im.Exports[k]; x.Used == 0 {
			for _, called := range c.calling { // files that likely call the method
				x.Used += oneIf(slices.Contains(called, x.Name))
			}
		}
	}
	im.Surface = len(im.Exports)
	slices.SortStableFunc(im.Exports, func(a, b kota.Export) int { return b.Used - a.Used })
	im.Clashes = a.clashes(q.Create)
	im.Incomplete = slices.Concat(a.unsure(c.files), templates(a.view, c.files...), im.Uncalled())
	if n := a.computed(); im.Total == 0 && len(im.Incomplete) == 0 && n > 0 {
		im.Incomplete = append(im.Incomplete, text.CountPlain(n, "import")+" may be of any file: their paths are computed")
	}
	if c.uncounted > 0 {
		im.Incomplete = append(im.Incomplete, fmt.Sprintf("calls of %d further methods through interfaces are not counted", c.uncounted))
	}
	im.Assess(len(c.files) + c.unused)
	return im, ctx.Err()
}

// addDiff adds what git says changed to a query.
func (e *Engine) addDiff(ctx context.Context, q *kota.ImpactQuery) error {
	if q.Diff == "" {
		return nil
	}
	d, err := e.files.Diff(ctx, q.Diff)
	if err != nil {
		return err
	}
	for _, f := range d.Modified {
		if _, err := e.ask(f); err == nil {
			q.Modify = append(q.Modify, f)
		}
	}
	if q.Lines, q.Gone = d.Lines, d.Gone; len(q.Modify)+len(q.Create)+len(q.Delete)+len(q.Gone) == 0 {
		return &kota.UnchangedError{Span: q.Diff}
	}
	return nil
}

// changedNames lists the changed declarations, sorted; nil when a whole file changed.
func (e affected) changedNames(c change) []string {
	var out []string
	for _, i := range c.files {
		if c.names[i] == nil {
			if e.gone[i] {
				continue
			}
			return nil
		}
		for n := range c.names[i].passed {
			out = append(out, n)
		}
		for n := range c.names[i].locals {
			if n == lang.Default {
				n = words.Stem(e.name(i))
			}
			out = append(out, shown(e.name(i), n))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// unsure says why a list of dependents may be incomplete.
func (v *view) unsure(files []int) []string {
	var out []string
	for _, i := range files {
		out = append(out, unfollowed(v, i)...)
		switch f := &v.tree.files[i]; {
		case f.skip != NotSkipped:
			out = append(out, v.name(i)+" was not read: "+f.skip.String())
		case f.marks.Any(codec.ImportsOnly):
			out = append(out, v.name(i)+" was read for its imports alone")
		case f.marks.Any(codec.Partial):
			out = append(out, v.name(i)+" was read in part: it has syntax errors")
		}
	}
	return out
}

// computed counts the imports whose paths are computed when the program runs.
func (e affected) computed() (n int) {
	for i := range e.tree.files {
		for _, l := range e.tree.files[i].edges {
			n += oneIf(l.status == lang.Computed && e.isProduction(i))
		}
	}
	return n
}

// taker says whether and how a file imports changed names.
type taker struct {
	there bool
	names []string
	via   int  // the barrel it imports them from, -1 when it imports the changed file itself
	uses  bool // it does more than re-export them
}

// takers returns, for every file, whether it imports changed names, directly or through barrels.
// When a whole file changed, all its importers do.
func (e affected) takers(ctx context.Context, c change) []taker {
	out := make([]taker, len(e.tree.files))
	add := func(file, via int, name string, uses bool) {
		if slices.Contains(c.files, file) {
			return
		}
		t := &out[file]
		if !t.there {
			t.there, t.via = true, via
		}
		t.uses = t.uses || uses
		if name != "" && !slices.Contains(t.names, name) {
			t.names = append(t.names, name)
		}
	}
	for _, i := range c.files {
		if names := c.names[i]; names != nil {
			e.takes(ctx, i, e.exportedAs(i, names), func(b binding) {
				if b.via == i { // through no barrel
					b.via = -1
				}
				add(b.file, b.via, b.origin, !b.passed)
			})
			continue
		}
		for _, a := range e.graph.In(i) {
			add(int(a.To), -1, "", true)
		}
		found, known := c.barrels[i]
		if !known {
			found = e.throughBarrels(ctx, i)
		}
		for g, barrel := range found {
			if barrel > 0 {
				add(g, int(barrel)-1, "", true)
			}
		}
	}
	for g, methods := range c.calling {
		for _, name := range methods {
			add(g, -1, name, true)
		}
	}
	return out
}

// exportedAs lists the exports of a file for the names of a set, all of them for a nil set.
func (v *view) exportedAs(i int, names *nameSet) []item {
	var out []item
	facts := v.facts(i)
	for _, x := range facts.Exports {
		if x.Name == lang.Namespace || !names.has(x) {
			continue
		}
		for _, it := range exportedBy(facts, x) {
			out = append(out, item{it.name, it.member, shown(v.name(i), x.Name)})
		}
	}
	all := v.exportsOf(i)
	if names != nil {
		all = slices.Sorted(maps.Keys(names.passed))
	}
	for _, n := range all { // what it exports by "export *" alone
		if !slices.ContainsFunc(facts.Exports, func(x lang.Export) bool { return x.Name == n }) {
			out = append(out, item{name: n, origin: n})
		}
	}
	return out
}

// takes calls each with the bindings of exports by name. Files that only re-export an object that
// holds one, or import it and use none of these exports, are left out.
func (v *view) takes(ctx context.Context, file int, items []item, each func(binding)) {
	v.follow(ctx, file, items, func(b binding) {
		if b.file != file && !b.held && (!strings.Contains(b.local, ".") || len(v.uses(b.file, b.local)) > 0) {
			each(b)
		}
	})
}

// reached lists the files that depend on a change, at most this many when most is not 0, and the
// tests that do: first those that import a changed name, then those that reach it through other
// files. Counts are of all.
func (e affected) reached(ctx context.Context, im *kota.Impact, c change, most int) {
	ring := e.takers(ctx, c)
	dist := e.distances(c, ring)
	start := make(map[int]float64)
	for _, i := range c.files {
		start[i] = 1
	}
	var files, tests []int
	for j, d := range dist {
		switch role := e.role(j); {
		case d <= 0:
		case role == lang.Support:
			im.Support++
		case role == lang.Test:
			im.TestDirect += oneIf(d == 1)
			tests = append(tests, j)
		default:
			im.Direct += oneIf(d == 1)
			im.Aside += oneIf(words.IsAside(e.name(j)))
			files = append(files, j)
		}
	}
	e.order(start, e.graph.In, dist, files, tests)
	im.Total = len(files)
	if most > 0 {
		files = files[:min(most, len(files))]
	}
	im.Dependents = e.taken(im.Dependents, files, dist, ring)
	im.Tests = e.ownTests(c, e.taken(im.Tests, tests, dist, ring))
	im.TestTotal = len(im.Tests)
}

// taken appends files to a list, each with its distance and the changed names that it takes.
func (e affected) taken(list []kota.Dep, files []int, dist []int32, ring []taker) []kota.Dep {
	list = slices.Grow(list, len(files))
	for _, j := range files {
		dep := e.dep(j, int(dist[j]))
		if t := ring[j]; t.there {
			if dep.Takes = t.names; t.via >= 0 {
				dep.Via = e.name(t.via)
			}
		}
		list = append(list, dep)
	}
	return list
}

// distances returns the distance of every file to a change: 0 for the changed files, 1 for those
// that import a changed name, more for those that reach these, -1 for all others.
func (e affected) distances(c change, ring []taker) []int32 {
	var near, whole []int
	for i := range ring {
		if ring[i].uses { // importers of a barrel may take other names
			near = append(near, i)
		}
	}
	for _, i := range c.files {
		if c.names[i] == nil {
			whole = append(whole, i)
		}
	}
	dist := e.graph.Reach(near, graph.AnyDepth, e.graph.In)
	for j := range dist {
		if dist[j] >= 0 {
			dist[j]++
		}
	}
	for j, d := range e.graph.Reach(whole, graph.AnyDepth, e.graph.In) {
		if d > 0 && (dist[j] < 0 || d < dist[j]) {
			dist[j] = max(d, 2-int32(oneIf(ring[j].there)))
		}
	}
	for i := range ring {
		if ring[i].there {
			dist[i] = 1
		}
	}
	for _, i := range c.files {
		dist[i] = 0
	}
	return dist
}

// ownTests moves the tests that are named after a changed file to the front. It adds those that
// do not import the file: they may test the built program.
func (e affected) ownTests(c change, tests []kota.Dep) []kota.Dep {
	own := make(map[string]int) // by path of a test, how much of the path it shares
	for _, i := range c.files {
		name := strings.TrimSuffix(path.Base(e.name(i)), path.Ext(e.name(i)))
		for j := range e.tree.files {
			if o := e.name(j); j != i && e.isTest(j) && words.IsAbout(e.files.Languages.Of(o).Subject(o), name) && words.IsNear(path.Dir(o), path.Dir(e.name(i))) {
				own[o] = max(own[o], 1+words.SharedDirs(path.Dir(o), path.Dir(e.name(i))))
			}
		}
	}
	mine, rest := []kota.Dep{}, []kota.Dep(nil)
	seen := make(map[string]bool)
	for _, d := range tests {
		if n, ok := own[d.File]; ok {
			own[d.File] = n + len(e.tree.files) // it also reaches the file
			mine, seen[d.File] = append(mine, d), true
		} else {
			rest = append(rest, d)
		}
	}
	for o := range own {
		if !seen[o] {
			mine = append(mine, kota.Dep{File: o, Test: true, Via: "its name"})
		}
	}
	slices.SortFunc(mine, func(a, b kota.Dep) int {
		return cmp.Or(own[b.File]-own[a.File], strings.Compare(a.File, b.File))
	})
	return append(mine, rest...)
}

// breaks lists the imports of a deleted file in files that stay.
func (e affected) breaks(i int, deleted []int) []kota.Missing {
	var out []kota.Missing
	for _, a := range e.graph.In(i) {
		g := int(a.To)
		if slices.Contains(deleted, g) {
			continue
		}
		facts := e.facts(g)
		for k := range e.tree.files[g].edges {
			if e.means(g, k, e.name(i)) && k < len(facts.Imports) {
				out = append(out, kota.Missing{File: e.name(g), Line: facts.Imports[k].Line, Spec: facts.Imports[k].Wanted()})
			}
		}
	}
	return out
}

// unexported lists the imports of names that a file does not export. It lists none when the
// exports of the file may not all be known.
func (e affected) unexported(i int) []kota.Missing {
	facts := e.facts(i)
	if facts.Partial || facts.ImportsOnly || len(facts.Exports) == 0 || !e.knowsExports(i) {
		return nil
	}
	exports := e.exportsOf(i)
	var out []kota.Missing
	for _, a := range e.graph.In(i) {
		g := int(a.To)
		importer := e.facts(g)
		for k, l := range e.tree.files[g].edges {
			if l.to != e.name(i) || k >= len(importer.Imports) || importer.Imports[k].Kind != lang.Static {
				continue
			}
			for _, n := range importer.Imports[k].Names {
				if n.Imported != lang.Default && n.Imported != lang.Namespace && !strings.Contains(n.Imported, ".") && !slices.Contains(exports, n.Imported) {
					out = append(out, kota.Missing{File: e.name(g), Line: importer.Imports[k].Line, Spec: n.Imported + " of " + importer.Imports[k].Spec})
				}
			}
		}
	}
	return out
}

// knowsExports reports whether all exports of a file are known: it has no require, and every
// "export *" resolves to a file of the tree.
func (e affected) knowsExports(i int) bool {
	f := &e.tree.files[i]
	facts := e.facts(i)
	for _, x := range facts.Exports {
		if x.Name == lang.Namespace && (x.From < 0 || x.From >= len(f.edges) || f.edges[x.From].status != lang.Found) {
			return false
		}
	}
	return !slices.ContainsFunc(facts.Imports, func(im lang.Import) bool { return im.Kind == lang.Require })
}

// surface lists the exports of a file, or those in names, with the number of files that use each.
func (e affected) surface(ctx context.Context, i int, names *nameSet) []kota.Export {
	items := e.exportedAs(i, names)
	users := make(map[string]map[int]bool)
	e.takes(ctx, i, items, func(b binding) {
		if b.passed {
			return
		}
		if users[b.origin] == nil {
			users[b.origin] = make(map[int]bool)
		}
		users[b.origin][b.file] = true
	})
	var out []kota.Export
	listed := make(map[string]bool) // a name that is bound to another is exported as both
	for _, it := range items {
		if !listed[it.origin] {
			listed[it.origin] = true
			out = append(out, kota.Export{File: e.name(i), Name: it.origin, Used: len(users[it.origin])})
		}
	}
	return out
}

// clashes lists the reasons why files cannot or should not be created.
func (e affected) clashes(created []string) []string {
	var out []string
	for _, c := range created {
		p := e.files.spellings(c)
		if len(p) == 0 || strings.HasPrefix(p[0], "../") {
			out = append(out, c+" is outside the tree")
			continue
		}
		if e.tree.find(p[0]) >= 0 || slices.Contains(e.tree.others, p[0]) {
			out = append(out, p[0]+" exists")
			continue
		}
		dir, name := path.Dir(p[0]), words.Stem(p[0])
		for i := range e.tree.files {
			if o := e.tree.files[i].path; path.Dir(o) == dir && words.Stem(o) == name && e.mistakable(o, p[0]) {
				out = append(out, fmt.Sprintf("%s has the name of %s: an import without an extension means one of them", p[0], o))
			}
		}
	}
	return out
}

// mistakable reports whether an import without an extension could mean either of two files with
// the same name: they have the same language, and both are tests or neither is.
func (e affected) mistakable(a, b string) bool {
	langs := e.files.Languages
	return langs.IsCode(a) && langs.Index(a) == langs.Index(b) && langs.IsTest(a) == langs.IsTest(b)
}
