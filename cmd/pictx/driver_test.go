//go:build unix && !sqlite_fts5

package main_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// It is run where packages are compiled with SQLite in Go anyway: that takes longer than all other
// tests of this package.
//
// A store lives through builds with SQLite in C and in Go: what one wrote the other finds, and
// nothing is indexed twice.
func TestStoreServesBuildsWithEitherDriver(t *testing.T) {
	tagged, dir := build(t, "sqlite_fts5"), shared(t)
	t.Setenv("CGO_ENABLED", "0") // as without a C compiler
	untagged := build(t, "")
	sessions := must.Get(filepath.Abs("../../testdata/sessions"))(t)
	grep := func(bin string, words ...string) []string {
		t.Helper()
		var ids []string
		out := output(t, 0, run(dir, bin, append([]string{"grep", "--json", "--limit", "500"}, words...)...))
		for line := range strings.Lines(out) {
			var v struct{ Entry string }
			must.Do(t, json.Unmarshal([]byte(line), &v))
			ids = append(ids, v.Entry)
		}
		return ids
	}
	both := func(want int, words ...string) {
		t.Helper()
		x, y := grep(tagged, words...), grep(untagged, words...)
		must.Not(t, fmt.Sprint(x) != fmt.Sprint(y) || len(x) < want, "grep %v: %d in C, %d in Go", words, len(x), len(y))
	}
	output(t, 0, run(dir, tagged, "import", filepath.Join(sessions, "shop-fork.jsonl")))
	both(5, "idempotency")
	output(t, 0, run(dir, untagged, "import", filepath.Join(sessions, "shop-main.jsonl")))
	both(10, "idempotency")
	output(t, 0, run(dir, tagged, "import", filepath.Join(sessions, "notes-1.5.jsonl")))
	both(10, "idempotency")
	both(1, "tax")
	if out := output(t, 0, run(dir, tagged, "doctor", "--json")); !strings.Contains(out, `"name":"history","result":"ok"`) {
		t.Errorf("the store is not whole: %s", out)
	}
	// And backups.
	output(t, 0, run(dir, untagged, "history", "backup", filepath.Join(dir, "b.db")))
	output(t, 0, run(dir, tagged, "history", "restore", "--yes", filepath.Join(dir, "b.db")))
	both(10, "idempotency")
	output(t, 0, run(dir, untagged, "history", "restore", "--yes", filepath.Join(dir, "b.db")))
	both(10, "idempotency")
}
