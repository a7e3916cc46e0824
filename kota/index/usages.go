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

// Usages answers where a symbol is used.
func (e *Engine) Usages(_ context.Context, q kota.UsagesQuery) (kota.Usages, error) {
	u := usageList{view: e.view, tests: q.Tests, Usages: kota.Usages{Symbol: q.Symbol, Confidence: "bound", List: []kota.Usage{}}}
	owner, member, dotted := strings.Cut(q.Symbol, ".")
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
	if len(defs) > 1 {
		for _, d := range defs {
			u.Candidates = append(u.Candidates, d.Definition)
		}
		return u.Usages, nil
	}
	switch {
	case len(defs) == 1 && defs[0].in != "" && !e.bindsMember(defs[0]):
		u.byName(defs[0])
	case len(defs) == 1:
		u.bound(defs[0], owner, member)
	case only >= 0 || dotted || !u.external(q.Symbol):
		return u.Usages, &kota.UnknownSymbolError{Symbol: q.Symbol, Nearest: nearest(q.Symbol, e.symbols(), 3)}
	}
	u.finish()
	return u.Usages, nil
}

// usageList collects the uses of a symbol.
type usageList struct {
	*view
	kota.Usages
	tests bool // list those in tests too
}

// bound lists the lines that use a symbol by what is imported and exported.
func (u *usageList) bound(d definition, owner, member string) {
	u.Definition = &d.Definition
	if member == "" && d.in != "" {
		owner, member = d.in, d.Name
	}
	local := memberOf(owner, member)
	u.add(d.file, kota.Usage{}, u.lines(d.file, local, d.Line))
	var items []item
	for _, x := range u.facts(d.file).Exports {
		if x.Local == owner && x.From < 0 || d.passed && x.Name == owner {
			items = append(items, item{name: x.Name})
		}
	}
	type place struct {
		file, line int
		local      string
	}
	seen := make(map[place]bool)
	for _, b := range u.follow(d.file, items) {
		name := b.local
		if name != "" {
			name = memberOf(name, member)
		}
		at := place{b.file, b.line, name}
		lines := u.lines(b.file, name, 0)
		if seen[at] || strings.Contains(name, ".") && member == "" && len(lines) == 0 {
			continue // importing an object does not use everything in it
		}
		usage := kota.Usage{Import: b.line}
		if name != "" && name != local {
			usage.As = name
		}
		if b.via != d.file {
			usage.Via = u.name(b.via)
		}
		u.add(b.file, usage, lines)
		// An import takes one line, however many of its names are used.
		imported := place{b.file, b.line, ""}
		if seen[imported] {
			u.count(!u.isProduction(b.file), -1)
		}
		seen[imported], seen[at] = true, true
	}
}

// memberOf is the name of a member of an object, that of the object without one.
func memberOf(object, member string) string {
	if member == "" {
		return object
	}
	return object + "." + member
}

// add adds the uses in one file.
func (u *usageList) add(i int, usage kota.Usage, lines []int) {
	usage.File, usage.Lines = u.name(i), lines
	usage.Test, usage.Support = u.isTest(i), u.role(i) == lang.Support
	n := len(lines)
	if usage.Import > 0 {
		n++
	}
	if n == 0 {
		return
	}
	u.count(!u.isProduction(i), n)
	if u.tests || u.isProduction(i) {
		u.List = append(u.List, usage)
	} else if !slices.ContainsFunc(u.List, func(o kota.Usage) bool { return o.File == usage.File }) {
		u.Files++ // counted, though it is not listed
	}
}

// count counts lines.
func (u *usageList) count(test bool, n int) {
	u.Total += n
	if test {
		u.TestLines += n
	}
}

// finish orders uses: where the symbol is declared, production, tests; the files
// with most lines first.
func (u *usageList) finish() {
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
			falseFirst(a.File != home, b.File != home), falseFirst(a.Test, b.Test), falseFirst(a.Support, b.Support), len(b.Lines)-len(a.Lines),
			strings.Compare(a.File, b.File), strings.Compare(a.As, b.As), a.Import-b.Import,
		)
	})
}

// external lists the uses of a name that comes from packages outside the tree, and
// reports whether any package gives it.
func (u *usageList) external(symbol string) bool {
	var packages []string
	for i := range u.tree.files {
		f := &u.tree.files[i]
		if !strings.Contains(f.facts, symbol) {
			continue
		}
		for k, im := range u.facts(i).Imports {
			if k >= len(f.edges) || f.edges[k].status != lang.External && f.edges[k].status != lang.Builtin {
				continue
			}
			for _, n := range im.Names {
				if !imports(n, symbol) {
					continue
				}
				packages = append(packages, u.files.Languages.Of(f.path).Package(im.Spec))
				usage := kota.Usage{Import: im.Line}
				if n.Local != symbol {
					usage.As = n.Local
				}
				u.add(i, usage, u.lines(i, n.Local, 0))
			}
		}
	}
	slices.Sort(packages)
	u.External = strings.Join(slices.Compact(packages), ", ")
	return len(packages) > 0
}

// imports reports whether an import takes a symbol: by its name, or as the whole of a
// module that has the name here.
func imports(n lang.Name, symbol string) bool {
	return n.Imported == symbol || n.Local == symbol && (n.Imported == lang.Default || n.Imported == lang.Namespace)
}

// byName lists the lines where something is called like a member. What it
// belongs to is not known without the types.
func (u *usageList) byName(d definition) {
	u.Definition, u.Confidence = &d.Definition, "name"
	name := []byte(d.Name)
	if i := strings.LastIndexByte(d.Name, '.'); i >= 0 {
		name = name[i+1:]
	}
	lines := make([][]int, len(u.tree.files))
	buffers := make([][]byte, workers())
	share(len(u.tree.files), func(w, i int) {
		f := &u.tree.files[i]
		if f.kind != Code || f.facts == "" || f.header().importsOnly {
			return
		}
		data, err := readInto(u.files.Root+string(filepath.Separator)+f.path, buffers[w])
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
		u.add(i, kota.Usage{}, l)
	}
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
