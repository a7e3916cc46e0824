package prune_test

import "github.com/coctostan/pictx/core/prune/policy"

// defaultAuto returns the settings of prune.* in a new configuration.
func defaultAuto() policy.AutoSettings {
	return policy.AutoSettings{
		KeepTools: []string{"task", "skill", "ask*"},
		KeepPaths: []string{"**/*.env", "**/AGENTS.md", "**/SKILL.md"},
		PinImpact: true,
	}
}

// defaultSeed returns the numbers of pi-context-pruning's README.
func defaultSeed() policy.SeedSettings {
	return policy.SeedSettings{
		Minimum: 20_000, Protect: 40_000, ProtectedTurns: 2,
		PrunableTools: []string{"read", "bash", "grep", "find", "ls", "edit", "write"},
	}
}
