package token_test

import (
	"testing"

	"github.com/coctostan/pictx/core/token"
)

func TestFloorAndScaleFollowFromRecordedPrompts(t *testing.T) {
	for name, c := range map[string]struct {
		prompts [][2]float64 // pi's estimate, and what the provider counted
		floor   token.Count
		scale   float64
	}{
		"none":                {nil, 0, 1},
		"one":                 {[][2]float64{{100, 5000}}, 4900, 1},
		"less than the text":  {[][2]float64{{100, 50}}, 1, 1},
		"too much alike":      {[][2]float64{{1000, 5000}, {2000, 8000}}, 5000, 1},
		"two on a line":       {[][2]float64{{1000, 5000}, {3000, 8000}}, 3500, 1.5},
		"too steep":           {[][2]float64{{100, 5000}, {10100, 95000}}, 37250, 2.5},
		"falling":             {[][2]float64{{0, 5000}, {10000, 4000}}, 1000, 0.7},
		"starting below zero": {[][2]float64{{1000, 500}, {10000, 14000}, {20000, 29000}}, 1, (5e5 + 1.4e8 + 5.8e8) / (1e6 + 1e8 + 4e8)},
	} {
		var l token.Line
		for _, p := range c.prompts {
			l.Add(p[0], p[1])
		}
		if floor, scale := l.Fit(); floor != c.floor || scale != c.scale {
			t.Errorf("%s: floor %v, scale %v; want %v, %v", name, floor, scale, c.floor, c.scale)
		}
	}
}
