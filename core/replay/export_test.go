package replay

import "github.com/coctostan/pictx/core/prune/policy"

// DefaultAuto returns the settings of the policy "auto" in a new configuration.
func DefaultAuto() policy.AutoSettings { return defaultAuto() }

// DefaultSeed returns those of the policy "seed".
func DefaultSeed() policy.SeedSettings {
	return policy.SeedSettings{
		Minimum: 20_000, Protect: 40_000, ProtectedTurns: 2,
		PrunableTools: []string{"read", "bash", "grep", "find", "ls", "edit", "write"},
	}
}

// DefaultKota returns those of the policy "kota".
func DefaultKota() policy.KotaSettings {
	return policy.KotaSettings{KeepRecentTurns: 2, MaxToolChars: 1200, Adaptive: true, AdaptiveTokens: 120_000, PinImpact: true}
}

// Calls is the number of model calls.
func (r *Recording) Calls() int { return len(r.calls) }
