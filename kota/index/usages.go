package index

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/words"
)

// maxCounted is for how many candidates of an ambiguous symbol the uses are counted.
const maxCounted = 40

// Usages returns where a symbol is used.
func (e *Engine) Usages(ctx context.Context, q kota.UsagesQuery) (kota.Usages, error) {
	u := newUsages(ctx, e.view, q)
	owner, member := words.Parts(q.Symbol)
	dotted := owner != q.Symbol
	if owner == "" || dotted && member == "" {
		return u.Usages, &kota.QueryError{Cause: "find usages: the symbol is empty"}
	}
	only := -1
	if q.File != "" {
		var err error
		if only, err = e.ask(q.File); err != nil {
			return u.Usages, err
		}
	}
	defs := e.definitions(owner, member, only)
	if n := exportedFirst(defs); n == 1 && len(defs) > 1 {
		for _, d := range defs[1:] {
			u.Others = append(u.Others, d.Definition)
		}
		defs = defs[:1]
	}
	switch {
	case len(defs) > 1:
		for k, d := range defs {
			u.Candidates = append(u.Candidates, e.candidate(ctx, q, d, k < maxCounted))
		}
		slices.SortStableFunc(u.Candidates, func(a, b kota.Candidate) int { return cmp.Compare(b.Uses, a.Uses) })
		return u.Usages, ctx.Err()
	case len(defs) == 1:
		if u.of(defs[0]); defs[0].written && u.Total == 0 {
			u.Incomplete = append(u.Incomplete, "uses through a type, or a variable that is given the object, are not followed")
		}
		if defs[0].Kind == lang.ClassDecl.String() {
			u.Incomplete = append(u.Incomplete, templates(e.view, defs[0].file)...)
		}
	case only >= 0 || dotted || !u.imported(q.Symbol):
		return u.Usages, &kota.UnknownSymbolError{Symbol: q.Symbol, Nearest: words.Nearest(q.Symbol, e.symbols())}
	}
	u.finish()
	e.quote(ctx, u.List)
	return u.Usages, ctx.Err()
}

// usageList collects the uses of a symbol.
type usageList struct {
	*view
	kota.Usages
	ctx     context.Context
	tests   bool            // also list uses in tests
	every   bool            // also list what is unlikely
	imports map[string]bool // the files with uses of which only the imports were read
	used    map[string]bool // the files with uses, listed or not
	// bind are, by file, the lines with uses that follow from imports; nil when none are sought by name
	// beside them.
	bind map[int][]int
}

func newUsages(ctx context.Context, v *view, q kota.UsagesQuery) *usageList {
	return &usageList{
		view: v, ctx: ctx, tests: q.Tests, every: q.All, imports: make(map[string]bool), used: make(map[string]bool),
		Usages: kota.Usages{Symbol: q.Symbol, Confidence: "bound", List: []kota.Usage{}},
	}
}

// exportedFirst counts the exported definitions, which come first in defs.
func exportedFirst(defs []definition) int {
	n := slices.IndexFunc(defs, func(d definition) bool { return !d.Exported })
	if n < 0 {
		return len(defs)
	}
	return n
}

// candidate returns a definition as a candidate. If count is set and its uses can be bound, it
// counts them.
func (e *Engine) candidate(ctx context.Context, q kota.UsagesQuery, d definition, count bool) kota.Candidate {
	c := kota.Candidate{Definition: d.Definition, Uses: kota.Unknown, Files: kota.Unknown}
	if !count || d.in != "" && !e.bindsMember(d) {
		return c
	}
	u := newUsages(ctx, e.view, q)
	u.bound(d)
	u.finish()
	c.Uses, c.Files = kota.Number(u.Total), kota.Number(u.Files)
	return c
}

// of lists the uses of a definition.
func (u *usageList) of(d definition) {
	if t, ok := u.typed(d); ok {
		t.beside = &d
		u.of(t)
		u.Definition = &d.Definition
		return
	}
	if d.in == "" || u.bindsMember(d) {
		u.bound(d)
		return
	}
	if d.beside != nil && u.bindsMember(*d.beside) {
		u.bind = map[int][]int{d.beside.file: {d.beside.Line}}
		u.bound(*d.beside)
	}
	beside := u.List
	u.List = []kota.Usage{}
	if d.beside != nil && d.beside.written { // what is sure comes first
		for k := range beside {
			beside[k].Likely = true
		}
		u.List, beside = beside, nil
		u.add(d.file, kota.Usage{Likely: true, As: d.Name}, []int{d.Line})
	}
	u.byName(d)
	u.List = append(u.List, beside...)
}

