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

// It is run where packages are compiled without full text anyway: that takes longer than all other
// tests of this package.
func TestStoreServesBuildsWithAndWithoutFullText(t *testing.T) {
	tagged, untagged, dir := build(t, "sqlite_fts5"), build(t, ""), shared(t)
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
		if fmt.Sprint(x) != fmt.Sprint(y) || len(x) < want {
			t.Errorf("grep %v: %d with full-text search, %d without", words, len(x), len(y))
		}
	}
	output(t, 0, run(dir, tagged, "import", filepath.Join(sessions, "shop-fork.jsonl")))
	both(5, "idempotency")
	output(t, 0, run(dir, untagged, "import", filepath.Join(sessions, "shop-main.jsonl")))
	both(10, "idempotency")
	output(t, 0, run(dir, tagged, "import", filepath.Join(sessions, "notes-1.5.jsonl")))
	both(10, "idempotency")
	both(1, "tax")
	must.Contain(t, output(t, 0, run(dir, tagged, "doctor", "--json")), `"name":"index","result":"ok"`, "the tagged build did not catch up")
	// And a store that begins without.
	fresh := shared(t)
	output(t, 0, run(fresh, untagged, "import", sessions))
	dir = fresh
	both(10, "idempotency")
	output(t, 0, run(dir, tagged, "store", "migrate"))
	both(10, "idempotency")
}
