package search_test

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
)

// withProcessors runs fn as a machine with n processors would.
func withProcessors(n int, fn func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	fn()
}

// However many read at once, a search finds the same in the same order, says of as
// many texts that they were read, and stops at the same one.
func TestTheAnswerDoesNotDependOnHowManyGoroutinesRead(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	file := filepath.Join(t.TempDir(), "s.jsonl")
	storetest.WriteSession(t, file, 600, 400)
	storetest.Ingest(t, st, file)
	scanned := search.Reading{Store: st.Search}
	asked := func(q history.Query, after int) string {
		n := 0
		if after > 0 {
			q.Stop = func() bool { n++; return n > after }
		}
		res := must.Get(history.Search(t.Context(), scanned, q))(t)
		next := res.Next
		return cmp.Diff(history.Result{}, res) + " " + strings.Join(storetest.IDs(res), " ") + cmp.Diff(int64(0), next)
	}
	for _, q := range []history.Query{
		{Text: `[0-9]{4} [a-z]+ parse[0-9]`, Regex: true, Limit: 30},
		{Text: `[!-/]{7}`, Regex: true},
		{Text: "retry", Limit: 500},
		{Text: "arse49"},
		{Text: "const zzyzx", Limit: 7, Offset: 30},
	} {
		for _, after := range []int{0, 9, 300} {
			var want string
			withProcessors(1, func() { want = asked(q, after) })
			for _, n := range []int{2, 5} {
				withProcessors(n, func() {
					if got := asked(q, after); got != want {
						t.Errorf("%q by %d, stopped after %d (-one +many)\n%s", q.Text, n, after, cmp.Diff(want, got))
					}
				})
			}
		}
	}
}
