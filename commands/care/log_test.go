package care

import (
	"testing"

	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/jsonl"
)

func TestOnlyTheRequestedLinesAreHeldInMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := jsonl.Log{Dir: dir}
	const lines = 3000
	for i := range lines {
		must.Do(t, log.Append(jsonl.LogEntry{Time: clitest.Now(), Event: "context", Bytes: i, Result: jsonl.LogOK}))
	}
	for _, n := range []int{1, 2, 7, 999, 1000, lines, lines + 1, 0} {
		r := must.Get(log.Open())(t)
		got, err := r.Last(t.Context(), n, func(jsonl.LogEntry) bool { return true })
		r.Close()
		want := min(n, lines)
		if n == 0 {
			want = lines
		}
		if err != nil || len(got) != want || got[0].Bytes != lines-want || got[len(got)-1].Bytes != lines-1 {
			t.Errorf("the last %d: %d lines, %v", n, len(got), err)
		}
	}
}