// bound lists the uses that follow from imports and exports.
func (u *usageList) bound(d definition) {
	u.Definition = &d.Definition
	local := d.path()
	owner, member, _ := strings.Cut(local, ".")
	if d.direct {
		owner, member = local, "" // importers have it under its own name, and the items lead to it
	}
	items := u.atHome(d, owner, local)
	type place struct {
		file, line int
		local      string
	}
	seen := make(map[place]bool)
	listed := make(map[int][][]int) // the lines with uses, by file
	unit := u.tree.files[d.file].header().Unit
	u.follow(u.ctx, d.file, items, func(b binding) {
		if b.held {
			return // the object is only re-exported
		}
		name := b.local
		if name != "" {
			name = memberOf(name, member)
		}
		at := place{b.file, b.line, name}
		lines := u.uses(b.file, name)
		has := func(lines []int) bool { return slices.Contains(lines, b.line) }
		if b.passed && slices.ContainsFunc(listed[b.file], has) {
			return // an object holds it, and that line is listed already
		}
		if seen[at] || strings.Contains(name, ".") && member == "" && len(lines) == 0 {
			return // importing an object does not use all of its members
		}
		usage := kota.Usage{Import: b.line}
		if b.kind >= lang.Augments {
			usage.Import = 0 // the line does not name the symbol
		}
		if name != "" && name != local && name != d.short() && name != unit+"."+local {
			usage.As = name
		}
		if b.via != d.file {
			usage.Via = u.name(b.via)
		}
		u.add(b.file, usage, lines)
		listed[b.file] = append(listed[b.file], lines)
		// Count the line of an import once, however many of its names are used.
		imported := place{b.file, b.line, ""}
		if seen[imported] && usage.Import > 0 {
			u.count(!u.isProduction(b.file), -1)
		}
		seen[imported], seen[at] = true, true
	})
}

// atHome adds the uses in the file that declares a symbol, and lists the names under which the
// file exports it.
func (u *usageList) atHome(d definition, owner, local string) []item {
	lines := slices.DeleteFunc(u.uses(d.file, local), func(l int) bool { return l == d.Line })
	var items []item
	facts := u.facts(d.file)
	for _, x := range facts.Exports {
		if x.From < 0 && x.Local == local && x.Line > d.Line {
			lines = append(lines, x.Line) // "export { a }" repeats the name
		}
		if (x.Local == d.local(owner) || x.Local == owner+"."+owner) && x.From < 0 || d.passed && x.Name == owner {
			items = append(items, exportedBy(facts, x)...)
		}
	}
	if d.passed && len(items) == 0 {
		items = []item{{name: owner}} // by "export *"
	}
	slices.Sort(lines)
	u.add(d.file, kota.Usage{}, slices.Compact(lines))
	for _, x := range facts.Exports {
		if x.Held() && x.Local == local {
			u.add(d.file, kota.Usage{As: shown(u.name(d.file), x.Name)}, u.uses(d.file, x.Name))
		}
	}
	return items
}

// uses lists the lines of a file that use a local name, or a path such as "a.b.c".
func (v *view) uses(i int, name string) []int {
	if strings.Count(name, ".") < 2 {
		return v.lines(i, name)
	}
	// The index records two names of a path; check the rest in the source.
	parts := strings.SplitN(name, ".", 3)
	lines := v.lines(i, parts[0]+"."+parts[1])
	if len(lines) > 0 {
		source := v.source(i)
		lines = slices.DeleteFunc(lines, func(l int) bool { return !words.HasPath(source.Line(l), parts[1]+"."+parts[2]) })
	}
	return append(lines, v.lines(i, name)...)
}

// memberOf returns "object.member", or object when member is "".
func memberOf(object, member string) string {
	if member == "" {
		return object
	}
	return object + "." + member
}

