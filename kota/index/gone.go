package index

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
)

// withGone returns a view in which the deleted files that these names may mean are there again, as
// far as other files import them: each exports what the others take from it. It is v itself when
// there are none.
func withGone(ctx context.Context, v *view, names ...string) *view {
	wanted := v.tree.paths()
	added := make(map[string]*lang.Facts)
	for _, name := range names {
		for _, p := range v.files.spellings(name) {
			if filepath.IsLocal(p) && v.files.Languages.IsCode(p) && v.tree.find(p) < 0 {
				added[p] = nil
				wanted = append(wanted, p)
			}
		}
	}
	if len(added) == 0 {
		return v
	}
	t := *v.tree
	t.files = slices.Clone(t.files)
	u := &updater{now: v.tree, languages: v.files.Languages}
	seen := u.seen()
	seen.Files = slices.Sorted(slices.Values(append(wanted, v.tree.others...)))
	resolvers := u.resolvers(ctx, seen)
	for i := range t.files {
		if at := v.files.Languages.Index(t.files[i].path); at >= 0 && ctx.Err() == nil {
			relink(v, &t.files[i], i, resolvers[at], added)
		}
	}
	var back []file
	for p, facts := range added {
		if facts != nil {
			f := file{path: p, kind: Code}
			f.know(codec.EncodeFacts(facts))
			back = append(back, f)
		}
	}
	if len(back) == 0 {
		return v
	}
	slices.SortFunc(back, func(a, b file) int { return strings.Compare(a.path, b.path) })
	t.files = merged(t.files, back)
	out := newView(v.files, &t)
	out.gone = make(map[int]bool)
	for _, f := range back {
		out.gone[t.find(f.path)] = true
	}
	return out
}

// relink points the imports of a file that lead nowhere to those of the added files that they mean,
// and adds what they take to the exports of these.
func relink(v *view, f *file, i int, r lang.Resolver, added map[string]*lang.Facts) {
	edges := slices.Clone(f.edges)
	for k := range edges {
		l := &edges[k]
		if l.status != lang.Unresolved && l.status != lang.External && !l.inferred {
			continue
		}
		facts := v.facts(i)
		to := r.Resolve(f.path, facts.Imports[k])
		there, ok := added[to.Path]
		if to.Status != lang.Found || !ok {
			continue
		}
		if there == nil {
			there = &lang.Facts{}
			added[to.Path] = there
		}
		l.to, l.status = to.Path, lang.Found
		for _, n := range facts.Imports[k].Names {
			there.Take(n.Imported)
		}
		for _, x := range facts.Exports {
			if x.From == k {
				there.Take(x.Local)
			}
		}
	}
	f.edges = edges
}
