package index_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
)

// Each file of testdata/usages is a project. Above its files are questions, "? NAME in FILE", each
// followed by the uses of the name; "?. TYPE.NAME" has the uses of a member, in the order of the answer, with
// those that are likely and unlikely; "! NAME" has the files that a change of it affects, and "t NAME" the
// tests; "< FILE" has the dependents of a file. UPDATE_GOLDEN=1 writes what is found.
//
// Holds kota 43, 44.
func TestUsagesAreThoseThatEachProjectLists(t *testing.T) {
	t.Parallel()
	files := must.Get(filepath.Glob("testdata/usages/*.txtar"))(t)
	must.Stop(t, len(files) < 10, "only %d projects were found", len(files))
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a := must.Get(txtar.ParseFile(file))(t)
			e := newWorld(t, string(txtar.Format(&txtar.Archive{Files: a.Files}))).open()
			var got strings.Builder
			for line := range strings.Lines(string(a.Comment)) {
				verb, question, _ := strings.Cut(strings.TrimSpace(line), " ")
				answer := map[string]func(*testing.T, *index.Engine, kota.UsagesQuery) []string{
					"?": usages, "?.": members, "!": affected, "t": tested, "<": dependents,
				}[verb]
				if answer != nil || verb == "#" || line == "\n" {
					got.WriteString(line)
				}
				if answer != nil {
					symbol, in, _ := strings.Cut(question, " in ")
					for _, use := range answer(t, e, kota.UsagesQuery{Symbol: symbol, File: in}) {
						fmt.Fprintln(&got, use)
					}
				}
			}
			for _, name := range e.Files() {
				agree(t, e, name)
			}
			if os.Getenv("UPDATE_GOLDEN") != "" {
				must.Do(t, os.WriteFile(file, txtar.Format(&txtar.Archive{Comment: []byte(got.String()), Files: a.Files}), 0o644))
			}
			must.Equal(t, got.String(), string(a.Comment), "%s", file)
		})
	}
}

// affected lists the files that a change of a symbol affects, each with its distance.
func affected(t *testing.T, e *index.Engine, q kota.UsagesQuery) []string {
	return far(impact(t, e, kota.ImpactQuery{Symbols: []string{q.Symbol}, File: q.File}).Dependents)
}

// tested lists the tests of a symbol, in the order of the answer.
func tested(t *testing.T, e *index.Engine, q kota.UsagesQuery) []string {
	return filesOf(impact(t, e, kota.ImpactQuery{Symbols: []string{q.Symbol}, File: q.File}).Tests)
}

// dependents lists the files that import a file, in the order of the answer.
func dependents(t *testing.T, e *index.Engine, q kota.UsagesQuery) []string {
	return filesOf(must.Get(e.Deps(t.Context(), kota.DepsQuery{File: q.Symbol, Dependents: true, Tests: true}))(t).Dependents.List)
}
