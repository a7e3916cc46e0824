package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/naming"
)

// Deps returns what a file depends on and what depends on it, as far as KotaDB follows imports.
func (e *Engine) Deps(ctx context.Context, q kota.DepsQuery) (kota.Deps, error) {
	d := kota.Deps{File: q.File, Depth: max(q.Depth, 1)}
	v, err := e.look(ctx)
	if err != nil {
		return d, err
	}
	if d.File, err = e.opts.files().Pick(v.files(), q.File); err != nil {
		return d, err
	}
	d.Source = v.source
	var a depsAnswer
	err = e.ask(ctx, toolDeps, depsArgs{
		File: d.File, Direction: direction(q), Depth: min(d.Depth, maxDepth), Tests: true, Repository: v.record.Repository,
		Types: []string{"import", "re_export", "export_all", "dynamic_import"},
	}, &a)
	if err != nil {
		return d, err
	}
	if q.Dependents {
		d.Dependents = v.side(d.File, q, a.Dependents)
		d.InCycle = v.cycle(a.Dependents)
	}
	if q.Dependencies {
		d.Dependencies = v.side(d.File, q, a.Dependencies)
		d.Unresolved = unresolved(a.Unresolved)
	}
	return d, nil
}

// direction returns the value of KotaDB's parameter "direction".
func direction(q kota.DepsQuery) string {
	switch {
	case !q.Dependencies:
		return "dependents"
	case !q.Dependents:
		return "dependencies"
	}
	return "both"
}

// side collects one direction: each file once, at its shortest distance. It leaves out the file
// itself and files that do not exist.
func (v view) side(file string, q kota.DepsQuery, a *sideAnswer) *kota.Side {
	s := &kota.Side{List: []kota.Dep{}, ViaBarrels: kota.Unknown, Inferred: kota.Unknown}
	if a == nil {
		return s
	}
	far := map[string]int{file: 0}
	add := func(paths []string, distance int) {
		for _, p := range paths {
			if d, known := far[p]; v.there[p] && (!known || distance < d) {
				far[p] = distance
			}
		}
	}
	add(a.Direct, 1)
	for name, paths := range a.Indirect {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "depth_")); err == nil && n > 0 {
			add(paths, n)
		}
	}
	delete(far, file)
	for p, n := range far {
		d := kota.Dep{File: p, Distance: n, Test: v.languages.IsTest(p)}
		s.Total++
		if n == 1 {
			s.Direct++
		}
		if d.Test {
			s.Tests++
		} else {
			s.Production++
		}
		if (q.Tests || !d.Test) && (q.Dir == "" || naming.Within(p, q.Dir)) {
			s.List = append(s.List, d)
		}
	}
	sortDeps(s.List)
	return s
}

