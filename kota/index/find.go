package index

import (
	"cmp"
	"context"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/words"
)

const (
	// maxRanked is the maximum number of files in a ranked answer.
	maxRanked = 50
	// leastShare is the minimum score of a listed file, as a fraction of the best score.
	leastShare = 0.2
	// maxNamed is how many files a question names that come first. A stack trace names many.
	maxNamed = 3
)

// rank lists the files that a question in plain words is about, most likely first.
func (e *Engine) rank(ctx context.Context, q kota.SearchQuery) kota.Hits {
	h := kota.Hits{Query: q.Text, Ranked: true, List: []kota.Hit{}}
	asked := words.Parse(q.Text)
	found, numbers, searched := e.look(ctx, asked, q)
	scale := asked.NewScale(found, searched)
	best := make([]words.Ranked, len(found))
	share(len(found), func(_, k int) {
		i := numbers[k]
		best[k] = asked.Rank(i, found[k], scale, e.all(i, codec.WithDecls).Decls, e.remote(i) != program || e.tree.files[i].marks.Any(codec.Barrel))
	})
	slices.SortStableFunc(best, func(a, b words.Ranked) int { return cmp.Compare(b.Score, a.Score) })
	best = e.lead(best, q)
	for _, r := range best[:min(maxRanked, len(best))] {
		if r.Score >= best[0].Score*leastShare {
			h.List = append(h.List, e.rankedHit(r, q.Context))
		}
	}
	h.Total, h.Files = len(h.List), len(h.List)
	return h
}

// rankSymbols lists the symbols whose names have most words of a question.
func (e *Engine) rankSymbols(q kota.SearchQuery) kota.Hits {
	type scored struct {
		kota.Hit
		file  int
		score float64
	}
	asked := words.Parse(q.Text)
	found := make([][]scored, len(e.tree.files))
	share(len(found), func(_, i int) {
		if !e.searched(i, q) {
			return
		}
		for _, d := range e.all(i, codec.WithDecls).Decls {
			if part, score := asked.Covers(d); part >= leastPart {
				found[i] = append(found[i], scored{e.symbolHit(i, d), i, score})
			}
		}
	})
	all := slices.Concat(found...)
	slices.SortStableFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), int(e.remote(a.file)-e.remote(b.file)))
	})
	h := kota.Hits{Query: q.Text, Total: len(all), List: []kota.Hit{}}
	files := make(map[string]bool)
	for _, s := range all {
		h.List, files[s.File] = append(h.List, s.Hit), true
	}
	h.Files = len(files)
	return h
}

// leastPart is the fraction of a question that a symbol's name must cover.
const leastPart = 0.6

// look searches all selected files for the words of a question. found and numbers are parallel:
// what was found, and the index of its file. searched counts the files.
func (e *Engine) look(ctx context.Context, asked *words.Query, q kota.SearchQuery) (found []words.Found, numbers []int, searched int) {
	all := make([]words.Found, len(e.tree.files))
	seen, has := make([]bool, len(all)), make([]bool, len(all))
	buffers := make([][]byte, workers())
	share(len(all), func(w, i int) {
		if ctx.Err() != nil || !e.searched(i, q) {
			return
		}
		name := e.name(i)
		data, err := readInto(e.files.at(name), buffers[w])
		if err != nil {
			return
		}
		buffers[w], seen[i] = data, true
		all[i], has[i] = asked.Look(name, data)
	})
	for i := range all {
		if seen[i] {
			searched++
		}
		if has[i] {
			found, numbers = append(found, all[i]), append(numbers, i)
		}
	}
	return found, numbers, searched
}

// lead puts the first files that a question names at the front of a ranking.
func (e *Engine) lead(list []words.Ranked, q kota.SearchQuery) []words.Ranked {
	for _, file := range slices.Backward(e.named(q)) {
		r := words.Ranked{File: file}
		if i := slices.IndexFunc(list, func(r words.Ranked) bool { return r.File == file }); i >= 0 {
			r = list[i]
			list = slices.Delete(list, i, i+1)
		}
		if r.Named = true; len(list) > 0 {
			r.Score = max(r.Score, list[0].Score)
		}
		list = slices.Insert(list, 0, r)
	}
	return list
}

// named lists the first of the selected files that a question names.
func (e *Engine) named(q kota.SearchQuery) (out []int) {
	for _, p := range kota.NamedIn(q.Text, e.files.Languages.IsCode, e.tree.paths) {
		if i := e.tree.find(p); e.searched(i, q) {
			out = append(out, i)
		}
	}
	return out[:min(maxNamed, len(out))]
}

// searched reports whether a file is among those in which a search looks for words.
func (e *Engine) searched(i int, q kota.SearchQuery) bool {
	f := &e.tree.files[i]
	return f.kind == Code && f.facts != "" && e.files.Wanted(f.path, q)
}

// remote is how far a file is from the program itself.
type remote int

// How far files are.
const (
	program  remote = iota
	declares        // a declaration file: it repeats what the program has
	aside           // something packed or generated, build output, an example
	tests
)

// remote returns how far a file is from the program.
func (v *view) remote(i int) remote {
	switch {
	case !v.isProduction(i):
		return tests
	case v.tree.files[i].marks.Any(codec.Generated|codec.ImportsOnly) || words.IsAside(v.name(i)):
		return aside
	case v.files.declares(v.name(i)):
		return declares
	}
	return program
}

// declares reports whether a file declares the types of code that is elsewhere.
func (f Files) declares(file string) bool { return f.Languages.Of(file).Describes(file) != nil }

// remotes returns how far the files of hits are from the program.
func (e *Engine) remotes(list []kota.Hit) map[string]remote {
	out := make(map[string]remote)
	for _, h := range list {
		if _, known := out[h.File]; !known {
			out[h.File] = e.remote(e.tree.find(h.File))
		}
	}
	return out
}

// rankedHit returns a file as a hit, with the lines that best explain why it is listed.
func (e *Engine) rankedHit(r words.Ranked, context int) kota.Hit {
	var at []int
	for _, n := range r.Declares {
		at = append(at, n.Line)
	}
	at = append(at, r.Lines...)
	if len(at) == 0 {
		at = []int{1} // only its path has the words
	}
	h := kota.Hit{File: e.name(r.File), Score: math.Round(r.Score*100) / 100, Why: fence.OneLine(r.Why(), maxText), Label: e.label(r.File)}
	source := e.source(r.File)
	for k, n := range at {
		if source.Span(n, n) == nil || slices.Contains(at[:k], n) {
			continue
		}
		text := fence.OneLine(strings.TrimSpace(source.Line(n)), maxText)
		if h.Line == 0 {
			h.Line, h.Text = n, text
			h.Before, h.After = around(source, n, context)
		} else if len(h.Also) < maxAlso {
			h.Also = append(h.Also, kota.Place{Line: n, Text: text})
		}
	}
	return h
}

// maxAlso is how many lines of a file are shown besides the first.
const maxAlso = 2

// spellings lists the paths that a name may mean: relative to the root or absolute, with slashes
// of either kind, with or without its extension.
func (f Files) spellings(name string) []string {
	p := f.Relative(name)
	out := []string{p}
	for _, l := range f.Languages.All() {
		for _, end := range l.Endings {
			out = append(out, p+end)
		}
	}
	return out
}

// Relative returns a name as a path relative to the root, with slashes.
func (f Files) Relative(name string) string {
	p := strings.ReplaceAll(name, `\`, "/")
	if filepath.IsAbs(p) {
		if rel, err := filepath.Rel(f.Root, p); err == nil {
			p = filepath.ToSlash(rel)
		}
	}
	return path.Clean(p)
}
