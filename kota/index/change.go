package index

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/words"
)

// change is a change that a question describes: files and, for some of them, the only names that
// changed.
type change struct {
	files   []int // modified or deleted
	deleted []int
	unused  int              // deleted files that nothing imports
	names   map[int]*nameSet // by file, the names that changed; a file without an entry changed as a whole
	barrels map[int]barrels  // what throughBarrels finds, by file, as far as it is known
	called  []string         // changed methods whose calls are in calling
	calling map[int][]string // by file, those of called that it likely calls, through interfaces and bases too

	uncounted int // further changed methods
}

// nameSet is a subset of what a file declares and exports.
type nameSet struct {
	locals map[string]bool // declarations, by local name
	passed map[string]bool // re-exports, by exported name
}

func newNameSet() *nameSet {
	return &nameSet{locals: make(map[string]bool), passed: make(map[string]bool)}
}

// add adds what a file declares or exports under a name.
func (n *nameSet) add(name string, facts *lang.Facts) {
	n.locals[name] = true
	for _, x := range facts.Exports {
		switch {
		case x.Name != name:
		case x.From < 0:
			n.locals[x.Local] = true
		default:
			n.passed[name] = true
		}
	}
}

// has reports whether an export is in the set. A nil set has every export.
func (n *nameSet) has(x lang.Export) bool {
	switch {
	case n == nil:
		return true
	case x.From >= 0:
		return n.passed[x.Name]
	}
	return n.locals[x.Local]
}

// changeOf returns the change that a query describes.
func (e affected) changeOf(ctx context.Context, q kota.ImpactQuery) (change, error) {
	c := change{names: make(map[int]*nameSet), calling: make(map[int][]string)}
	for k, name := range slices.Concat(q.Modify, q.Delete) {
		i, err := e.ask(name)
		if err != nil {
			return c, err
		}
		if k >= len(q.Modify) || e.gone[i] {
			c.deleted = append(c.deleted, i)
		}
		if !slices.Contains(c.files, i) {
			c.files = append(c.files, i)
		}
	}
	for _, name := range q.Gone {
		if i := e.tree.find(name); i >= 0 { // some file still imports it
			c.files, c.deleted = append(c.files, i), append(c.deleted, i)
		} else {
			c.unused++
		}
	}
	for name, spans := range q.Lines {
		i, err := e.ask(name)
		if err != nil {
			return c, err
		}
		if names, whole := e.declaredOn(i, spans); !whole {
			c.names[i] = names
			e.addMethods(ctx, &c, i, spans)
		}
	}
	for _, s := range q.Symbols {
		if err := e.addSymbol(ctx, &c, s, q.File); err != nil {
			return c, err
		}
	}
	return c, ctx.Err()
}

// addSymbol adds a symbol, and the file that declares it, to the change.
func (e affected) addSymbol(ctx context.Context, c *change, symbol, file string) error {
	d, err := e.theDefinition(ctx, symbol, file)
	if err != nil {
		return err
	}
	if !slices.Contains(c.files, d.file) {
		c.files = append(c.files, d.file)
		c.names[d.file] = newNameSet()
	}
	e.addCalls(ctx, c, d)
	names := c.names[d.file]
	if names == nil { // the whole file changed
		return nil
	}
	facts := e.facts(d.file)
	name, _, _ := strings.Cut(d.path(), ".")
	if slices.ContainsFunc(facts.Exports, func(x lang.Export) bool { return x.Name == d.path() || d.direct && x.Local == d.path() }) {
		name = d.path()
	}
	names.add(d.local(name), facts)
	if d.passed {
		names.passed[name] = true
	}
	e.spreadWithin(d.file, names.locals)
	return nil
}

// maxMethods is of how many changed methods the calls are looked for by type, which reads all files that
// mention one.
const maxMethods = 8

// addMethods adds the calls of the methods on these lines of a file.
func (e affected) addMethods(ctx context.Context, c *change, i int, spans []kota.Span) {
	for _, d := range e.all(i, codec.WithDecls).Decls {
		if d.Class == lang.Method && slices.ContainsFunc(spans, func(s kota.Span) bool { return s.From <= d.End && d.Line <= s.To }) {
			for _, of := range e.declared(i, d.In, d.Name) {
				e.addCalls(ctx, c, of)
			}
		}
	}
}

