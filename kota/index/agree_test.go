package index_test

import (
	"errors"
	"math/rand"
	"slices"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/tree"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
)

// Deps, usages, impact and context must agree about random files of a generated project.
func TestDepsUsagesAndImpactAgree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shapes)
	must.Do(t, tree.Write(w.root, 150, 5))
	e := w.open()
	files, rng := e.Files(), rand.New(rand.NewSource(1))
	for range 40 {
		agree(t, e, files[rng.Intn(len(files))])
	}
}

func TestDepsUsagesAndImpactAgreeOnGo(t *testing.T) {
	t.Parallel()
	e := newWorld(t, goShop).open()
	for _, file := range e.Files() {
		agree(t, e, file)
	}
}

// agree compares the answers about one file.
func agree(t *testing.T, e *index.Engine, file string) {
	t.Helper()
	d := must.Get(e.Deps(t.Context(), kota.DepsQuery{File: file, Dependents: true, Tests: true}))(t)
	all := must.Get(e.Deps(t.Context(), kota.DepsQuery{File: file, Dependents: true, Tests: true, Depth: 1 << 20}))(t)
	dependents := make(map[string]bool)
	for _, x := range d.Dependents.List {
		dependents[x.File] = true
	}
	im := impact(t, e, kota.ImpactQuery{Modify: []string{file}})
	near := nearest(im)
	for _, x := range d.Dependents.List {
		if !x.Support && !near[x.File] {
			t.Errorf("%s: deps has %s, and impact does not list it as taking what changed", file, x.File)
		}
	}
	for x := range near {
		must.Not(t, !dependents[x], "%s: impact has %s, and deps does not", file, x)
	}
	if int(im.Total) != all.Dependents.Production || im.Direct != d.Dependents.Production || im.TestDirect != d.Dependents.Tests || im.Support != all.Dependents.Support {
		t.Errorf("%s: impact counts %d (%d direct), %d tests, %d support; deps %d (%d), %d, %d", file,
			im.Total, im.Direct, im.TestDirect, im.Support, all.Dependents.Production, d.Dependents.Production, d.Dependents.Tests, all.Dependents.Support)
	}
	agreeOnTests(t, file, im, all.Dependents)
	agreeBothWays(t, e, file, d.Dependents)
	agreeOnDeletion(t, e, file, d.Dependents)
	b := must.Get(e.Context(t.Context(), kota.ContextQuery{Files: []string{file}, Tests: true}))(t)
	if f := b.Files[0]; b.TestTotal != im.TestTotal || b.Impacted != im.Total || f.Dependents != d.Dependents.Production || int(f.Tests) != d.Dependents.Tests {
		t.Errorf("%s: context counts %d dependents, %d tests, %d and %d in all; deps %d and %d, impact %d and %d", file,
			f.Dependents, f.Tests, b.Impacted, b.TestTotal, d.Dependents.Production, d.Dependents.Tests, im.Total, im.TestTotal)
	}
	for _, x := range im.Exports[:min(len(im.Exports), 4)] {
		agreeOn(t, e, file, x, dependents)
	}
}

// agreeOnTests compares the tests that reach a file with those among its dependents.
func agreeOnTests(t *testing.T, file string, im kota.Impact, all *kota.Side) {
	t.Helper()
	want, got := []string{}, []string{}
	for _, x := range all.List {
		if x.Test {
			want = append(want, x.File)
		}
	}
	for _, x := range im.Tests {
		if x.Distance > 0 { // it is listed not only for its name
			got = append(got, x.File)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	must.Match(t, want, got, "%s: tests of impact", file)
}

// agreeBothWays checks that every importer of a file has the file among its dependencies.
func agreeBothWays(t *testing.T, e *index.Engine, file string, side *kota.Side) {
	t.Helper()
	for _, x := range side.List[:min(len(side.List), 5)] {
		if x.Via != "" {
			continue
		}
		d := must.Get(e.Deps(t.Context(), kota.DepsQuery{File: x.File, Dependencies: true, Tests: true}))(t)
		k := slices.IndexFunc(d.Dependencies.List, func(y kota.Dep) bool { return y.File == file })
		if k < 0 {
			t.Errorf("%s depends on %s, which is not among what it imports", x.File, file)
		} else if back := d.Dependencies.List[k]; !slices.Equal(back.Lines, x.Lines) || back.TypeOnly != x.TypeOnly || back.Inferred != x.Inferred {
			t.Errorf("%s depends on %s: %+v from one side, %+v from the other", x.File, file, x, back)
		}
	}
}

// agreeOnDeletion checks that the imports that a deletion breaks are exactly those of the
// importers.
func agreeOnDeletion(t *testing.T, e *index.Engine, file string, side *kota.Side) {
	t.Helper()
	want, got := map[string]bool{}, map[string]bool{}
	for _, x := range side.List {
		if x.Via == "" {
			want[x.File] = true
		}
	}
	im := impact(t, e, kota.ImpactQuery{Delete: []string{file}})
	for _, b := range im.Broken {
		got[b.File] = true
	}
	for f := range got {
		must.Not(t, !want[f] && len(want) > 0, "%s: its deletion breaks %s, and deps does not list that", file, f)
	}
	for f := range want {
		must.Not(t, !got[f], "%s: deps lists %s, and its deletion does not break that", file, f)
	}
}

// nearest returns the files that import changed names.
func nearest(im kota.Impact) map[string]bool {
	out := make(map[string]bool)
	for _, x := range slices.Concat(im.Dependents, im.Tests) {
		if x.Distance == 1 {
			out[x.File] = true
		}
	}
	return out
}

// agreeOn compares the answers about one export of a file.
func agreeOn(t *testing.T, e *index.Engine, file string, export kota.Export, dependents map[string]bool) {
	t.Helper()
	name := export.Name
	u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: name, File: file, Tests: true})
	var unknown *kota.UnknownSymbolError
	if errors.As(err, &unknown) || len(u.Candidates) > 0 || u.Confidence != "bound" {
		return // its local name differs
	}
	im, err := e.Impact(t.Context(), kota.ImpactQuery{Symbols: []string{name}, File: file})
	if err != nil {
		t.Errorf("%s of %s has usages, and impact says %v", name, file, err)
		return
	}
	near := nearest(im)
	users := make(map[string]bool)
	for _, x := range u.List {
		if x.File == file {
			continue
		}
		users[x.File] = true
		must.Not(t, !dependents[x.File], "%s uses %s of %s, and deps does not list it", x.File, name, file)
		if !x.Support && !near[x.File] {
			t.Errorf("%s uses %s of %s, and impact does not list it", x.File, name, file)
		}
	}
	must.Not(t, export.Used > len(users), "%s of %s is used by %d files in impact, by %d in usages", name, file, export.Used, len(users))
	for x := range near {
		must.Not(t, !dependents[x], "%s is reached by %s of %s, and deps does not list it", x, name, file)
	}
}
