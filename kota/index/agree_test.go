package index_test

import (
	"errors"
	"math/rand"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/coctostan/pictx/bench/kota/tree"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
)

// deps, usages and impact say the same in different words: of random files of a
// generated project, and of the repository that PICTX_KOTA_REPO names.
func TestDepsUsagesAndImpactAgree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shapes)
	if err := tree.Write(w.root, 150, 5); err != nil {
		t.Fatal(err)
	}
	o := w.options()
	seed, n := int64(1), 40
	if repo := os.Getenv("PICTX_KOTA_REPO"); repo != "" {
		o.Root, o.Git, n = repo, true, 150
		seed = time.Now().UnixNano()
	}
	e, err := index.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	files, rng := e.Files(), rand.New(rand.NewSource(seed))
	for range n {
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

// agree compares what is said about one file.
func agree(t *testing.T, e *index.Engine, file string) {
	t.Helper()
	d, err := e.Deps(t.Context(), kota.DepsQuery{File: file, Dependents: true, Tests: true})
	if err != nil {
		t.Fatal(err)
	}
	all, err := e.Deps(t.Context(), kota.DepsQuery{File: file, Dependents: true, Tests: true, Depth: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
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
		if !dependents[x] {
			t.Errorf("%s: impact has %s, and deps does not", file, x)
		}
	}
	if int(im.Total) != all.Dependents.Production || im.Direct != d.Dependents.Production || im.TestDirect != d.Dependents.Tests || im.Support != all.Dependents.Support {
		t.Errorf("%s: impact counts %d (%d direct), %d tests, %d support; deps %d (%d), %d, %d", file,
			im.Total, im.Direct, im.TestDirect, im.Support, all.Dependents.Production, d.Dependents.Production, d.Dependents.Tests, all.Dependents.Support)
	}
	for _, x := range im.Exports[:min(len(im.Exports), 4)] {
		agreeOn(t, e, file, x.Name, dependents)
	}
}

// nearest are the files that take what changed.
func nearest(im kota.Impact) map[string]bool {
	out := make(map[string]bool)
	for _, x := range slices.Concat(im.Dependents, im.Tests) {
		if x.Distance == 1 {
			out[x.File] = true
		}
	}
	return out
}

// agreeOn compares what is said about one export of a file.
func agreeOn(t *testing.T, e *index.Engine, file, name string, dependents map[string]bool) {
	t.Helper()
	u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: name, File: file, Tests: true})
	var unknown *kota.UnknownSymbolError
	if errors.As(err, &unknown) || len(u.Candidates) > 0 || u.Confidence != "bound" {
		return // it is called otherwise in its file
	}
	im, err := e.Impact(t.Context(), kota.ImpactQuery{Symbols: []string{name}, File: file})
	if err != nil {
		t.Errorf("%s of %s has usages, and impact says %v", name, file, err)
		return
	}
	near := nearest(im)
	for _, x := range u.List {
		if x.File == file {
			continue
		}
		if !dependents[x.File] {
			t.Errorf("%s uses %s of %s, and deps does not list it", x.File, name, file)
		}
		if !x.Support && !near[x.File] {
			t.Errorf("%s uses %s of %s, and impact does not list it", x.File, name, file)
		}
	}
	for x := range near {
		if !dependents[x] {
			t.Errorf("%s is reached by %s of %s, and deps does not list it", x, name, file)
		}
	}
}
