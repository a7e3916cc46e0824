package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
)

// Parts is a table of what the bill of each policy is made of under the shown prices: a
// head, and a row for each policy, in dollars where there are prices. Parts that none has are
// left out.
func Parts(c *replay.Comparison) [][]string {
	parts := slices.DeleteFunc(bill.Parts(), func(part bill.Part) bool {
		return !slices.ContainsFunc(c.Policies, func(p replay.PolicyTotal) bool { return p.Prices[c.Profile].Parts[part].Cost != 0 })
	})
	head := []string{"policy"}
	for _, part := range parts {
		head = append(head, part.String())
	}
	rows := [][]string{head}
	for i := range c.Policies {
		row := []string{c.Policies[i].Name}
		for _, part := range parts {
			b := c.Policies[i].Prices[c.Profile]
			cost := text.TokensShort(b.Parts[part].Cost)
			if c.Priced() {
				cost = text.Dollars(b.Money[part])
			}
			row = append(row, cost)
		}
		rows = append(rows, row)
	}
	return rows
}

// MoneyFrom says where the prices in dollars are from, "" when there are none.
func MoneyFrom(c *replay.Comparison) string {
	if !c.Priced() {
		return ""
	}
	from := make(map[string]int)
	for i := range c.PerSession {
		from[c.PerSession[i].Rate.From]++
	}
	var said []string
	for _, name := range slices.Sorted(maps.Keys(from)) {
		words := " by prices of " + name
		switch name {
		case "":
			words = " without a price, left out"
		case bill.FromSession:
			words = " by their own costs"
		case bill.FromSettings:
			words = " by your prices"
		}
		said = append(said, text.Count(from[name], "session")+words)
	}
	return "Dollars: " + strings.Join(said, "; ") + "."
}
