package index_test

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts"
)

// recipes is a language with one form of import and one of declaration. A line "needs NAME"
// imports everything of another recipe, or of a TypeScript module when NAME has an extension. A
// line "makes NAME" declares and exports a name. Recipes below tastings/ are tests.
func recipes() lang.Language {
	return lang.Language{
		Extensions: []string{".recipe"},
		IsTest:     func(p string) bool { return strings.HasPrefix(p, "tastings/") },
		Scanner:    func() lang.Scanner { return recipeScanner{} },
		Resolver: func(_ context.Context, t lang.Tree) lang.Resolver {
			r := recipeResolver{}
			for _, f := range t.Files {
				r[f] = true
			}
			return r
		},
	}
}

type recipeScanner struct{}

func (recipeScanner) File(_ string, data []byte) lang.Facts {
	var f lang.Facts
	for line := range bytes.Lines(data) {
		f.Lines++
		verb, name, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		switch verb {
		case "needs":
			f.Imports = append(f.Imports, lang.Import{
				Spec: name, Line: f.Lines, Names: []lang.Name{{Imported: lang.Namespace, Local: name}},
			})
		case "makes":
			f.Decls = append(f.Decls, lang.Decl{Name: name, Class: lang.Const, Exported: true, Line: f.Lines, End: f.Lines})
			f.Exports = append(f.Exports, lang.Export{Name: name, Local: name, From: -1, Line: f.Lines})
		}
	}
	return f
}

// recipeResolver holds the files of the tree.
type recipeResolver map[string]bool

func (r recipeResolver) Resolve(_ string, im lang.Import) lang.Target {
	name := im.Spec
	if path.Ext(name) == "" {
		name += ".recipe"
	}
	if r[name] {
		return lang.Target{Path: name}
	}
	return lang.Target{Status: lang.Unresolved}
}

func (recipeResolver) Links(*lang.Facts) bool { return false }

func (recipeResolver) Link(string, *lang.Facts) []lang.Import { return nil }

func (recipeResolver) Depends(string, *lang.Facts, []string) bool { return false }

func (recipeResolver) Consulted() []string { return nil }

func (recipeResolver) Notes() []string { return nil }

// kitchen is a project in two languages, of which one imports the other.
const kitchen = `
-- src/oven.ts --
import { heat } from './heat'
export const bake = heat
-- src/heat.ts --
export const heat = 1
-- dough.recipe --
needs flour
needs salt
makes dough
-- flour.recipe --
makes flour
-- bread.recipe --
needs dough
needs src/oven.ts
makes bread
-- tastings/bread.recipe --
needs bread
`

// openKitchen indexes the kitchen with these languages.
func openKitchen(t *testing.T, w *world, languages ...lang.Language) *index.Engine {
	t.Helper()
	o := w.options()
	o.Languages = lang.NewSet(languages...)
	e := must.Get(index.Open(t.Context(), o))(t)
	return e
}

func TestASecondLanguageIsIndexedBesideTypeScript(t *testing.T) {
	w := newWorld(t, kitchen)
	e := openKitchen(t, w, ts.Language(), recipes())

	d := must.Get(e.Deps(t.Context(), kota.DepsQuery{File: "dough", Dependents: true, Dependencies: true, Depth: 3, Tests: true}))(t)
	if want := []string{"bread.recipe", "tastings/bread.recipe"}; !cmp.Equal(filesOf(d.Dependents.List), want) {
		t.Errorf("dependents: %q, want %q", filesOf(d.Dependents.List), want)
	}
	if d.Dependents.Production != 1 || d.Dependents.Tests != 1 {
		t.Errorf("%d production and %d test, want one each", d.Dependents.Production, d.Dependents.Tests)
	}
	if want := []kota.Missing{{Line: 2, Spec: "salt"}}; !cmp.Equal(d.Unresolved, want) {
		t.Errorf("not found: %v, want %v", d.Unresolved, want)
	}
	// The impact of a change in TypeScript crosses languages.
	im := must.Get(e.Impact(t.Context(), kota.ImpactQuery{Modify: []string{"src/heat"}}))(t)
	if want := []string{"src/oven.ts", "bread.recipe"}; !cmp.Equal(filesOf(im.Dependents), want) {
		t.Errorf("dependents of a change: %q, want %q", filesOf(im.Dependents), want)
	}
	if want := []string{"tastings/bread.recipe"}; !cmp.Equal(filesOf(im.Tests), want) {
		t.Errorf("tests of a change: %q, want %q", filesOf(im.Tests), want)
	}
	h, err := e.Search(t.Context(), kota.SearchQuery{Text: "flour", Symbols: true})
	if err != nil || len(h.List) != 1 || h.List[0].File != "flour.recipe" {
		t.Errorf("symbols: %v, %v", h.List, err)
	}
}

