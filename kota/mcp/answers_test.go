package mcp

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/kota"
)

// Holds kota 66.
func TestAnswersHaveTheBuiltinEnginesFormAndMarkTheUnknown(t *testing.T) {
	t.Parallel()
	e, _ := indexed(t, "")
	d, err := e.Deps(t.Context(), kota.DepsQuery{File: "./src/cart", Dependents: true, Dependencies: true, Depth: 2, Tests: true})
	if err != nil {
		t.Fatal(err)
	}
	got := d.Text(kota.Window{}, "pictx kota deps src/cart.ts").Fit(0)
	want := `src/cart.ts: 3 dependents (2 production, 1 test, ? inferred) · 1 dependency · depth 2 · in a cycle of 4 files
dependents, 3 direct, ? through barrels, those that matter most first:
  src/money.ts
  src/page.ts
  test/cart.test.ts  test
dependencies:
  src/money.ts
not followed, packages among them:
  react
KotaDB's index, no file changed since
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	b, err := d.JSON(0, kota.Window{})
	if err != nil || !strings.Contains(string(b), `"via_barrels":null`) || !strings.Contains(string(b), `"inferred":null`) || !strings.Contains(string(b), `"freshness":"KotaDB's index`) {
		t.Errorf("%s, %v", b, err)
	}
}

// Holds kota 66.
func TestEveryQuestionIsAnsweredOrRefused(t *testing.T) {
	t.Parallel()
	e, _ := indexed(t, "")
	ctx := t.Context()
	u, err := e.Usages(ctx, kota.UsagesQuery{Symbol: "cart", Tests: true})
	if err != nil || u.Total != 5 || u.Files != 3 || u.TestLines != 2 || u.Confidence != "name" || u.Definition == nil || u.Definition.End.Known() {
		t.Errorf("usages: %+v, %v", u, err)
	}
	im, err := e.Impact(ctx, kota.ImpactQuery{Modify: []string{"src/cart.ts"}})
	if err != nil || im.Risk != "medium" || len(im.Dependents) != 2 || len(im.Tests) != 1 || im.Total.Known() || im.Breaks.Known() {
		t.Errorf("impact: %+v, %v", im, err)
	}
	if text := im.Text(kota.Window{}, "more").Fit(0); !strings.Contains(text, "an unknown number of dependents (2 direct)") || !strings.Contains(text, "whether imports break is not known") {
		t.Error(text)
	}
	b, err := e.Context(ctx, kota.ContextQuery{Files: []string{"src/cart.ts"}, Tests: true, Symbols: true})
	if err != nil || len(b.Files) != 1 || b.Files[0].Dependents != 3 || b.Files[0].Lines.Known() || len(b.Tests) != 1 || len(b.Files[0].Symbols) != 1 {
		t.Errorf("context: %+v, %v", b, err)
	}
	h, err := e.Search(ctx, kota.SearchQuery{Text: "money", Tests: true, Context: 1, Globs: []string{"src/cart*"}})
	if err != nil || h.Total != 2 || h.Files != 1 || len(h.List[0].After) != 1 {
		t.Errorf("search: %+v, %v", h, err)
	}
	h, err = e.Search(ctx, kota.SearchQuery{Text: "art", Symbols: true, Tests: true})
	if err != nil || h.Total != 1 || h.List[0].Line != 3 || h.List[0].Kind != "function" {
		t.Errorf("symbols: %+v, %v", h, err)
	}
	_, err = e.Search(ctx, kota.SearchQuery{Text: "c.", Regex: true})
	for _, err := range []error{err, third(e.Map(ctx, kota.MapQuery{})), third(e.Cycles(ctx)), third(e.Graph(ctx, kota.GraphQuery{}))} {
		if !errors.As(err, new(*kota.UnsupportedError)) {
			t.Errorf("got %v, want a question that KotaDB cannot answer", err)
		}
	}
	s, err := e.Status(ctx)
	if err != nil || !s.Indexed || s.Files != 6 || s.Symbols != 2 || s.Edges.Known() || s.Bytes == 0 {
		t.Errorf("status: %+v, %v", s, err)
	}
}

func third[T any](_ T, err error) error { return err }

