package index

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/lang"
)

// definition is a kota.Definition with what following it needs.
type definition struct {
	kota.Definition
	file   int
	in     string // what it is a member of
	passed bool   // it has this name only where the file passes it on
}

// Usages answers where a symbol is used.
func (e *Engine) Usages(_ context.Context, q kota.UsagesQuery) (kota.Usages, error) {
	u := kota.Usages{Symbol: q.Symbol, Confidence: "bound", List: []kota.Usage{}}
	owner, member, dotted := strings.Cut(q.Symbol, ".")
	if owner == "" || dotted && member == "" {
		return u, &kota.QueryError{Cause: "find usages: the symbol is empty"}
	}
	only := -1
	if q.File != "" {
		var err error
		if only, err = e.ask(q.File); err != nil {
			return u, err
		}
	}
	defs := e.definitions(owner, member, only)
	switch {
	case len(defs) > 1:
		for _, d := range defs {
			u.Candidates = append(u.Candidates, d.Definition)
		}
		return u, nil
	case len(defs) == 0 && only < 0 && !dotted:
		return e.external(u, q)
	case len(defs) == 0:
		return u, &kota.UnknownSymbolError{Symbol: q.Symbol, Nearest: nearest(q.Symbol, e.symbols(), 3)}
	}
	d := defs[0]
	u.Definition = &d.Definition
	if d.in != "" && !e.bindsMember(d) {
		u.Confidence = "name"
		e.byName(&u, d, q.Tests)
		return u, nil
	}
	e.bound(&u, d, owner, member, q.Tests)
	return u, nil
}

