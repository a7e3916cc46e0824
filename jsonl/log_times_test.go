package jsonl

import (
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestQuantilesAreValuesThatWereThere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, percent int
		want       float64
	}{{1, 50, 1}, {1, 95, 1}, {2, 50, 1}, {3, 50, 2}, {20, 95, 19}, {21, 95, 20}, {100, 95, 95}, {100, 50, 50}} {
		var sorted []float64
		for i := range c.n {
			sorted = append(sorted, float64(i+1))
		}
		must.Equal(t, quantile(sorted, c.percent), c.want, "quantile %d of 1 to %d", c.percent, c.n)
	}
}
