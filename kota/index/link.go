package index

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
)

// resolve resolves imports: those of every file when a file was added or removed or a
// configuration changed, otherwise those of the changed files and of files that take names from
// them without importing them.
func (u *updater) resolve(ctx context.Context) error {
	every := u.compare()
	if !every && !slices.Contains(u.dirty, true) {
		u.now.watch, u.now.notes = u.old.watch, u.old.notes
		u.keepAssets()
		return nil
	}
	resolvers := u.resolvers(ctx, u.seen())
	changed := u.redeclared()
	for i := range u.now.files {
		f := &u.now.files[i]
		if f.kind != Code || f.facts == "" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		r := resolvers[u.languages.Index(f.path)]
		if !every && !u.dirty[i] && !depends(r, f, changed) {
			continue
		}
		resolve(ctx, r, f)
	}
	if err := u.assignRoles(ctx, every); err != nil {
		return err
	}
	if every {
		u.change.Resolved = true
		u.watch(resolvers)
	} else {
		u.now.watch, u.now.notes = u.old.watch, u.old.notes
	}
	u.keepAssets()
	return ctx.Err()
}

// resolvers returns the resolvers of all languages for a tree, in the order of the set.
func (u *updater) resolvers(ctx context.Context, t lang.Tree) []lang.Resolver {
	var out []lang.Resolver
	for _, l := range u.languages.All() {
		out = append(out, l.Resolver(ctx, t))
	}
	return out
}

// redeclared lists the files whose declarations changed.
func (u *updater) redeclared() []string {
	var out []string
	for i := range u.now.files {
		f := &u.now.files[i]
		if !u.dirty[i] || f.kind != Code {
			continue
		}
		if b := u.old.find(f.path); b < 0 || surface(u.old.files[b].facts) != surface(f.facts) {
			out = append(out, f.path)
		}
	}
	return out
}

// surface returns what other files may depend on in a file: its unit, its build constraint and
// the names of its declarations.
func surface(facts string) string {
	h := codec.HeaderOf(facts)
	out := []byte(h.Unit + " " + h.Outside)
	if facts != "" {
		codec.EachDecl(facts, func(d *lang.Decl) { out = fmt.Append(out, "\n", d.In, ".", d.Name) })
	}
	return string(out)
}

// depends reports whether a file's links may change because the declarations of these files did.
func depends(r lang.Resolver, f *file, changed []string) bool {
	if len(changed) == 0 {
		return false
	}
	facts := codec.DecodeFacts(f.facts, codec.WithImports)
	return r.Depends(f.path, &facts, changed)
}

// seen returns the new tree for the languages.
func (u *updater) seen() lang.Tree {
	t := lang.Tree{Files: slices.Clone(u.now.others), Read: u.config, Facts: u.now.said}
	for i := range u.now.files {
		t.Files = append(t.Files, u.now.files[i].path)
	}
	return t
}

// assignRoles sets the roles of all files, or only of those that changed.
func (u *updater) assignRoles(ctx context.Context, every bool) error {
	t := u.seen()
	var roles []func(string, *lang.Facts) lang.Role
	for _, l := range u.languages.All() {
		roles = append(roles, l.Roles(t))
	}
	for i := range u.now.files {
		f := &u.now.files[i]
		if !every && !u.dirty[i] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		f.role = lang.Production
		switch at := u.languages.Index(f.path); {
		case at < 0:
			if u.languages.IsTest(f.path) {
				f.role = lang.Support
			}
		case f.facts == "":
			f.role = roles[at](f.path, nil)
		default:
			facts := codec.DecodeFacts(f.facts, codec.WithImports)
			f.role = roles[at](f.path, &facts)
		}
	}
	return nil
}

// resolve resolves the imports of one file. The resolver first replaces those that it added
// before.
func resolve(ctx context.Context, r lang.Resolver, f *file) {
	facts := codec.DecodeFacts(f.facts, codec.WithImports)
	if r.Links(&facts) {
		facts = codec.DecodeFacts(f.facts, codec.WithImports|codec.WithDecls|codec.WithUses)
		facts.Imports = r.Link(f.path, &facts)
		f.know(codec.EncodeFacts(&facts))
	}
	links := make([]link, len(facts.Imports))
	for k, im := range facts.Imports {
		if ctx.Err() != nil {
			return
		}
		to := r.Resolve(f.path, im)
		links[k] = link{to: to.Path, status: to.Status, inferred: to.Inferred, typeOnly: im.TypeOnly, kind: im.Kind}
	}
	f.edges = links
}

// config reads a configuration file for a resolver, false when there is none.
func (u *updater) config(p string) ([]byte, bool) {
	name := filepath.Join(u.now.root, filepath.FromSlash(p))
	st, err := os.Stat(name) // Stat follows links, which are common in node_modules
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxFile {
		return nil, false
	}
	data, err := os.ReadFile(name)
	return data, err == nil
}

// watch stores what the resolvers report about configuration: their notes, and the files outside
// the list that they looked for.
func (u *updater) watch(resolvers []lang.Resolver) {
	var consulted []string
	u.now.watch, u.now.notes = nil, nil
	for _, r := range resolvers {
		consulted = append(consulted, r.Consulted()...)
		u.now.notes = append(u.now.notes, r.Notes()...)
	}
	slices.Sort(consulted)
	for _, p := range slices.Compact(consulted) {
		if i := u.now.find(p); i < 0 || u.now.files[i].kind == Asset {
			u.now.watch = append(u.now.watch, u.look(p))
		}
	}
}

// look returns the state of a watched file.
func (u *updater) look(p string) watchedFile {
	w := watchedFile{path: p}
	data, there := u.config(p)
	if w.there = there; there {
		sum := sha256.Sum256(data)
		copy(w.hash[:], sum[:])
	}
	return w
}

// watchChanged reports whether a watched file changed.
func (u *updater) watchChanged() bool {
	for _, w := range u.old.watch {
		if u.look(w.path) != w {
			return true
		}
	}
	return false
}

// keepAssets moves the other files that are imported from others to files.
func (u *updater) keepAssets() {
	wanted := make(map[string]bool)
	for i := range u.now.files {
		for _, l := range u.now.files[i].edges {
			if l.status == lang.Found && !u.languages.IsCode(l.to) && !u.languages.IsConfig(l.to) {
				wanted[l.to] = true
			}
		}
	}
	if len(wanted) == 0 {
		return
	}
	rest := make([]string, 0, len(u.now.others))
	var assets []file
	for _, p := range u.now.others {
		if wanted[p] {
			assets = append(assets, file{path: p, kind: Asset})
		} else {
			rest = append(rest, p)
		}
	}
	u.now.others, u.now.files = rest, merged(u.now.files, assets)
}

// merged merges two sorted lists of files.
func merged(a, b []file) []file {
	out := make([]file, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].path < b[0].path {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}
