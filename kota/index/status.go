package index

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/graph"
	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/words"
)

// maxGaps is the maximum number of gaps that a status lists.
const maxGaps = 5000

// Status counts what the index holds and lists what it lacks.
func (e *Engine) Status(ctx context.Context) (kota.Status, error) {
	s := kota.Status{Engine: "builtin", Root: e.opts.Root, Index: e.opts.File, Indexed: true, Bytes: e.size, Skipped: []kota.Count{}, Notes: e.tree.notes}
	skipped := map[Skip]int{}
	for i := range e.tree.files {
		f := &e.tree.files[i]
		if f.kind != Code || ctx.Err() != nil {
			continue
		}
		if f.skip != NotSkipped {
			skipped[f.skip]++
			addGap(&s, kota.Gap{File: f.path, Why: f.skip.String()})
			continue
		}
		s.Files++
		e.count(&s, i)
	}
	for k := SkipBinary; k <= SkipRead; k++ {
		if n := skipped[k]; n > 0 {
			s.Skipped = append(s.Skipped, kota.Count{Name: k.String(), N: n})
		}
	}
	for i := range e.graph.Len() {
		for _, a := range e.graph.Out(i) {
			s.Edges++
			if a.Is(graph.Inferred) {
				s.Inferred++
			}
		}
	}
	slices.SortStableFunc(s.Gaps, func(a, b kota.Gap) int { return cmp.Compare(min(a.Line, 1), min(b.Line, 1)) }) // files before imports
	symbols := make([]int, workers())
	share(len(e.tree.files), func(w, i int) { symbols[w] += codec.CountDecls(e.tree.files[i].facts) })
	for _, n := range symbols {
		s.Symbols += n
	}
	s.Languages = e.byLanguage()
	s.NotRead = e.NotRead()
	return s, ctx.Err()
}

func addGap(s *kota.Status, g kota.Gap) {
	if len(s.Gaps) < maxGaps {
		s.Gaps = append(s.Gaps, g)
	}
}

// count adds the imports of a file, and its gaps, to a status.
func (e *Engine) count(s *kota.Status, i int) {
	f := &e.tree.files[i]
	h := f.header()
	if h.Any(codec.ImportsOnly) {
		s.ImportsOnly++
		addGap(s, kota.Gap{File: f.path, Why: "too large or generated: read for its imports and exports alone"})
	}
	s.Outside += oneIf(h.Outside != "")
	s.Generated += oneIf(h.Any(codec.Generated))
	if h.Any(codec.Partial) {
		s.Partial++
		addGap(s, kota.Gap{File: f.path, Why: "syntax errors: read in part"})
	}
	for k, l := range f.edges {
		if l.kind == lang.Augments {
			continue // without a target it declares a module of its own
		}
		switch l.status {
		case lang.Unresolved:
			s.Unresolved++
			im := e.facts(i).Imports[k]
			addGap(s, kota.Gap{File: f.path, Line: im.Line, Spec: im.Wanted(), Why: "not found"})
		case lang.Computed:
			s.Computed++
			addGap(s, kota.Gap{File: f.path, Line: e.facts(i).Imports[k].Line, Why: "computed when the program runs"})
		case lang.External:
			s.External++
		}
	}
}

// byLanguage counts the files that were read, by language.
func (e *Engine) byLanguage() []kota.Count {
	n := make([]int, len(e.files.Languages.All()))
	for i := range e.tree.files {
		if f := &e.tree.files[i]; f.facts != "" {
			n[e.files.Languages.Index(f.path)]++
		}
	}
	var out []kota.Count
	for k, l := range e.files.Languages.All() {
		if n[k] > 0 && l.Name != "" {
			out = append(out, kota.Count{Name: l.Name, N: n[k]})
		}
	}
	return out
}

// NotRead counts, by extension, the files of programming languages that the index does not know
// and of prose, most first.
func (e *Engine) NotRead() []kota.Count {
	n := make(map[string]int)
	for _, p := range e.tree.others {
		if end := path.Ext(p); words.IsProse(end) && !e.files.Languages.IsCode(p) {
			n[end]++
		}
	}
	out := make([]kota.Count, 0, len(n))
	for name, count := range n {
		out = append(out, kota.Count{Name: name, N: count})
	}
	slices.SortFunc(out, func(a, b kota.Count) int { return cmp.Or(b.N-a.N, strings.Compare(a.Name, b.Name)) })
	return out
}