// addCalls adds the files that likely use a member of instances.
func (e affected) addCalls(ctx context.Context, c *change, d definition) {
	if !d.isInstance() {
		return
	}
	if len(c.called) == maxMethods {
		c.uncounted++
		return
	}
	c.called = append(c.called, d.Name)
	u := newUsages(ctx, e.view, kota.UsagesQuery{Symbol: d.Name, Tests: true})
	u.of(d)
	for _, use := range u.List {
		if i := e.tree.find(use.File); use.Likely && i != d.file {
			c.calling[i] = append(c.calling[i], d.Name)
		}
	}
}

// theDefinition returns the definition that a symbol means, in any file when file is "". It fails
// when there is none, or several that the question could mean.
func (e affected) theDefinition(ctx context.Context, symbol, file string) (definition, error) {
	only := -1
	if file != "" {
		var err error
		if only, err = e.ask(file); err != nil {
			return definition{}, err
		}
	}
	owner, member := words.Parts(symbol)
	defs := e.definitions(owner, member, only)
	if len(defs) == 0 {
		u := newUsages(ctx, e.view, kota.UsagesQuery{Symbol: symbol})
		imported := only < 0 && member == "" && u.imported(symbol)
		return definition{}, &kota.UnknownSymbolError{Symbol: symbol, Nearest: words.Nearest(symbol, e.symbols()), Imported: imported}
	}
	if len(defs) == 1 || exportedFirst(defs) == 1 {
		return defs[0], nil
	}
	var all []kota.Definition
	var places []string
	for _, d := range defs {
		all, places = append(all, d.Definition), append(places, d.File+" "+d.Name)
	}
	return definition{}, &kota.QueryError{Cause: "find impact: " + kota.Ambiguous(symbol, "--file", all) + ": " + strings.Join(places[:min(len(places), 5)], ", ")}
}

// declaredOn lists the top-level names whose declarations include one of these lines, and those
// that use an import on them. It reports whole instead when code on a line belongs to no
// declaration.
func (e affected) declaredOn(i int, spans []kota.Span) (names *nameSet, whole bool) {
	facts := e.all(i, codec.WithImports|codec.WithDecls)
	if facts.ImportsOnly || facts.Partial {
		return nil, true
	}
	names = newNameSet()
	text := e.source(i)
	for _, s := range spans {
		for l := max(s.From, 1); l <= s.To; l++ {
			in := lang.DeclaredOn(facts.Decls, l)
			for _, d := range in {
				names.locals[d] = true
			}
			if len(in) == 0 && !e.importOn(i, &facts, l, names) && !lang.IsQuiet(text.Line(l)) {
				return nil, true
			}
		}
	}
	e.spreadWithin(i, names.locals)
	return names, false
}

// importOn reports whether a line holds an import or an export. It adds the declarations that use
// the imported names, and the exported names.
func (v *view) importOn(i int, facts *lang.Facts, line int, names *nameSet) bool {
	found := false
	for _, im := range facts.Imports {
		if im.Line != line {
			continue
		}
		found = true
		for _, n := range im.Names {
			v.usersWithin(i, facts.Decls, n.Local, names.locals)
		}
	}
	for _, x := range facts.Exports {
		if x.Line == line {
			found = true
			names.add(x.Name, facts)
		}
	}
	return found
}

// spreadWithin adds, transitively, the declarations of a file that use names of the set.
func (v *view) spreadWithin(i int, names map[string]bool) {
	decls := v.all(i, codec.WithDecls).Decls
	for todo := slices.Collect(maps.Keys(names)); len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		users := make(map[string]bool)
		v.usersWithin(i, decls, n, users)
		for u := range users {
			if !names[u] {
				names[u] = true
				todo = append(todo, u)
			}
		}
	}
}

// usersWithin adds the top-level declarations of a file that use a local name.
func (v *view) usersWithin(i int, decls []lang.Decl, local string, names map[string]bool) {
	lines := v.lines(i, local)
	if _, method, ok := strings.Cut(local, "."); ok {
		lines = append(lines, v.lines(i, "."+method)...)
	}
	for _, l := range lines {
		for _, d := range lang.DeclaredOn(decls, l) {
			if !v.facts(i).Holds(d, local, l) { // what an object only holds does not change the others in it
				names[d] = true
			}
		}
	}
}
