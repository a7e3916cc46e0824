package prune

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/workspace"
)

// choosePrices returns the price profiles, and which of them is shown.
func choosePrices(a *cli.Run, o replayOptions) (profiles []token.Prices, models []bill.ModelPrice, shown int, err error) {
	profiles = token.Profiles()
	if o.prices != "" {
		var own []token.Prices
		if own, models, err = workspace.ReadPrices(a.Path(o.prices)); err != nil {
			return nil, nil, 0, err
		}
		for _, p := range own {
			if i := slices.Index(priceNames(profiles), p.Name); i >= 0 {
				profiles[i] = p
			} else {
				profiles = append(profiles, p)
			}
		}
	}
	if o.profile == "" {
		return profiles, models, 0, nil
	}
	names := priceNames(profiles)
	if shown = slices.Index(names, o.profile); shown < 0 {
		return nil, nil, 0, exit.UsageError("pictx replay --profile "+names[0], "unknown price profile %q: want %s", o.profile, strings.Join(names, ", "))
	}
	return profiles, models, shown, nil
}

func priceNames(profiles []token.Prices) []string {
	names := make([]string, len(profiles))
	for i, p := range profiles {
		names[i] = p.Name
	}
	return names
}