// add adds the uses in one file.
func (u *usageList) add(i int, usage kota.Usage, lines []int) {
	if u.bind != nil && u.Confidence == "bound" {
		u.bind[i] = append(u.bind[i], lines...)
	}
	usage.File, usage.Lines = u.name(i), lines
	usage.Test, usage.Support, usage.Label = u.isTest(i), u.role(i) == lang.Support, u.label(i)
	n := len(lines)
	if usage.Import > 0 && !slices.Contains(lines, usage.Import) {
		n++
	}
	if u.tree.files[i].marks.Any(codec.ImportsOnly) {
		u.imports[usage.File] = true
	}
	if n == 0 {
		return
	}
	u.count(!u.isProduction(i), n)
	u.used[usage.File] = true
	switch {
	case !u.tests && !u.isProduction(i):
	case usage.Unlikely && !u.every:
		u.Unlisted += n
	default:
		u.List = append(u.List, usage)
	}
}

// count adds n lines to the totals.
func (u *usageList) count(test bool, n int) {
	u.Total += n
	if test {
		u.TestLines += n
	}
}

// finish sorts uses: the declaring file, likely ones, production, tests; files with most lines
// first.
func (u *usageList) finish() {
	u.Files = len(u.used)
	home := ""
	if u.Definition != nil && u.Confidence == "bound" {
		home = u.Definition.File
	}
	if u.Confidence == "bound" {
		slices.SortFunc(u.List, func(a, b kota.Usage) int {
			return cmp.Or(
				falseFirst(a.File != home, b.File != home), falseFirst(a.Test, b.Test), falseFirst(a.Support, b.Support), len(b.Lines)-len(a.Lines),
				strings.Compare(a.File, b.File), strings.Compare(a.As, b.As), a.Import-b.Import, strings.Compare(a.Via, b.Via),
			)
		})
	} else { // they are sorted but for those of the namespace beside the type
		slices.SortStableFunc(u.List, func(a, b kota.Usage) int { return falseFirst(!a.Likely, !b.Likely) })
	}
	u.Incomplete = append(u.Incomplete, onlyImports(u.imports)...)
	if u.Definition != nil && u.tree.find(home) >= 0 {
		u.Incomplete = append(u.Incomplete, unfollowed(u.view, u.tree.find(home))...)
	}
}

// imported lists the uses of a name that no known file declares, by the imports that name it. It
// reports whether there are any: the name comes from a package, or from a file that is gone or
// was not read.
func (u *usageList) imported(symbol string) bool {
	var packages []string
	n := 0
	for i := range u.tree.files {
		f := &u.tree.files[i]
		if u.ctx.Err() != nil || !strings.Contains(f.facts, symbol) {
			continue
		}
		for k, im := range u.facts(i).Imports {
			at := slices.IndexFunc(im.Names, func(n lang.Name) bool { // by its name, or as the default or namespace
				return n.Imported == symbol || n.Local == symbol && (n.Imported == lang.Default || n.Imported == lang.Namespace)
			})
			if k >= len(f.edges) || at < 0 {
				continue
			}
			n++
			switch l := f.edges[k]; l.status {
			case lang.External, lang.Builtin:
				packages = append(packages, u.files.Languages.Of(f.path).Package(im.Spec))
			case lang.Found:
				u.undeclared(l.to, symbol)
			default:
				u.Missing = append(u.Missing, kota.Missing{File: f.path, Line: im.Line, Spec: im.Wanted()})
			}
			usage := kota.Usage{}
			if im.Kind < lang.Selected {
				usage.Import = im.Line
			}
			if local := im.Names[at].Local; local != symbol {
				usage.As = local
			}
			u.add(i, usage, u.lines(i, im.Names[at].Local))
		}
	}
	slices.Sort(packages)
	u.External = strings.Join(slices.Compact(packages), ", ")
	return n > 0
}

// undeclared records the file from which a symbol is imported, and why its declaration there is
// not known.
func (u *usageList) undeclared(file, symbol string) {
	i := u.tree.find(file)
	if i < 0 || u.Definition != nil && u.Definition.File == file {
		return
	}
	why := "not found in it"
	switch f := &u.tree.files[i]; {
	case f.skip != NotSkipped:
		why = "not read: " + f.skip.String()
	case f.marks.Any(codec.ImportsOnly):
		why = "read for its imports alone"
	case f.marks.Any(codec.Partial):
		why = "read in part: it has syntax errors"
	}
	if u.Definition == nil {
		u.Definition = &kota.Definition{File: file, End: kota.Unknown, Name: symbol, Kind: why, Exported: true}
	}
}
