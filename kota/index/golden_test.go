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
)

// Each file of testdata/usages is a project. Above its files are questions, "? NAME in FILE", each
// followed by the uses of the name. UPDATE_GOLDEN=1 writes what is found.
//
// Holds kota 43, 44.
func TestUsagesAreThoseThatEachProjectLists(t *testing.T) {
	t.Parallel()
	files := must.Get(filepath.Glob("testdata/usages/*.txtar"))(t)
	if len(files) < 10 {
		t.Fatalf("only %d projects were found", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a := must.Get(txtar.ParseFile(file))(t)
			e := newWorld(t, string(txtar.Format(&txtar.Archive{Files: a.Files}))).open()
			var got strings.Builder
			for line := range strings.Lines(string(a.Comment)) {
				question, asks := strings.CutPrefix(strings.TrimSpace(line), "? ")
				if asks || strings.HasPrefix(line, "#") || line == "\n" {
					got.WriteString(line)
				}
				if asks {
					symbol, in, _ := strings.Cut(question, " in ")
					for _, use := range usages(t, e, kota.UsagesQuery{Symbol: symbol, File: in}) {
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