// larder is recipes as a language without imports: a recipe that "takes" a name gets it from the
// recipe of its directory that makes it.
func larder() lang.Language {
	l := recipes()
	l.Resolver = func(_ context.Context, t lang.Tree) lang.Resolver { return shelf{Tree: t} }
	l.Scanner = func() lang.Scanner { return larderScanner{} }
	return l
}

type larderScanner struct{ recipeScanner }

func (s larderScanner) File(name string, data []byte) lang.Facts {
	f := s.recipeScanner.File(name, data)
	line := 0
	for text := range bytes.Lines(data) {
		line++
		if taken, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "takes "); ok {
			f.Uses = append(f.Uses, lang.Use{Name: taken, Lines: []int{line}})
		}
	}
	return f
}

// shelf links a name to the recipe that makes it.
type shelf struct {
	recipeResolver
	lang.Tree
}

func (shelf) Links(*lang.Facts) bool { return true }

func (s shelf) Link(_ string, facts *lang.Facts) []lang.Import {
	var out []lang.Import
	for _, u := range facts.Uses {
		name := lang.Name{Imported: u.Name, Local: u.Name}
		out = append(out, lang.Import{Kind: lang.Sibling, Spec: ".", Line: u.Lines[0], Names: []lang.Name{name}})
	}
	return out
}

func (s shelf) Resolve(from string, im lang.Import) lang.Target {
	for _, f := range s.Files {
		facts, ok := s.Facts(f)
		if !ok || path.Dir(f) != path.Dir(from) {
			continue
		}
		for _, d := range facts.Decls {
			if d.Name == im.Names[0].Imported {
				return lang.Target{Path: f}
			}
		}
	}
	return lang.Target{Status: lang.Unresolved}
}

func (shelf) Depends(from string, _ *lang.Facts, changed []string) bool {
	return slices.ContainsFunc(changed, func(p string) bool { return path.Dir(p) == path.Dir(from) })
}

func TestALanguageWithoutImportsIsLinkedByWhatItsFilesDeclare(t *testing.T) {
	w := newWorld(t, "-- bread.recipe --\ntakes dough\n-- dough.recipe --\nmakes dough\n-- cake.recipe --\nmakes cake\n-- far/bread.recipe --\ntakes dough\n")
	dependents := func(file string) []string {
		d := must.Get(openKitchen(t, w, ts.Language(), larder()).Deps(t.Context(), kota.DepsQuery{File: file, Dependents: true}))(t)
		return filesOf(d.Dependents.List)
	}
	if got, want := dependents("dough"), []string{"bread.recipe"}; !slices.Equal(got, want) {
		t.Errorf("dependents of what makes dough: %q, want %q", got, want)
	}
	// A declaration moves to another file, while the file that takes it does not change.
	w.write("dough.recipe", "makes nothing\n")
	w.write("cake.recipe", "makes dough\n")
	if got, want := dependents("cake"), []string{"bread.recipe"}; !slices.Equal(got, want) {
		t.Errorf("dependents of what makes dough now: %q, want %q", got, want)
	}
	if got := dependents("dough"); len(got) > 0 {
		t.Errorf("dependents of what made dough: %q, want none", got)
	}
}

func TestOnlyFilesOfKnownLanguagesAreIndexed(t *testing.T) {
	w := newWorld(t, kitchen)
	for _, c := range []struct {
		languages []lang.Language
		files     kota.Number
	}{
		{[]lang.Language{ts.Language()}, 2},
		{[]lang.Language{ts.Language(), recipes()}, 6}, // the index is brought up to date
		{[]lang.Language{recipes()}, 4},
	} {
		s, err := openKitchen(t, w, c.languages...).Status(t.Context())
		if err != nil || s.Files != c.files {
			t.Errorf("%d languages: %d files, want %d (%v)", len(c.languages), s.Files, c.files, err)
		}
	}
}

// filesOf lists the files of a list of dependencies.
func filesOf(list []kota.Dep) []string {
	var out []string
	for _, d := range list {
		out = append(out, d.File)
	}
	return out
}