// sortDeps orders files: production before tests, then by distance, then by path.
func sortDeps(list []kota.Dep) {
	slices.SortFunc(list, func(a, b kota.Dep) int {
		return cmp.Or(oneIf(a.Test)-oneIf(b.Test), a.Distance-b.Distance, strings.Compare(a.File, b.File))
	})
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// cycle returns the number of files in the cycles of an answer.
func (v view) cycle(a *sideAnswer) int {
	files := make(map[string]bool)
	if a != nil {
		for _, c := range a.Cycles {
			for _, p := range c {
				files[p] = v.there[p]
			}
		}
	}
	n := 0
	for _, there := range files {
		n += oneIf(there)
	}
	return n
}

// unresolved lists the specifiers that KotaDB did not resolve. Lines are unknown; packages and
// re-exports are among them.
func unresolved(specs []string) []kota.Missing {
	specs = slices.Clone(specs)
	slices.Sort(specs)
	var out []kota.Missing
	for _, s := range slices.Compact(specs) {
		out = append(out, kota.Missing{Spec: s})
	}
	return out
}

// Usages returns where a name is used. KotaDB compares only names.
func (e *Engine) Usages(ctx context.Context, q kota.UsagesQuery) (kota.Usages, error) {
	u := kota.Usages{Symbol: q.Symbol, Confidence: "name", List: []kota.Usage{}}
	name := q.Symbol[strings.LastIndexByte(q.Symbol, '.')+1:]
	if name == "" {
		return u, &kota.QueryError{Cause: "find usages: the symbol is empty"}
	}
	v, err := e.look(ctx)
	if err != nil {
		return u, err
	}
	u.Source = v.source
	if q.File != "" {
		if q.File, err = e.opts.files().Pick(v.files(), q.File); err != nil {
			return u, err
		}
	}
	var a usagesAnswer
	if err := e.ask(ctx, toolUsages, usagesArgs{name, q.File, true, v.record.Repository}, &a); err != nil {
		return u, err
	}
	u.Definition = v.definition(name, a)
	v.use(&u, a.Usages, q.Tests)
	if u.Definition == nil && u.Total == 0 {
		return u, &kota.UnknownSymbolError{Symbol: q.Symbol}
	}
	return u, nil
}

// definition returns where a symbol is declared, nil when KotaDB does not know.
func (v view) definition(name string, a usagesAnswer) *kota.Definition {
	i := strings.LastIndexByte(a.DefinedIn, ':')
	if i < 0 || !v.there[a.DefinedIn[:i]] {
		return nil
	}
	line, err := strconv.Atoi(a.DefinedIn[i+1:])
	if err != nil {
		return nil
	}
	return &kota.Definition{File: a.DefinedIn[:i], Line: line, End: kota.Unknown, Name: name, Kind: fence.OneLine(a.Kind, maxText)}
}

// use collects uses by file, each line once.
func (v view) use(u *kota.Usages, list []usageAnswer, tests bool) {
	files := make(map[string]*kota.Usage)
	for _, x := range list {
		if !v.there[x.File] {
			continue
		}
		f := files[x.File]
		if f == nil {
			f = &kota.Usage{File: x.File, Test: v.languages.IsTest(x.File)}
			files[x.File] = f
		}
		if x.Type == "import" && f.Import == 0 {
			f.Import = x.Line
		} else if x.Line != f.Import && !slices.Contains(f.Lines, x.Line) {
			f.Lines = append(f.Lines, x.Line)
		}
	}
	for _, f := range files {
		slices.Sort(f.Lines)
		n := len(f.Lines) + oneIf(f.Import > 0)
		u.Total += n
		u.Files++
		if f.Test {
			u.TestLines += n
		}
		if tests || !f.Test {
			u.List = append(u.List, *f)
		}
	}
	slices.SortFunc(u.List, func(a, b kota.Usage) int {
		return cmp.Or(oneIf(a.Test)-oneIf(b.Test), len(b.Lines)-len(a.Lines), strings.Compare(a.File, b.File))
	})
}

// Impact returns what a change affects, as far as KotaDB tells: dependents up to two imports
// away, and not all of those.
func (e *Engine) Impact(ctx context.Context, q kota.ImpactQuery) (kota.Impact, error) {
	im := kota.Impact{
		ChangeType: q.ChangeType, Reasons: []string{}, Broken: []kota.Missing{}, Tests: []kota.Dep{}, Dependents: []kota.Dep{}, Exports: []kota.Export{},
		Total: kota.Unknown, TestTotal: kota.Unknown, Surface: kota.Unknown, Breaks: kota.Unknown,
	}
	v, err := e.look(ctx)
	if err != nil {
		return im, err
	}
	im.Source = v.source
	changed := slices.Concat(q.Modify, q.Delete, q.Gone)
	for _, f := range slices.Concat(q.Modify, q.Delete) {
		if err := e.has(v, f); err != nil {
			return im, err
		}
	}
	created := make([]string, len(q.Create))
	for i, f := range q.Create {
		created[i] = e.opts.files().Relative(f)
	}
	if im.Changed = len(changed) + len(created); im.Changed == 0 {
		return im, &kota.QueryError{Cause: "find impact: no file is changed"}
	}
	kind := q.ChangeType
	if kind == "" {
		kind = "refactor"
	}
	var a impactAnswer
	err = e.ask(ctx, toolImpact, impactArgs{
		ChangeType: kind, Description: kind + " of " + strings.Join(append(changed, created...), ", "), Modify: q.Modify, Create: created,
		Delete: append(slices.Clone(q.Delete), q.Gone...), Breaking: len(q.Delete)+len(q.Gone) > 0, Repository: v.record.Repository,
	}, &a)
	if err != nil {
		return im, err
	}
	v.affected(&im, a, append(changed, created...))
	v.assess(&im, a)
	return im, nil
}

// affected lists the files in KotaDB's answer.
func (v view) affected(im *kota.Impact, a impactAnswer, changed []string) {
	known := make(map[string]bool)
	for _, f := range changed {
		known[f] = true
	}
	for _, f := range a.Affected {
		if known[f.Path] || !v.there[f.Path] {
			continue
		}
		known[f.Path] = true
		d := kota.Dep{File: f.Path, Distance: 2, Test: v.languages.IsTest(f.Path)}
		if strings.HasPrefix(f.Reason, "Directly") {
			d.Distance = 1
		}
		switch {
		case d.Test:
			im.Tests = append(im.Tests, d)
		default:
			im.Direct += oneIf(d.Distance == 1)
			im.Dependents = append(im.Dependents, d)
		}
	}
	for _, f := range a.Tests.Files { // KotaDB guesses some by name
		if v.there[f] && !known[f] {
			known[f] = true
			im.Tests = append(im.Tests, kota.Dep{File: f, Distance: 1, Test: true})
		}
	}
	sortDeps(im.Tests)
	sortDeps(im.Dependents)
}

// assess copies KotaDB's assessment of the change.
func (v view) assess(im *kota.Impact, a impactAnswer) {
	im.Risk = fence.OneLine(a.Risk, maxText)
	if im.Risk == "" {
		im.Risk = "unknown"
	}
	im.Reasons = append(im.Reasons, fmt.Sprintf("KotaDB names %s and %s, no further than two imports away", text.CountPlain(len(im.Dependents), "dependent"), text.CountPlain(len(im.Tests), "test")))
	im.Reasons = append(im.Reasons, clean(a.Warnings)...)
	for _, c := range a.Conflicts {
		if c.Description != "" {
			im.Clashes = append(im.Clashes, fence.OneLine(c.Description, maxText))
		}
	}
}
