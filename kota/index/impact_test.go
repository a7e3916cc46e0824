package index_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
)

// shapes is a package with a barrel that re-exports many names of which importers use few.
const shapes = `
-- tsconfig.json --
{ "compilerOptions": { "module": "esnext", "moduleResolution": "bundler", "paths": { "@/*": ["./src/*"] } } }
-- src/equal.ts --
const limit = 1
function near(a: number) {
  return a < limit
}

export function equal(a: number) {
  return near(a)
}

export function other() {}
-- src/text.ts --
export const trim = 1
-- src/index.ts --
export * from './equal'
export * from './text'
-- src/circle.ts --
import { equal } from './index'
export const circle = equal(1)
-- src/label.ts --
import { trim } from '@/index'
export const label = trim
-- src/far.ts --
import { circle } from './circle'
export const far = circle
-- src/all.ts --
import * as shapes from './index'
export const text = shapes.trim
-- src/__tests__/equal.spec.ts --
import { equal } from '../index'
it('equal', () => { equal(1) })
-- src/__tests__/label.spec.ts --
import { label } from '../label'
it('label', () => { label })
-- src/__tests__/helper.ts --
import { equal } from '../index'
export const same = equal
`

func impact(t *testing.T, e *index.Engine, q kota.ImpactQuery) kota.Impact {
	t.Helper()
	im := must.Get(e.Impact(t.Context(), q))(t)
	return im
}

// far formats files with their distance to a change.
func far(list []kota.Dep) []string {
	var out []string
	for _, d := range list {
		out = append(out, fmt.Sprint(d.File, " ", d.Distance))
	}
	slices.Sort(out)
	return out
}

// Holds kota 47.
func TestImpactListsWhatTakesTheNamesApartFromWhatReachesTheFile(t *testing.T) {
	t.Parallel()
	e := newWorld(t, shapes).open()
	im := impact(t, e, kota.ImpactQuery{Modify: []string{"src/equal.ts"}})
	must.Match(t, far(im.Dependents), []string{"src/all.ts 2", "src/circle.ts 1", "src/far.ts 2", "src/index.ts 1", "src/label.ts 2"}, "dependents")
	if im.Direct != 2 || im.Total != 5 || im.TestDirect != 1 || im.TestTotal != 2 || im.Support != 1 {
		t.Errorf("%d of %d dependents, %d of %d tests, %d supporting", im.Direct, im.Total, im.TestDirect, im.TestTotal, im.Support)
	}
	must.Equal(t, im.Tests[0].File, "src/__tests__/equal.spec.ts", "the first test")
	for _, d := range im.Dependents[:im.Direct] {
		must.Equal(t, d.Distance, 1, "%s comes before what takes a name", d.File)
	}
}

// A change of a private function affects users of the exported function that calls it, and no
// users of other names of the file.
func TestImpactOfASymbolIsThatOfWhatUsesIt(t *testing.T) {
	t.Parallel()
	e := newWorld(t, shapes).open()
	for symbol, want := range map[string]int{"near": 1, "limit": 1, "equal": 1, "other": 0} {
		im := impact(t, e, kota.ImpactQuery{Symbols: []string{symbol}})
		takers := slices.DeleteFunc(far(im.Dependents), func(s string) bool { return s != "src/circle.ts 1" })
		must.Equal(t, len(takers), want, "%s: %q", symbol, far(im.Dependents))
		if other := slices.Contains(im.Names, "other"); other != (symbol == "other") {
			t.Errorf("%s: changed are %q", symbol, im.Names)
		}
	}
	var unknown *kota.UnknownSymbolError
	_, err := e.Impact(t.Context(), kota.ImpactQuery{Symbols: []string{"nowhere"}})
	must.Not(t, !errors.As(err, &unknown), "a symbol that is nowhere: %v", err)
}

// gitWorld returns a work tree whose files are committed.
func gitWorld(t *testing.T, archive string) *world {
	t.Helper()
	w := newWorld(t, archive)
	w.git = true
	w.run("init", "-q")
	w.commit()
	return w
}

