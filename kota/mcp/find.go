package mcp

import (
	"context"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/glob"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
)

// maxText is the maximum length of the text of a hit, in characters.
const maxText = 200

// Context returns the number of dependents of files, and lists them.
func (e *Engine) Context(ctx context.Context, q kota.ContextQuery) (kota.Briefing, error) {
	b := kota.Briefing{Files: []kota.FileBrief{}, Tests: []kota.Dep{}, List: []kota.Dep{}, Impacted: kota.Unknown, TestTotal: kota.Unknown}
	v, err := e.look(ctx)
	if err != nil {
		return b, err
	}
	b.Source = v.source
	files := make([]string, len(q.Files))
	for i, f := range q.Files {
		if files[i], err = e.opts.files().Pick(v.files(), f); err != nil {
			return b, err
		}
	}
	most := q.MaxDependents
	if most <= 0 || most > maxImpact {
		most = maxImpact
	}
	var a contextAnswer
	err = e.ask(ctx, toolContext, contextArgs{Files: files, Tests: true, Symbols: q.Symbols, MaxDependents: most, Repository: v.record.Repository}, &a)
	if err != nil {
		return b, err
	}
	for _, t := range a.Targets {
		f := kota.FileBrief{
			File: t.Path, Dependents: t.Dependents, Exports: []string{}, Imports: []string{},
			Lines: kota.Unknown, Dependencies: kota.Unknown, Tests: kota.Unknown, ExportTotal: kota.Unknown,
		}
		for _, s := range t.Symbols {
			f.Symbols = append(f.Symbols, kota.Definition{File: t.Path, Line: s.Line, End: kota.Unknown, Name: s.Name, Kind: s.Kind})
		}
		b.Files = append(b.Files, f)
	}
	n := v.impacted(&b, a, files, q.Tests)
	if len(b.Files) == 1 && len(a.Impacted) < most {
		b.Files[0].Dependents = n // KotaDB's count includes deleted and ignored files
	}
	return b, nil
}

// impacted adds the dependents and tests to a briefing, and returns the number of dependents.
func (v view) impacted(b *kota.Briefing, a contextAnswer, files []string, tests bool) (dependents int) {
	known := make(map[string]bool)
	for _, f := range files {
		known[f] = true
	}
	for i, p := range append(slices.Clone(a.Impacted), a.Tests...) {
		if known[p] || !v.there[p] {
			continue
		}
		known[p] = true
		dependents += oneIf(i < len(a.Impacted))
		d := kota.Dep{File: p, Distance: 1, Test: v.languages.IsTest(p)}
		switch {
		case !d.Test:
			b.List = append(b.List, d)
		case tests:
			b.Tests = append(b.Tests, d)
		}
	}
	sortDeps(b.List)
	sortDeps(b.Tests)
	return dependents
}

// Search finds a text, or symbols by name. KotaDB matches whole words, in at most the first
// hundred files.
func (e *Engine) Search(ctx context.Context, q kota.SearchQuery) (kota.Hits, error) {
	h := kota.Hits{Query: q.Text, List: []kota.Hit{}}
	if err := checkSearch(q); err != nil {
		return h, err
	}
	v, err := e.look(ctx)
	if err != nil {
		return h, err
	}
	h.Source = v.source
	args := searchArgs{
		Query: q.Text, Scope: []string{"code"}, Output: "snippet", Limit: maxHits,
		Context: min(max(q.Context, 1), maxContext), Filters: searchFilters{v.record.Repository},
	}
	answered := 0
	if q.Symbols {
		args.Scope, args.Output = []string{"symbols"}, "full"
		answered, err = e.symbols(ctx, v, q, args, &h)
	} else {
		answered, err = e.code(ctx, v, q, args, &h)
	}
	if err != nil {
		return h, err
	}
	files := make(map[string]bool)
	for _, x := range h.List {
		files[x.File] = true
	}
	h.Total, h.Files = kota.Number(len(h.List)), kota.Number(len(files))
	if answered >= maxHits { // KotaDB may have cut the list
		h.Total, h.Files = kota.Unknown, kota.Unknown
	}
	return h, nil
}

// checkSearch rejects queries that KotaDB does not support.
func checkSearch(q kota.SearchQuery) error {
	if strings.TrimSpace(q.Text) == "" {
		return &kota.QueryError{Cause: "search: the query is empty"}
	}
	for _, g := range slices.Concat(q.Globs, q.Exclude) {
		if _, err := glob.Compile(g); err != nil {
			return &kota.QueryError{Cause: "search: the pattern " + text.ShellWord(g) + " cannot be used: " + err.Error()}
		}
	}
	if q.Regex {
		return &kota.UnsupportedError{Engine: "KotaDB", Question: "search for a pattern", Verb: "search"}
	}
	return nil
}

// code adds the lines that match, and returns the number of files in KotaDB's answer.
func (e *Engine) code(ctx context.Context, v view, q kota.SearchQuery, args searchArgs, h *kota.Hits) (int, error) {
	var a codeAnswer
	if err := e.ask(ctx, toolSearch, args, &a); err != nil {
		return 0, err
	}
	for _, f := range a.Results.Code {
		if !v.there[f.Path] || !e.opts.files().Wanted(f.Path, q) {
			continue
		}
		for _, m := range f.Matches {
			hit := kota.Hit{File: f.Path, Line: m.Line, Text: fence.OneLine(m.Text, maxText)}
			if q.Context > 0 {
				hit.Before = clean(m.Before[max(0, len(m.Before)-q.Context):])
				hit.After = clean(m.After[:min(q.Context, len(m.After))])
			}
			h.List = append(h.List, hit)
		}
	}
	return len(a.Results.Code), nil
}

// symbols adds the declarations that match, and returns the number of those in KotaDB's answer.
func (e *Engine) symbols(ctx context.Context, v view, q kota.SearchQuery, args searchArgs, h *kota.Hits) (int, error) {
	var a symbolsAnswer
	if err := e.ask(ctx, toolSearch, args, &a); err != nil {
		return 0, err
	}
	for _, s := range a.Results.Symbols {
		if at := s.Location; v.there[at.File] && e.opts.files().Wanted(at.File, q) {
			h.List = append(h.List, kota.Hit{File: at.File, Line: at.Start, End: at.End, Text: fence.OneLine(s.Name, maxText), Kind: fence.OneLine(s.Kind, maxText)})
		}
	}
	return len(a.Results.Symbols), nil
}

// clean returns lines without hidden characters.
func clean(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = fence.OneLine(l, maxText)
	}
	return out
}
