package search_test

import (
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/history"
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
	asked := func(q history.Query, after int) string {
		n := 0
		if after > 0 {
			q.Stop = func() bool { n++; return n > after }
		}
		res, err := history.Search(t.Context(), scanning{st.Search}, q)
		if err != nil {
			t.Fatal(err)
		}
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

// Several read at once, and a scan whose caller has enough leaves the rest.
func TestWhatIsReadAheadIsBounded(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	file := filepath.Join(t.TempDir(), "s.jsonl")
	storetest.WriteSession(t, file, 3000, 50)
	storetest.Ingest(t, st, file)
	withProcessors(2, func() {
		var looked atomic.Int32
		met, first := make(chan struct{}), atomic.Bool{}
		taken := 0
		_, err := st.Search.Scan(t.Context(), history.Filter{}, history.Probe{}, func([]byte) history.Inspection {
			if n := looked.Add(1); n > search.AloneTexts { // the first are inspected by the goroutine that reads them
				if first.CompareAndSwap(false, true) {
					<-met // until another one looks at the same time
				} else {
					select {
					case met <- struct{}{}:
					default:
					}
				}
			}
			return history.Inspection{Size: 1}
		}, func(history.Row, history.Inspection) bool {
			taken++
			return taken < 300
		})
		if n := int(looked.Load()); err != nil || taken != 300 || n > 300+8*64 {
			t.Errorf("%d taken, %d looked at, %v", taken, n, err)
		}
	})
}

// The buffers of further goroutines are memory that a search of a few texts need not touch.
func TestASearchOfFewTextsStartsNoGoroutine(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	file := filepath.Join(t.TempDir(), "s.jsonl")
	storetest.WriteSession(t, file, 60, 200)
	storetest.Ingest(t, st, file)
	withProcessors(4, func() {
		least, grown := 1<<20, 0 // those of the import may still end meanwhile
		var looking atomic.Int32
		_, err := st.Search.Scan(t.Context(), history.Filter{}, history.Probe{}, func([]byte) history.Inspection {
			if looking.Add(1) > 1 {
				t.Error("two texts are inspected at once")
			}
			n := runtime.NumGoroutine()
			if least = min(least, n); n > least {
				grown = n
			}
			looking.Add(-1)
			return history.Inspection{Size: 1}
		}, func(history.Row, history.Inspection) bool { return true })
		if err != nil || grown > 0 {
			t.Errorf("from %d to %d goroutines: %v", least, grown, err)
		}
	})
}

func TestAnInspectionThatFailsFailsTheSearch(t *testing.T) {
	st := storetest.Filled(t)
	for _, n := range []int{1, 4} {
		withProcessors(n, func() {
			_, err := st.Search.Scan(t.Context(), history.Filter{}, history.Probe{}, func([]byte) history.Inspection { panic("no such look") },
				func(history.Row, history.Inspection) bool { return true })
			if err == nil || !strings.Contains(err.Error(), "no such look") {
				t.Errorf("%v", err)
			}
		})
	}
}
