package golang_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/golang"
)

// tree is a tree in memory and the facts of its files.
type tree struct {
	lang.Tree
	facts map[string]*lang.Facts
}

// newTree reads a tree in txtar format. A file whose content is "unlisted: …" exists but is not
// listed.
func newTree(archive string) *tree {
	t := &tree{facts: make(map[string]*lang.Facts)}
	text := make(map[string][]byte)
	var s golang.Scanner
	for _, f := range txtar.Parse([]byte(archive)).Files {
		data, unlisted := strings.CutPrefix(string(f.Data), "unlisted: ")
		text[f.Name] = []byte(data)
		if unlisted {
			continue
		}
		t.Files = append(t.Files, f.Name)
		if strings.HasSuffix(f.Name, ".go") {
			facts := s.File(f.Name, f.Data)
			t.facts[f.Name] = &facts
		}
	}
	slices.Sort(t.Files)
	t.Read = func(p string) ([]byte, bool) { data, ok := text[p]; return data, ok }
	t.Facts = func(p string) (lang.Facts, bool) {
		if f := t.facts[p]; f != nil {
			return *f, true
		}
		return lang.Facts{}, false
	}
	return t
}

// links formats the links of a file as "file kind names", with ? for inferred and - for missing
// ones.
func (t *tree) links(tb testing.TB, from string) []string {
	r := golang.New(tb.Context(), t.Tree)
	var out []string
	for _, im := range r.Link(from, t.facts[from]) {
		to := r.Resolve(from, im)
		if to.Status == lang.Spread || to.Status == lang.Builtin {
			continue
		}
		s := to.Path
		switch {
		case to.Status == lang.External:
			s = "external " + im.Spec
		case to.Status != lang.Found:
			s = "- " + im.Spec
		case to.Inferred:
			s += "?"
		}
		if s += " " + im.Kind.String(); im.Kind != lang.Static {
			for _, n := range im.Names {
				s += " " + n.Imported
			}
		}
		out = append(out, s)
	}
	return out
}

// Each file of testdata/links is a project. Above its files are questions, "? FILE", each followed by the
// links of the file. UPDATE_GOLDEN=1 writes what is found.
func TestLinksAreThoseThatEachProjectLists(t *testing.T) {
	files := must.Get(filepath.Glob("testdata/links/*.txtar"))(t)
	must.Stop(t, len(files) < 8, "only %d projects were found", len(files))
	for _, file := range files {
		a := must.Get(txtar.ParseFile(file))(t)
		tree := newTree(string(txtar.Format(&txtar.Archive{Files: a.Files})))
		var got strings.Builder
		for line := range strings.Lines(string(a.Comment)) {
			name, asked := strings.CutPrefix(strings.TrimSpace(line), "? ")
			if asked || line[0] == '#' || line == "\n" {
				got.WriteString(line)
			}
			if asked {
				for _, link := range tree.links(t, name) {
					fmt.Fprintln(&got, link)
				}
			}
		}
		if os.Getenv("UPDATE_GOLDEN") != "" {
			must.Do(t, os.WriteFile(file, txtar.Format(&txtar.Archive{Comment: []byte(got.String()), Files: a.Files}), 0o644))
		}
		must.Equal(t, got.String(), string(a.Comment), "%s", file)
	}
}

func TestLinkingAFileTwiceGivesTheSameLinks(t *testing.T) {
	w := newTree("-- go.mod --\nmodule m\n-- a.go --\npackage a\n\nvar A = b.f()\n-- b.go --\npackage a\n\nvar b T\n\ntype T int\n-- c.go --\npackage a\n\nfunc (T) f() {}\n")
	once := w.links(t, "a.go")
	r := golang.New(t.Context(), w.Tree)
	w.facts["a.go"].Imports = r.Link("a.go", w.facts["a.go"])
	diff := cmp.Diff(once, w.links(t, "a.go"))
	must.Not(t, diff != "" || len(once) != 2, "%q (-once +again):\n%s", once, diff)
}

// Linking takes time linear in the size of a file, and ends with its context.
func TestManyNamesOfOneFileAreLinkedInOnePass(t *testing.T) {
	var a, b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&a, "var _ = x%d\n", i)
		fmt.Fprintf(&b, "var x%d int\n", i)
	}
	w := newTree("-- go.mod --\nmodule m\n-- a.go --\npackage a\n" + a.String() + "-- b.go --\npackage a\n" + b.String())
	imports := golang.New(t.Context(), w.Tree).Link("a.go", w.facts["a.go"])
	must.Not(t, len(imports) != 1 || len(imports[0].Names) != 20_000, "%d imports", len(imports))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if imports := golang.New(ended, w.Tree).Link("a.go", w.facts["a.go"]); len(imports) > 0 {
		t.Errorf("%d imports after the end", len(imports))
	}
}

// FuzzModules checks that no configuration makes resolving fail or leave the tree.
func FuzzModules(f *testing.F) {
	f.Add("module m\nreplace a => ../../b\nreplace (\n x.org/a v1 => ./b\n)", "use ./a\nuse (\n ..\n)\nreplace x => .", "x.org/a/b")
	f.Add("module \"m\"\nreplace =>", "replace a b c", "m/../..")
	f.Fuzz(func(t *testing.T, mod, work, spec string) {
		w := newTree(fmt.Sprintf("-- a/go.mod --\n-- go.work --\n-- a/b/c.go --\npackage b\n-- a/d.go --\npackage a\n\nimport x %q\n\nvar _ = x.Y\n", spec))
		w.Read = func(p string) ([]byte, bool) {
			if p == "go.work" {
				return []byte(work), true
			}
			return []byte(mod), p == "a/go.mod"
		}
		r := golang.New(t.Context(), w.Tree)
		for _, im := range r.Link("a/d.go", w.facts["a/d.go"]) {
			if to := r.Resolve("a/d.go", im); to.Status == lang.Found && !slices.Contains(w.Files, to.Path) {
				t.Fatalf("%q leads to %q", spec, to.Path)
			}
		}
	})
}
