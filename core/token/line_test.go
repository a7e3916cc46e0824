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
			l.Add(p[0], 0, p[1])
		}
		if floor, scale := l.Fit(); floor != c.floor || scale != c.scale {
			t.Errorf("%s: floor %v, scale %v; want %v, %v", name, floor, scale, c.floor, c.scale)
		}
	}
}

// A session of small calls whose long outputs are pruned: the blocks stay, the content goes.
func TestTheScaleOfAPrunedConversationIsThatOfItsContent(t *testing.T) {
	const (
		floor, scale, perBlock = 4000, 1.2, 40
		output, marker         = 900, 50
	)
	var plain, pruned token.Line
	left, outputs := 0.0, 0.0
	for i := 1; i <= 120; i++ {
		left, outputs = left+30+marker, outputs+output-marker
		if i%11 == 0 {
			left, outputs = left+float64(i*5), 0
		}
		blocks := float64(3 * i)
		pruned.Add(left+outputs, blocks, floor+scale*(left+outputs)+perBlock*blocks)
		plain.Add(float64(i)*1000, blocks, floor+scale*float64(i)*1000+perBlock*blocks)
	}
	if _, got := pruned.Fit(); got < scale || got > 1.05*scale {
		t.Errorf("pruned: %.3f tokens for each of the content, want %v", got, scale)
	}
	// Blocks and content grow at one pace here: nothing tells them apart.
	if _, got := plain.Fit(); got < scale || got > scale+perBlock*3.0/1000+0.001 {
		t.Errorf("not pruned: %.3f, want at most that of all together", got)
	}
}
