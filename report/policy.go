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

// policyNone is the policy that all others are compared with.
const policyNone = "none"

// ranking are the policies with a colour and dashes of their own, the same in every
// report: the most interesting one first.
var ranking = []string{"auto", "cold", "kota", "seed", policyNone}

// rank is a policy's place in the ranking, its length for any other policy.
func rank(name string) int {
	if i := slices.Index(ranking, name); i >= 0 {
		return i
	}
	return len(ranking)
}

// policy is a policy on a page.
type policy struct {
	*replay.PolicyTotal
	Bill           replay.TotalBill // under the page's profile
	Class          string           // gives it its colour and its dashes
	IsNone, IsBest bool
}

// cheaper orders policies by their whole bills.
func cheaper(a, b *policy) int {
	return cmp.Or(cmp.Compare(a.Bill.BillVsNone, b.Bill.BillVsNone), cmp.Compare(rank(a.Name), rank(b.Name)))
}

// bestFirst orders policies so that the best one is first and the others stay.
func bestFirst(a, b *policy) int {
	switch {
	case a.IsBest == b.IsBest:
		return 0
	case a.IsBest:
		return -1
	}
	return 1
}

// IsWinner reports whether a policy is the best one, and cheaper than none at all.
func (p *policy) IsWinner() bool { return p.IsBest && p.Bill.BillVsNone < 1 }

// Saves reports whether a policy is clearly cheaper than none.
func (p *policy) Saves() bool { return replay.TrendOf(p.Bill.BillVsNone) == replay.CostsLess }

// Saving is the part of the full price that a policy saves.
func (p *policy) Saving() string { return fmt.Sprintf("%.0f%%", 100*(1-p.Bill.BillVsNone)) }

// Rest are the tokens that were pruned and are not in one of the groups.
func (p *policy) Rest() token.Count {
	rest := p.PrunedTokens
	for _, g := range p.Pruned {
		rest -= g.Tokens
	}
	return rest
}

// Meter is the length of a group's bar beside that of the largest, as a percentage.
func (p *policy) Meter(g replay.Group) string {
	largest := token.Count(1)
	for _, other := range p.Pruned {
		largest = max(largest, other.Tokens)
	}
	return fmt.Sprintf("%.1f", 100*float64(g.Tokens)/float64(largest))
}

// MissingMeter is the length of the bar for edits whose text was gone, as a
// percentage. It ends at a tenth of all edits.
func (p *policy) MissingMeter() string {
	return fmt.Sprintf("%.1f", min(100, 1000*float64(p.EditsMissing)/float64(max(p.Edits, 1))))
}

// bar is the cost of a policy under a price profile. Widths and places are percentages
// of the scale.
type bar struct {
	*policy
	Label              string
	Cost               replay.TotalBill
	Width, Alone, Full string // the bill, that of pruning alone, and the full price
	HasAlone, IsBeyond bool   // whether that of pruning alone, and not the bill, is on the scale
}

// bars draws all policies under a profile on a scale with a ratio at its right end.
func (p *replayPage) bars(profile string, scale float64) []bar {
	at := func(ratio float64) string { return fmt.Sprintf("%.2f", 100*min(max(finite(ratio), 0)/scale, 1)) }
	var out []bar
	for _, own := range p.Policies {
		cost := own.PolicyTotal.Prices[profile]
		out = append(out, bar{
			policy: own, Label: shown(own.Name), Cost: cost,
			Width: at(cost.BillVsNone), Alone: at(cost.PruningVsNone), Full: at(1),
			HasAlone: !own.IsNone && cost.PruningVsNone > 0 && cost.PruningVsNone <= scale, IsBeyond: cost.BillVsNone > scale,
		})
	}
	return out
}

// finite is a ratio, 0 when it is undefined, as for a session without a price.
func finite(ratio float64) float64 {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return 0
	}
	return ratio
}

// scale is the ratio at the right end of bars: the largest one, up to
// twice the price. What is beyond is marked.
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

// Bars are all policies under the page's profile.
func (p *replayPage) Bars() []bar { return p.bars(p.Result.Profile, p.scale(p.Prices)) }

// panel is what all policies cost under one price profile.
type panel struct {
	token.Prices
	IsChosen bool
	Bars     []bar
}

// Panels are the price profiles, on one scale.
func (p *replayPage) Panels() []panel {
	var out []panel
	scale := p.scale(p.Result.Prices...)
	for _, prices := range p.Result.Prices {
		one := panel{prices, prices.Name == p.Result.Profile, p.bars(prices.Name, scale)}
		for i := range one.Bars {
			if rule, ok := strings.CutPrefix(one.Bars[i].Label, "without "); ok { // a panel is narrow
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
