package index

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/graph"
	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
)

// Context returns what to know about files before working on them.
func (e *Engine) Context(ctx context.Context, q kota.ContextQuery) (kota.Briefing, error) {
	b := kota.Briefing{Files: []kota.FileBrief{}, Tests: []kota.Dep{}, List: []kota.Dep{}}
	files, err := e.several(q.Files)
	if err != nil || len(files) == 0 {
		return b, err
	}
	c := change{files: files, barrels: make(map[int]barrels)}
	for _, i := range files {
		c.barrels[i] = e.throughBarrels(ctx, i)
		b.Files = append(b.Files, e.brief(i, q.Symbols, c.barrels[i]))
	}
	im := kota.Impact{Dependents: []kota.Dep{}}
	affected{e.view}.reached(ctx, &im, c, q.MaxDependents)
	b.TestTotal, b.Impacted, b.List = im.TestTotal, im.Total, im.Dependents
	if q.Tests {
		b.Tests = im.Tests
	}
	b.Incomplete = e.unsure(files)
	return b, nil
}

// brief returns the summary of a file. via are the files that throughBarrels found.
func (e *Engine) brief(i int, symbols bool, via barrels) kota.FileBrief {
	h := e.tree.files[i].header()
	f := kota.FileBrief{File: e.name(i), Lines: h.Lines, Partial: h.Any(codec.Partial), Package: e.packageOf(e.name(i)), Exports: []string{}, Imports: []string{}}
	near, _, _ := e.neighbors(i, kota.DepsQuery{Depth: 1}, e.graph.In, via)
	f.Dependents, f.Tests = near.Production, near.Tests
	for _, name := range e.exportsOf(i) {
		f.Exports = append(f.Exports, shown(e.name(i), name))
	}
	f.ExportTotal = len(f.Exports)
	deps := e.side(i, kota.DepsQuery{Depth: 1, Tests: true}, e.graph.Out, nil)
	f.Dependencies = deps.Total
	for _, d := range deps.List {
		f.Imports = append(f.Imports, d.File)
	}
	if symbols {
		for _, d := range e.all(i, codec.WithDecls).Decls {
			if d.In == "" {
				f.Symbols = append(f.Symbols, kota.Definition{File: f.File, Line: d.Line, End: kota.Number(d.End), Name: d.Name, Kind: d.Class.String(), Exported: d.Exported})
			}
		}
	}
	return f
}

// packageOf returns the directory of the nearest manifest above a file, "" when that is the root
// or there is none.
func (v *view) packageOf(p string) string {
	manifests := v.files.Languages.Manifests(p)
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		for _, m := range manifests {
			if v.tree.find(path.Join(d, m)) >= 0 {
				return d
			}
		}
	}
	return ""
}

// Map returns the files that matter most, or those that matter most to the files in q.Focus.
func (e *Engine) Map(_ context.Context, q kota.MapQuery) (kota.Map, error) {
	focus, err := e.several(q.Focus)
	if err != nil {
		return kota.Map{}, err
	}
	start := make(map[int]float64)
	for i := range e.tree.files {
		if f := &e.tree.files[i]; f.kind == Code && e.isProduction(i) {
			start[i] = 1
		}
	}
	for _, i := range focus {
		start[i] = float64(len(start))
	}
	m := kota.Map{List: []kota.MapFile{}}
	if len(start) == 0 {
		return m, nil
	}
	score := e.graph.Rank(start, e.graph.Outward)
	var order []int
	for i := range e.tree.files {
		if f := &e.tree.files[i]; f.kind == Code && f.facts != "" && (q.Tests || e.isProduction(i)) {
			order = append(order, i)
		}
	}
	barrel := func(i int) bool { return e.tree.files[i].marks.Any(codec.Barrel) }
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(falseFirst(barrel(a), barrel(b)), cmp.Compare(score[b], score[a]), a-b)
	})
	for _, i := range order {
		m.List = append(m.List, kota.MapFile{File: e.name(i), Dependents: len(e.graph.In(i)), Symbols: e.headline(i)})
	}
	m.Total = len(m.List)
	return m, nil
}

// headline lists the exported declarations of a file in file order.
func (v *view) headline(i int) []string {
	out := []string{}
	for _, d := range v.all(i, codec.WithDecls).Decls {
		if d.In == "" && d.Exported && d.Name != lang.Default && !slices.Contains(out, d.Name) {
			out = append(out, d.Name)
		}
	}
	return out
}

// Graph returns the imports around one file, or those of the whole tree.
func (e *Engine) Graph(_ context.Context, q kota.GraphQuery) (kota.Graph, error) {
	g := kota.Graph{Project: filepath.Base(e.files.Root), Edges: []kota.GraphEdge{}}
	nodes := e.everyNode(q.Tests)
	if q.File != "" {
		i, err := e.ask(q.File)
		if err != nil {
			return g, err
		}
		g.File = e.name(i)
		nodes = e.around(i, q)
	}
	g.Total = len(nodes)
	if q.MaxFiles > 0 {
		nodes = nodes[:min(q.MaxFiles, len(nodes))]
	}
	slices.Sort(nodes)
	g.Nodes = nodes
	kept := make(map[int]bool)
	for _, n := range nodes {
		kept[e.tree.find(n)] = true
	}
	for _, n := range nodes {
		for _, a := range e.graph.Out(e.tree.find(n)) {
			if kept[int(a.To)] {
				g.Edges = append(g.Edges, kota.GraphEdge{From: n, To: e.name(int(a.To)), TypeOnly: a.Is(graph.Types), Inferred: a.Is(graph.Inferred)})
			}
		}
	}
	return g, nil
}

// around lists a file and its neighbors, the nearest first.
func (e *Engine) around(i int, q kota.GraphQuery) []string {
	ask := kota.DepsQuery{Depth: q.Depth, Tests: q.Tests}
	list := slices.Concat(e.side(i, ask, e.graph.Out, nil).List, e.side(i, ask, e.graph.In, nil).List)
	slices.SortStableFunc(list, func(a, b kota.Dep) int { return a.Distance - b.Distance })
	nodes := []string{e.name(i)}
	seen := map[string]bool{e.name(i): true}
	for _, d := range list {
		if !seen[d.File] {
			seen[d.File] = true
			nodes = append(nodes, d.File)
		}
	}
	return nodes
}

// everyNode lists the files that import or are imported, most imported first.
func (e *Engine) everyNode(tests bool) []string {
	var order []int
	for i := range e.graph.Len() {
		if len(e.graph.In(i))+len(e.graph.Out(i)) > 0 && (tests || e.isProduction(i)) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(e.graph.In(b)) - len(e.graph.In(a)) })
	nodes := make([]string, len(order))
	for k, i := range order {
		nodes[k] = e.name(i)
	}
	return nodes
}
