package index

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/lang"
)

// What makes a change risky: files that depend on it.
const (
	manyDependents = 50
	someDependents = 10
)

// Impact answers what a change breaks.
func (e *Engine) Impact(_ context.Context, q kota.ImpactQuery) (kota.Impact, error) {
	im := kota.Impact{ChangeType: q.ChangeType, Reasons: []string{}, Broken: []kota.Missing{}, Tests: []kota.Dep{}, Dependents: []kota.Dep{}, Exports: []kota.Export{}}
	if len(q.Modify)+len(q.Create)+len(q.Delete)+len(q.Gone) == 0 {
		return im, &kota.QueryError{Cause: "find impact: no file is changed"}
	}
	modified, err := e.several(q.Modify)
	if err != nil {
		return im, err
	}
	deleted, err := e.several(q.Delete)
	if err != nil {
		return im, err
	}
	changed := append(slices.Clone(modified), deleted...)
	im.Changed = len(changed) + len(q.Create) + len(q.Gone)
	e.reached(&im, changed)
	for _, i := range deleted {
		im.Broken = append(im.Broken, e.breaks(i, deleted)...)
	}
	im.Broken = append(im.Broken, e.dangling(q.Gone)...)
	im.Breaks = kota.Number(len(im.Broken))
	for _, i := range changed {
		im.Exports = append(im.Exports, e.surface(i)...)
	}
	im.Surface = kota.Number(len(im.Exports))
	slices.SortStableFunc(im.Exports, func(a, b kota.Export) int { return b.Used - a.Used })
	im.Clashes = e.clashes(q.Create)
	assess(&im, len(changed))
	return im, nil
}

// reached lists what depends on changed files, tests apart.
func (e *Engine) reached(im *kota.Impact, changed []int) {
	start := make(map[int]float64)
	for _, i := range changed {
		start[i] = 1
	}
	if len(changed) == 0 {
		return
	}
	dist := e.graph.reach(changed, anyDepth, e.graph.in)
	var files, tests []int
	for j, d := range dist {
		if d <= 0 {
			continue
		}
		dep := e.dep(j, int(d))
		if dep.Support {
			im.Support++
			continue
		}
		if dep.Test {
			im.Tests, tests = append(im.Tests, dep), append(tests, j)
			continue
		}
		if d == 1 {
			im.Direct++
		}
		im.Dependents, files = append(im.Dependents, dep), append(files, j)
	}
	im.Total, im.TestTotal = kota.Number(len(files)), kota.Number(len(tests))
	e.order(im.Dependents, files, start, e.graph.in)
	e.order(im.Tests, tests, start, e.graph.in)
}

// breaks lists the imports of a file that is deleted, by files that stay.
func (e *Engine) breaks(i int, deleted []int) []kota.Missing {
	var out []kota.Missing
	for _, a := range e.graph.in(i) {
		g := int(a.to)
		if slices.Contains(deleted, g) {
			continue
		}
		facts := e.facts(g)
		for k, l := range e.tree.files[g].edges {
			if l.to == e.name(i) && k < len(facts.Imports) {
				out = append(out, kota.Missing{File: e.name(g), Line: facts.Imports[k].Line, Spec: facts.Imports[k].Spec})
			}
		}
	}
	return out
}

// dangling lists the imports of files that are deleted already.
func (e *Engine) dangling(gone []string) []kota.Missing {
	names := make(map[string]bool)
	for _, g := range gone {
		for _, s := range e.files.Languages.Of(g).Stems(g) {
			names[s] = true
		}
	}
	if len(names) == 0 {
		return nil
	}
	var out []kota.Missing
	for i := range e.tree.files {
		f := &e.tree.files[i]
		for k, l := range f.edges {
			if l.status != lang.Unresolved {
				continue
			}
			im := e.facts(i).Imports[k]
			if to := e.files.Languages.Of(f.path).Target(f.path, im.Spec); to != "" && names[to] {
				out = append(out, kota.Missing{File: f.path, Line: im.Line, Spec: im.Spec})
			}
		}
	}
	return out
}

// surface lists what a file exports, with how many files take each.
func (e *Engine) surface(i int) []kota.Export {
	var items []item
	for _, x := range e.facts(i).Exports {
		if x.Name != lang.Namespace {
			items = append(items, item{name: x.Name, origin: x.Name})
		}
	}
	users := make(map[string]map[int]bool)
	for _, b := range e.follow(i, items) {
		if b.passed {
			continue
		}
		if users[b.origin] == nil {
			users[b.origin] = make(map[int]bool)
		}
		users[b.origin][b.file] = true
	}
	out := make([]kota.Export, len(items))
	for k, it := range items {
		out[k] = kota.Export{File: e.name(i), Name: it.name, Used: len(users[it.origin])}
	}
	return out
}

// clashes lists what is in the way of files that are created.
func (e *Engine) clashes(created []string) []string {
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
		dir, name := path.Dir(p[0]), stem(p[0])
		for i := range e.tree.files {
			if o := e.tree.files[i].path; path.Dir(o) == dir && stem(o) == name && e.alike(o, p[0]) {
				out = append(out, fmt.Sprintf("%s has the name of %s: an import without an extension means one of them", p[0], o))
			}
		}
	}
	return out
}

// alike reports whether two files that an import without an extension may mean
// are of one language, and both tests or both not.
func (e *Engine) alike(a, b string) bool {
	langs := e.files.Languages
	return langs.IsCode(a) && langs.Index(a) == langs.Index(b) && langs.IsTest(a) == langs.IsTest(b)
}

// assess says how risky a change is, and why.
func assess(im *kota.Impact, changed int) {
	level := 0
	because := func(l int, format string, args ...any) {
		level = max(level, l)
		im.Reasons = append(im.Reasons, fmt.Sprintf(format, args...))
	}
	switch {
	case im.Breaks > 0:
		because(2, "%d imports break", im.Breaks)
	case len(im.Clashes) > 0:
		because(1, "%d names clash", len(im.Clashes))
	}
	switch {
	case im.Total > manyDependents:
		because(2, "%d files depend on it", im.Total)
	case im.Total > someDependents:
		because(1, "%d files depend on it", im.Total)
	default:
		because(0, "%d files depend on it", im.Total)
	}
	used := 0
	for _, x := range im.Exports {
		if x.Used > 0 {
			used++
		}
	}
	because(0, "%d of %d exported names are used elsewhere", used, im.Surface)
	if changed > 0 && im.Total > 0 && im.TestTotal == 0 {
		because(1, "no test reaches it")
	} else if changed > 0 {
		because(0, "%d tests reach it", im.TestTotal)
	}
	im.Risk = [...]string{"low", "medium", "high"}[level]
}