// definitions lists what declares a symbol, each file once: those that are
// exported first.
func (e *Engine) definitions(owner, member string, only int) []definition {
	name := owner
	if member != "" {
		name = member
	}
	found := make([][]definition, workers())
	share(len(e.tree.files), func(w, i int) {
		if (only >= 0 && i != only) || !strings.Contains(e.tree.files[i].facts, name) {
			return
		}
		found[w] = append(found[w], e.declared(i, owner, member)...)
	})
	all := slices.Concat(found...)
	// What is declared counts before what a file only passes on, and top-level
	// names before members.
	for _, better := range []func(definition) bool{
		func(d definition) bool { return !d.passed && (d.in == "" || member != "") },
		func(d definition) bool { return d.in == "" },
	} {
		if slices.ContainsFunc(all, better) {
			all = slices.DeleteFunc(all, func(d definition) bool { return !better(d) })
			break
		}
	}
	slices.SortFunc(all, func(a, b definition) int {
		return cmp.Or(boolean(b.Exported, a.Exported), strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	return all
}

// declared lists what a file declares under a name, each container once.
func (e *Engine) declared(i int, owner, member string) []definition {
	facts := e.all(i, withImports|withDecls)
	var out []definition
	add := func(d definition) {
		d.file, d.File = i, e.name(i)
		if !slices.ContainsFunc(out, func(o definition) bool { return o.in == d.in }) {
			out = append(out, d)
		}
	}
	for _, d := range facts.Decls {
		full := kota.Definition{Line: d.Line, End: kota.Number(d.End), Name: d.Name, Kind: d.Class.String(), Exported: d.Exported}
		switch {
		case member == "" && d.Name == owner:
			add(definition{Definition: full, in: d.In})
		case member != "" && d.Name == member && (d.In == owner || strings.HasSuffix(d.In, "."+owner)):
			full.Name = owner + "." + member
			add(definition{Definition: full, in: d.In})
		}
	}
	if member != "" || len(out) > 0 {
		return out
	}
	for _, x := range facts.Exports {
		if x.Name == owner && x.Name != x.Local {
			add(definition{Definition: kota.Definition{Line: x.Line, End: kota.Number(x.Line), Name: owner, Kind: "re-export", Exported: true}, passed: true})
		}
	}
	return out
}

// bindsMember reports whether the uses of a member are known by its owner's name:
// those of an enum or a namespace, not those of a class's instances.
func (e *Engine) bindsMember(d definition) bool {
	if d.Kind == lang.EnumMember.String() {
		return true
	}
	owner := d.in
	for _, o := range e.all(d.file, withDecls).Decls {
		if o.In == "" && o.Name == owner {
			return o.Class == lang.NamespaceDecl
		}
	}
	return false
}

// bound lists the lines that use a symbol by what is imported and exported.
func (e *Engine) bound(u *kota.Usages, d definition, owner, member string, tests bool) {
	if member == "" && d.in != "" {
		owner, member = d.in, d.Name
	}
	local := owner
	if member != "" {
		local += "." + member
	}
	e.use(u, d.file, kota.Usage{}, e.lines(d.file, local, d.Line), tests)
	var items []item
	for _, x := range e.facts(d.file).Exports {
		if x.Local == owner && x.From < 0 || d.passed && x.Name == owner {
			items = append(items, item{name: x.Name})
		}
	}
	type place struct {
		file, line int
		local      string
	}
	seen := make(map[place]bool)
	for _, b := range e.follow(d.file, items) {
		name := b.local
		if member != "" && name != "" {
			name += "." + member
		}
		at := place{b.file, b.line, name}
		lines := e.lines(b.file, name, 0)
		if seen[at] || strings.Contains(name, ".") && member == "" && len(lines) == 0 {
			continue // who imports an object does not use everything in it
		}
		usage := kota.Usage{Import: b.line}
		if name != "" && name != local {
			usage.As = name
		}
		if b.via != d.file {
			usage.Via = e.name(b.via)
		}
		e.use(u, b.file, usage, lines, tests)
		// An import takes one line, however many names of it are used.
		if imported := (place{b.file, b.line, ""}); seen[imported] {
			u.Total--
			if e.isTest(b.file) {
				u.TestLines--
			}
		} else {
			seen[imported] = true
		}
		seen[at] = true
	}
	finishUsages(u)
}

// use adds the uses in one file.
func (e *Engine) use(u *kota.Usages, i int, usage kota.Usage, lines []int, tests bool) {
	usage.File, usage.Test, usage.Lines = e.name(i), e.isTest(i), lines
	n := len(lines)
	if usage.Import > 0 {
		n++
	}
	if n == 0 {
		return
	}
	u.Total += n
	if usage.Test {
		u.TestLines += n
	}
	if tests || !usage.Test {
		u.List = append(u.List, usage)
	} else if !slices.ContainsFunc(u.List, func(o kota.Usage) bool { return o.File == usage.File }) {
		u.Files++ // counted, though it is not listed
	}
}

// lines lists the lines of a file that use a local name, but for the one that
// declares it.
func (e *Engine) lines(i int, local string, declared int) []int {
	if local == "" {
		return nil
	}
	return slices.DeleteFunc(usesOf(e.tree.files[i].facts, local), func(l int) bool { return l == declared })
}

// finishUsages orders uses: where the symbol is declared, production, tests; the
// files with most lines first.
func finishUsages(u *kota.Usages) {
	files := make(map[string]bool)
	for _, x := range u.List {
		files[x.File] = true
	}
	u.Files += len(files)
	home := ""
	if u.Definition != nil {
		home = u.Definition.File
	}
	slices.SortFunc(u.List, func(a, b kota.Usage) int {
		return cmp.Or(
			boolean(a.File != home, b.File != home), boolean(a.Test, b.Test), len(b.Lines)-len(a.Lines),
			strings.Compare(a.File, b.File), strings.Compare(a.As, b.As), a.Import-b.Import,
		)
	})
}

// external lists the uses of a name that comes from packages outside the tree.
func (e *Engine) external(u kota.Usages, q kota.UsagesQuery) (kota.Usages, error) {
	var packages []string
	for i := range e.tree.files {
		f := &e.tree.files[i]
		if !strings.Contains(f.facts, q.Symbol) {
			continue
		}
		facts := e.facts(i)
		for k, im := range facts.Imports {
			if k >= len(f.edges) || f.edges[k].status != lang.External && f.edges[k].status != lang.Builtin {
				continue
			}
			for _, n := range im.Names {
				if n.Imported != q.Symbol && !((n.Imported == lang.Default || n.Imported == lang.Namespace) && n.Local == q.Symbol) {
					continue
				}
				packages = append(packages, e.opts.Languages.Of(f.path).Package(im.Spec))
				usage := kota.Usage{Import: im.Line}
				if n.Local != q.Symbol {
					usage.As = n.Local
				}
				e.use(&u, i, usage, e.lines(i, n.Local, 0), q.Tests)
			}
		}
	}
	if len(packages) == 0 {
		return u, &kota.UnknownSymbolError{Symbol: q.Symbol, Nearest: nearest(q.Symbol, e.symbols(), 3)}
	}
	slices.Sort(packages)
	u.External = strings.Join(slices.Compact(packages), ", ")
	finishUsages(&u)
	return u, nil
}

// symbols lists the names that are declared at the top level.
func (e *Engine) symbols() []string {
	found := make([][]string, workers())
	share(len(e.tree.files), func(w, i int) {
		for _, d := range e.all(i, withDecls).Decls {
			if d.In == "" {
				found[w] = append(found[w], d.Name)
			}
		}
	})
	all := slices.Concat(found...)
	slices.Sort(all)
	return slices.Compact(all)
}

// byName lists the lines where something is called like a member. What it
// belongs to is not known without the types.
func (e *Engine) byName(u *kota.Usages, d definition, tests bool) {
	name := []byte(d.Name)
	if i := strings.LastIndexByte(d.Name, '.'); i >= 0 {
		name = name[i+1:]
	}
	lines := make([][]int, len(e.tree.files))
	buffers := make([][]byte, workers())
	share(len(e.tree.files), func(w, i int) {
		f := &e.tree.files[i]
		if f.kind != Code || f.facts == "" || f.header().bare {
			return
		}
		data, err := readInto(e.opts.Root+string(filepath.Separator)+f.path, buffers[w])
		buffers[w] = data
		if err != nil || !bytes.Contains(data, name) {
			return
		}
		lines[i] = memberLines(data, name)
		if i == d.file {
			lines[i] = slices.DeleteFunc(lines[i], func(l int) bool { return l == d.Line })
		}
	})
	for i, l := range lines {
		e.use(u, i, kota.Usage{}, l, tests)
	}
	finishUsages(u)
}

// memberLines lists the lines on which a name stands behind a dot, or before a
// colon or a parenthesis as the key of an object.
func memberLines(data, name []byte) []int {
	var out []int
	line, from := 1, 0
	for {
		i := bytes.Index(data[from:], name)
		if i < 0 {
			return out
		}
		at := from + i
		line += bytes.Count(data[from:at], []byte{'\n'})
		from = at + len(name)
		whole := (at == 0 || !wordByte(data[at-1])) && (from >= len(data) || !wordByte(data[from]))
		before := bytes.TrimRight(data[max(0, at-64):at], " \t\r\n")
		member := bytes.HasSuffix(before, []byte{'.'}) || from < len(data) && (data[from] == ':' || data[from] == '(')
		if whole && member && (len(out) == 0 || out[len(out)-1] != line) {
			out = append(out, line)
		}
	}
}

func wordByte(c byte) bool {
	return c|0x20-'a' < 26 || c-'0' < 10 || c == '_' || c == '$' || c >= 0x80
}
