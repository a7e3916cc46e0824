package jsonl

import "testing"

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
		if got := quantile(sorted, c.percent); got != c.want {
			t.Errorf("quantile %d of 1 to %d is %v, want %v", c.percent, c.n, got, c.want)
		}
	}
}
