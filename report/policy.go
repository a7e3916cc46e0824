package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/token"
)

// policyNone is the baseline policy: nothing is pruned.
const policyNone = "none"

// ranking lists the policies with their own colour and dashes, the most interesting one
// first. All reports use the same.
var ranking = []string{"auto", "cold", "kota", "seed", policyNone}

// rank returns the index of a policy in ranking, the length of ranking for others.
func rank(name string) int {
	if i := slices.Index(ranking, name); i >= 0 {
		return i
	}
	return len(ranking)
}

// policyResult is what a policy brought, on a page.
type policyResult struct {
	*replay.PolicyTotal
	replay.Figures                    // in the world of the page
	Bill           *replay.WorldTotal // likewise
	Class          string             // CSS class for its colour and dashes
	IsNone, IsBest bool
}

// cheaper orders policies by their total bills.
func cheaper(a, b *policyResult) int {
	return cmp.Or(cmp.Compare(a.Bill.BillVsNone, b.Bill.BillVsNone), cmp.Compare(rank(a.Name), rank(b.Name)))
}

// bestFirst moves the best policy to the front and keeps the order of the others.
func bestFirst(a, b *policyResult) int {
	switch {
	case a.IsBest == b.IsBest:
		return 0
	case a.IsBest:
		return -1
	}
	return 1
}

// IsWinner reports whether a policy is the best one and cheaper than no pruning.
func (p *policyResult) IsWinner() bool { return p.IsBest && p.Bill.BillVsNone < 1 }

// Saves reports whether a policy is clearly cheaper than no pruning.
func (p *policyResult) Saves() bool { return replay.TrendOf(p.Bill.BillVsNone) == replay.CostsLess }

// Saving is the saving of a policy as a percentage of the full price.
func (p *policyResult) Saving() string { return fmt.Sprintf("%.0f%%", 100*(1-p.Bill.BillVsNone)) }

// Meter is the length of a group's bar as a percentage of the largest.
func (p *policyResult) Meter(g replay.Group) string {
	largest := token.Count(1)
	for _, other := range p.Pruned {
		largest = max(largest, other.Tokens)
	}
	return fmt.Sprintf("%.1f", 100*float64(g.Tokens)/float64(largest))
}

// bar is the cost of a policy in a world. Lengths are percentages of the scale.
type bar struct {
	*policyResult
	Label       string
	Cost        *replay.WorldTotal
	Width, Full string // the bill, and the full price
	IsBeyond    bool   // the bill is beyond the scale
}

// bars returns the bars of all policies in a world. scale is the ratio at the right end.
func (p *replayPage) bars(world int, scale float64) []bar {
	at := func(ratio float64) string { return fmt.Sprintf("%.2f", 100*min(max(finite(ratio), 0)/scale, 1)) }
	var out []bar
	for _, own := range p.Policies {
		cost := &own.Worlds[world]
		out = append(out, bar{
			policyResult: own, Label: shown(own.Name), Cost: cost,
			Width: at(cost.BillVsNone), Full: at(1), IsBeyond: cost.BillVsNone > scale,
		})
	}
	return out
}

// finite returns a ratio, 0 when it is undefined, as for a session without a price.
func finite(ratio float64) float64 {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return 0
	}
	return ratio
}

// scale returns the ratio at the right end of the bars: slightly above the largest one, and
// at most twice the full price. Bars beyond that are marked.
func (p *replayPage) scale() float64 {
	most := 1.0
	for _, own := range p.Policies {
		for i := range own.Worlds {
			most = max(most, finite(own.Worlds[i].BillVsNone))
		}
	}
	return min(most*1.04, 2)
}

// Bars returns the bars of all policies in the world of the page.
func (p *replayPage) Bars() []bar { return p.bars(0, p.scale()) }

// panel is the cost of all policies in one world.
type panel struct {
	replay.World
	IsChosen bool
	Full     *replay.WorldTotal // of the policy none, nil when it was not run
	Bars     []bar
}

// Panels returns one panel per world, all on the same scale.
func (p *replayPage) Panels() []panel {
	var out []panel
	for i, w := range p.Result.Worlds {
		one := panel{w, i == 0, nil, p.bars(i, p.scale())}
		if p.None != nil {
			one.Full = &p.None.Worlds[i]
		}
		out = append(out, one)
	}
	return out
}
