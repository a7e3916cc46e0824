package replay

import "github.com/coctostan/pictx/core/prune"

// DefaultAuto returns the settings of the policy "auto" in a new configuration.
func DefaultAuto() prune.AutoSettings { return defaultAuto() }

// DefaultSeed returns those of the policy "seed".
func DefaultSeed() prune.SeedSettings {
	return prune.SeedSettings{
		Minimum: 20_000, Protect: 40_000, ProtectedTurns: 2,
		PrunableTools: []string{"read", "bash", "grep", "find", "ls", "edit", "write"},
	}
}

// DefaultKota returns those of the policy "kota".
func DefaultKota() prune.KotaSettings {
	return prune.KotaSettings{KeepRecentTurns: 2, MaxToolChars: 1200, Adaptive: true, AdaptiveTokens: 120_000, PinImpact: true}
}

// Calls is the number of model calls.
func (r *Recording) Calls() int { return len(r.calls) }
