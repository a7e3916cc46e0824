package replay

import "github.com/coctostan/pictx/core/prune/policy"

// Policy is a way of pruning to be priced.
type Policy struct {
	// Name identifies it in results.
	Name string
	// Planner decides before every request; nil never prunes. What was pruned once stays
	// pruned.
	Planner *policy.Planner
}

// None is the policy that never prunes, the baseline of comparisons.
func None() Policy { return Policy{Name: "none"} }

// Seed is the policy "seed".
func Seed(s policy.SeedSettings) Policy { return Policy{"seed", policy.NewSeed(s)} }

// Kota is the policy "kota". Its adaptive rule uses the size of the pruned context.
func Kota(s policy.KotaSettings) Policy { return Policy{"kota", policy.NewKota(s)} }

// Auto is the policy "auto".
func Auto(s policy.AutoSettings) Policy {
	s.ColdOnly = false
	return Policy{"auto", policy.NewAuto(s)}
}

// Cold is the policy "auto" in the mode "cold".
func Cold(s policy.AutoSettings) Policy {
	s.ColdOnly = true
	return Policy{"cold", policy.NewAuto(s)}
}
