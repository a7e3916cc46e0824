package hooks

import (
	"testing"

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