// Holds kota 65.
func TestQuestionsAboutMissingFilesAndSymbolsFail(t *testing.T) {
	t.Parallel()
	e, log := indexed(t, "")
	var unknown *kota.UnknownFileError
	if _, err := e.Deps(t.Context(), kota.DepsQuery{File: "src/crat.ts"}); !errors.As(err, &unknown) || !slices.Contains(unknown.Nearest, "src/cart.ts") {
		t.Errorf("got %v", err)
	}
	if _, err := e.Impact(t.Context(), kota.ImpactQuery{Delete: []string{"src/gone.ts"}}); !errors.As(err, &unknown) {
		t.Errorf("got %v", err)
	}
	if _, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "nobody"}); !errors.As(err, new(*kota.UnknownSymbolError)) {
		t.Errorf("got %v", err)
	}
	if n := len(started(t, log)); n != 1 {
		t.Errorf("%d servers were started, want the one that the last question needs", n)
	}
	err := decode(toolDeps, `{"message":"File not found: a.ts. Make sure the repository is indexed.","dependents":{}}`, &depsAnswer{})
	if !errors.As(err, &unknown) || unknown.File != "a.ts" {
		t.Errorf("got %v", err)
	}
	if err := decode(toolDeps, `{"message":"Repository not found: local/shop"}`, &depsAnswer{}); !errors.Is(err, kota.ErrNotIndexed) {
		t.Errorf("got %v", err)
	}
}

// Holds kota 64.
func TestARepositoryIsRegisteredOnceAndNothingIsWrittenInIt(t *testing.T) {
	t.Parallel()
	root := tree(t, shop())
	if out, err := exec.Command("git", "-C", root, "init", "-q").CombinedOutput(); err != nil {
		t.Skipf("%s: %v", out, err)
	}
	before := listing(t, root)
	o, log := options(t, root, "")
	o.Git = true
	e := open(t, o)
	if _, err := e.Deps(t.Context(), kota.DepsQuery{File: "src/cart.ts"}); !errors.Is(err, kota.ErrNotIndexed) {
		t.Errorf("got %v", err)
	}
	if n := len(started(t, log)); n != 0 {
		t.Errorf("%d servers were started for a repository without an index", n)
	}
	for range 2 {
		if err := e.Index(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Deps(t.Context(), kota.DepsQuery{File: "src/cart.ts", Dependents: true}); err != nil {
		t.Fatal(err)
	}
	if after := listing(t, root); !slices.Equal(before, after) {
		t.Errorf("the repository has %q, had %q", after, before)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "ask ") && !strings.Contains(line, `"local/shop"`) {
			t.Errorf("asked about another repository: %s", line)
		}
	}
	indexes, _ := filepath.Glob(filepath.Join(o.Dir, indexPrefix+"*"))
	if len(indexes) != 1 {
		t.Errorf("%d indexes are kept", len(indexes))
	}
	if e.Files(); slices.Contains(e.Files(), "src/secret.ts") {
		t.Error("a file that git ignores is in the answers")
	}
}

// listing lists a directory without .git.
func listing(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return filepath.SkipDir
		}
		out = append(out, p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAnswersCountStaleFilesAndOmitDeletedOnes(t *testing.T) {
	t.Parallel()
	e, _ := indexed(t, "")
	root := e.opts.Root
	if err := os.Remove(filepath.Join(root, "src", "page.ts")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "src", "new.ts"), []byte("import './cart'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := e.Deps(t.Context(), kota.DepsQuery{File: "src/cart.ts", Dependents: true})
	if err != nil || d.Freshness != "KotaDB's index, 2 files changed since: pictx kota index --engine kotadb" {
		t.Errorf("%q, %v", d.Freshness, err)
	}
	if d.Dependents.Total != 2 {
		t.Errorf("%+v", d.Dependents)
	}
	if err := e.Index(t.Context()); err != nil {
		t.Fatal(err)
	}
	d, err = e.Deps(t.Context(), kota.DepsQuery{File: "src/cart.ts", Dependents: true})
	if err != nil || d.Freshness != "KotaDB's index, no file changed since" || d.Dependents.Total != 3 {
		t.Errorf("%+v, %v", d, err)
	}
}
