package hooks

import (
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

func TestTrimmedResponsesAreNotCountedAsToolOutput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		outputs, responses int
		want               string
	}{
		{0, 0, "0 tool outputs"},
		{1, 0, "1 tool output"},
		{0, 2, "thinking and old arguments of 2 responses"},
		{3, 1, "3 tool outputs, and thinking and old arguments of 1 response"},
	} {
		must.Equal(t, describePruned(c.outputs, c.responses), c.want, "got")
	}
}

func TestTimesArePutInWords(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	for before, want := range map[time.Duration]string{
		time.Second: "just now", 3 * time.Minute: "3 min ago", 5 * time.Hour: "5 h ago", 72 * time.Hour: "3 days ago",
		time.Duration(now.UnixNano()): "at an unknown time",
	} {
		must.Equal(t, Ago(now, now.Add(-before).UnixMilli()), want, "%v", before)
	}
}
