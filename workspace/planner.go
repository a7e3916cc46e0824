package workspace

import (
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/prune/policy"
)

// Planner returns the planner of the policy in force, or the reason why nothing is pruned.
// asked is set when the user asked for pruning, which mode "manual" requires.
func Planner(all config.Config, asked bool) (*policy.Planner, string) {
	c := all.Prune
	switch {
	case all.Objects.Enabled && all.Objects.Layout == config.LayoutPools:
		return nil, "nothing: nothing is pruned in the layout pools (objects.layout)"
	case !c.Enabled:
		return nil, "nothing: pruning is switched off (prune.enabled)"
	case c.Mode == config.ModeOff:
		return nil, "nothing: pruning is switched off (prune.mode is off)"
	case c.Mode == config.ModeManual && !asked:
		return nil, "nothing: pruning waits to be asked (prune.mode is manual)"
	}
	if asked { // for pruning
		all.Prune.Fold = config.FoldOff
	}
	p := policyPlanner(all)
	if all.Objects.Enabled {
		p = p.WithStates()
	}
	return p, ""
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

// DeactivatedPlanner returns a planner that removes deactivated objects and nothing else,
// nil if the settings have none.
func DeactivatedPlanner(all config.Config) *policy.Planner {
	if !all.Objects.Enabled || all.Objects.Layout == config.LayoutPools {
		return nil
	}
	return policy.NewDeactivated(AutoSettings(all))
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
