package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

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
	Bill           replay.TotalBill // under the price profile of the page
	Class          string           // CSS class for its colour and dashes
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

// Rest is the number of pruned tokens that belong to none of the groups.
func (p *policyResult) Rest() token.Count {
	rest := p.PrunedTokens
	for _, g := range p.Pruned {
		rest -= g.Tokens
	}
	return rest
}

// Meter is the length of a group's bar as a percentage of the largest.
func (p *policyResult) Meter(g replay.Group) string {
	largest := token.Count(1)
	for _, other := range p.Pruned {
		largest = max(largest, other.Tokens)
	}
	return fmt.Sprintf("%.1f", 100*float64(g.Tokens)/float64(largest))
}

// MissingMeter is the length of the bar for edits whose text was missing, as a percentage.
// The bar is full at a tenth of all edits.
func (p *policyResult) MissingMeter() string {
	return fmt.Sprintf("%.1f", min(100, 1000*float64(p.EditsMissing)/float64(max(p.Edits, 1))))
}

// bar is the cost of a policy under a price profile. Lengths and positions are percentages
// of the scale.
type bar struct {
	*policyResult
	Label              string
	Cost               replay.TotalBill
	Width, Alone, Full string // the bill, the bill of pruning alone, and the full price
	HasAlone, IsBeyond bool   // whether the bill of pruning alone is on the scale, and the bill beyond it
}

// bars returns the bars of all policies under a profile. scale is the ratio at the right
// end.
func (p *replayPage) bars(profile string, scale float64) []bar {
	at := func(ratio float64) string { return fmt.Sprintf("%.2f", 100*min(max(finite(ratio), 0)/scale, 1)) }
	var out []bar
	for _, own := range p.Policies {
		cost := own.PolicyTotal.Prices[profile]
		out = append(out, bar{
			policyResult: own, Label: shown(own.Name), Cost: cost,
			Width: at(cost.BillVsNone), Alone: at(cost.PruningVsNone), Full: at(1),
			HasAlone: !own.IsNone && cost.PruningVsNone > 0 && cost.PruningVsNone <= scale, IsBeyond: cost.BillVsNone > scale,
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
func (p *replayPage) scale(profiles ...token.Prices) float64 {
	most := 1.0
	for _, own := range p.Policies {
		for _, prices := range profiles {
			b := own.PolicyTotal.Prices[prices.Name]
			most = max(most, finite(b.BillVsNone), finite(b.PruningVsNone))
		}
	}
	return min(most*1.04, 2)
}

// Bars returns the bars of all policies under the page's profile.
func (p *replayPage) Bars() []bar { return p.bars(p.Result.Profile, p.scale(p.Prices)) }

// panel is the cost of all policies under one price profile.
type panel struct {
	token.Prices
	IsChosen bool
	Bars     []bar
}

// Panels returns one panel per price profile, all on the same scale.
func (p *replayPage) Panels() []panel {
	var out []panel
	scale := p.scale(p.Result.Prices...)
	for _, prices := range p.Result.Prices {
		one := panel{prices, prices.Name == p.Result.Profile, p.bars(prices.Name, scale)}
		for i := range one.Bars {
			if rule, ok := strings.CutPrefix(one.Bars[i].Label, "without "); ok { // panels are narrow
				one.Bars[i].Label = "− " + rule
			}
			if rule, ok := strings.CutPrefix(one.Bars[i].Label, "with "); ok {
				one.Bars[i].Label = "+ " + rule
			}
		}
		out = append(out, one)
	}
	return out
}