func (w *world) commit() {
	w.t.Helper()
	w.run("add", "-A")
	w.run("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "a")
}

// diffed returns the impact of what changed since the last commit.
func (w *world) diffed() kota.Impact {
	w.t.Helper()
	o := w.options()
	d := must.Get((index.Files{Root: o.Root, Git: true, Languages: o.Languages}).Diff(w.t.Context(), "HEAD"))(w.t)
	return impact(w.t, w.open(), kota.ImpactQuery{Modify: d.Modified, Lines: d.Lines, Gone: d.Gone})
}

func TestADiffChangesTheDeclarationsOnItsLines(t *testing.T) {
	w := gitWorld(t, shapes)
	text := string(w.read(w.path("src/equal.ts")))
	w.write("src/equal.ts", strings.Replace(text, "other() {}", "other() { return 1 }", 1))
	if im := w.diffed(); !slices.Equal(im.Names, []string{"other"}) || im.Total != 1 || im.TestTotal != 1 || im.TestDirect != 0 {
		t.Errorf("an edit of one function: %q, %d dependents, %d tests take it", im.Names, im.Total, im.TestDirect)
	}
	w.write("src/equal.ts", strings.Replace(text, "a < limit", "a <= limit", 1))
	if im := w.diffed(); !slices.Equal(im.Names, []string{"equal", "near"}) || im.TestDirect != 1 {
		t.Errorf("an edit of what another calls: %q, %d tests take it", im.Names, im.TestDirect)
	}
	w.write("src/equal.ts", strings.Replace(text, "const limit = 1\n", "const limit = 1\nregister(limit)\n", 1))
	if im := w.diffed(); im.Names != nil || im.Direct != 2 {
		t.Errorf("code outside of all declarations: %q, %d take it", im.Names, im.Direct)
	}
	w.write("src/equal.ts", strings.Replace(text, "export function equal", "export function same", 1))
	if im := w.diffed(); im.Breaks != 0 {
		t.Errorf("names that a barrel passes on: %v", im.Broken)
	}
}

func TestADiffNamesTheImportsOfWhatIsNotExportedAnyMore(t *testing.T) {
	w := gitWorld(t, "-- a.ts --\nexport const a = 1\nexport const b = 1\n-- c.ts --\nimport { a, b } from './a'\n")
	w.write("a.ts", "export const b = 1\n")
	im := w.diffed()
	must.Not(t, len(im.Broken) != 1 || im.Broken[0] != (kota.Missing{File: "c.ts", Line: 1, Spec: "a of ./a"}), "breaks %v", im.Broken)
}

func TestFilesThatGitDoesNotTrackYetAreInADiff(t *testing.T) {
	w := gitWorld(t, shapes)
	w.write("src/new.ts", "export const fresh = 1\n")
	w.write("src/far.ts", "import { fresh } from './new'\nexport const far = fresh\n")
	im := w.diffed()
	must.Not(t, im.Changed != 2 || im.Total == 0 && im.Changed == 1, "%d files changed", im.Changed)
}

// Agents ask at this moment.
func TestFilesThatAreGoneKeepTheirDependents(t *testing.T) {
	for name, change := range map[string]func(w *world) error{
		"deleted": func(w *world) error { return os.Remove(w.path("src/text.ts")) },
		"renamed": func(w *world) error { return os.Rename(w.path("src/text.ts"), w.path("src/words.ts")) },
	} {
		w := gitWorld(t, shapes+"-- src/alias.ts --\nimport { trim } from '@/text'\nexport const a = trim\n")
		before := impact(t, w.open(), kota.ImpactQuery{Delete: []string{"src/text.ts"}})
		must.Do(t, change(w))
		after := w.diffed()
		diff := cmp.Diff(before.Broken, after.Broken)
		must.Not(t, diff != "" || len(after.Broken) != 2, "%s: breaks (-before +after):\n%s", name, diff)
		if before.Total != after.Total || before.TestTotal != after.TestTotal || after.Total == 0 {
			t.Errorf("%s: %d dependents and %d tests, before %d and %d", name, after.Total, after.TestTotal, before.Total, before.TestTotal)
		}
		d, err := w.open().Deps(t.Context(), kota.DepsQuery{File: "src/text", Dependents: true, Tests: true})
		must.Not(t, err != nil || !d.Gone || d.Dependents.Direct != 2 || d.File != "src/text.ts", "%s: deps %+v, %v", name, d, err)
		u, err := w.open().Usages(t.Context(), kota.UsagesQuery{Symbol: "trim"})
		must.Not(t, name == "deleted" && (err != nil || len(u.Missing) != 1 || u.Total == 0), "usages of what it exported: %+v, %v", u, err)
	}
	_, err := newWorld(t, shapes).open().Deps(t.Context(), kota.DepsQuery{File: "src/never.ts", Dependents: true})
	var unknown *kota.UnknownFileError
	must.Not(t, !errors.As(err, &unknown), "a file that nothing imports: %v", err)
}

// When git compares the work tree it would run a clean filter.
func TestADiffRunsNoFilterOfTheRepository(t *testing.T) {
	w := gitWorld(t, shapes)
	w.run("config", "filter.own.clean", "touch "+w.path("RAN")+"; cat")
	w.run("config", "filter.own.required", "true")
	w.write(".git/info/attributes", "*.ts filter=own\n")
	w.write("src/far.ts", "export const far = 2\n")
	im := w.diffed()
	must.Not(t, im.Changed != 1, "%d files changed", im.Changed)
	_, err := os.Stat(w.path("RAN"))
	must.Not(t, err == nil, "the filter was run")
}

// Questions about a file often come right after it was deleted.
func TestADeletedFileIsAskedForInEveryWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shapes)
	w.open()
	must.Do(t, os.Remove(w.path("src/text.ts")))
	e := w.open()
	u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "trim"})
	must.Not(t, err != nil || u.Total == 0 || len(u.Missing) != 0 && u.Missing[0].Spec == "", "usages: %+v, %v", u, err)
	d, err := e.Deps(t.Context(), kota.DepsQuery{File: "src/text.ts", Dependents: true})
	must.Not(t, err != nil || !d.Gone || !slices.Contains(filesOf(d.Dependents.List), "src/index.ts"), "deps: %+v, %v", d, err)
	for what, q := range map[string]kota.ImpactQuery{"deleted": {Delete: []string{"src/text.ts"}}, "modified": {Modify: []string{"src/text.ts"}}} {
		im := impact(t, e, q)
		must.Not(t, len(im.Broken) != 1 || im.Broken[0].File != "src/index.ts", "impact, as %s: %+v", what, im)
	}
	var unknown *kota.UnknownSymbolError
	if _, err := e.Impact(t.Context(), kota.ImpactQuery{Symbols: []string{"trim"}}); !errors.As(err, &unknown) || !unknown.Imported {
		t.Errorf("impact of what it declared: %v", err)
	}
}
