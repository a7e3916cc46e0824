package workspace

import (
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
)

// Choice returns the planner that the settings ask for, or the reason why nothing is pruned. asked
// is set when the user asked for pruning, which mode "manual" requires. Deactivated objects are
// removed in any case.
func Choice(all config.Config, asked bool) (o prune.Choice) {
	c := all.Prune
	pools := all.Objects.Enabled && all.Objects.Layout == config.LayoutPools
	switch {
	case pools:
		o.Why = "nothing: nothing is pruned in the layout pools (objects.layout)"
	case !c.Enabled:
		o.Why = "nothing: pruning is switched off (prune.enabled)"
	case c.Mode == config.ModeOff:
		o.Why = "nothing: pruning is switched off (prune.mode is off)"
	case c.Mode == config.ModeManual && !asked:
		o.Why = "nothing: pruning waits to be asked (prune.mode is manual)"
	default:
		if asked { // for pruning
			all.Prune.Fold = config.FoldOff
		}
		if o.Planner = policyPlanner(all); all.Objects.Enabled {
			o.Planner = o.Planner.WithStates()
		}
		return o
	}
	if all.Objects.Enabled && !pools {
		o.Deactivated = policy.NewDeactivated(AutoSettings(all))
	}
	return o
}

// policyPlanner returns the planner of the policy in force.
func policyPlanner(all config.Config) *policy.Planner {
	c := all.Prune
	switch c.Policy {
	case config.PolicySeed:
		return policy.NewSeed(policy.SeedSettings(c.Seed))
	case config.PolicyKota:
		return policy.NewKota(KotaSettings(c.Kota))
	}
	auto := AutoSettings(all)
	auto.ColdOnly = c.Mode == config.ModeCold
	return policy.NewAuto(auto)
}

// AutoSettings returns the settings of the policy "auto", whatever the mode.
func AutoSettings(all config.Config) policy.AutoSettings {
	c := all.Prune
	return policy.AutoSettings{
		KeepTools: c.Keep.Tools, KeepPaths: c.Keep.Paths, Rerun: c.Rerun,
		PinImpact: c.Kota.PinImpact, Fold: c.Fold == config.FoldAuto,
	}
}

// KotaSettings returns the settings of the policy "kota".
func KotaSettings(k config.Kota) policy.KotaSettings {
	return policy.KotaSettings{
		KeepRecentTurns: k.KeepRecentTurns, MaxToolChars: k.MaxToolChars,
		Adaptive: k.Adaptive, AdaptiveTokens: policy.LargeContext, PinImpact: k.PinImpact,
	}
}
