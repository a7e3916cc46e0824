package replay

import (
	"slices"

	"github.com/coctostan/pictx/core/object/pool"
	"github.com/coctostan/pictx/core/prune/policy"
)

// Policy is a way of pruning to be priced.
type Policy struct {
	// Name identifies it in results.
	Name string
	// Planner decides before every call; nil never prunes.
	Planner *policy.Planner
	// Stateless makes the policy decide again for every call, over the unpruned context.
	// Otherwise what was pruned once stays pruned.
	Stateless bool
	// Priced is set when decisions depend on prices and the time, so that figures differ
	// between price profiles.
	Priced bool
	// Pools lays the context out in self-context-manager's pools.
	Pools bool
	// Agent simulates an agent that deactivates results; the zero Agent never does.
	Agent Agent
}

// None is the policy that never prunes, the baseline of comparisons.
func None() Policy { return Policy{Name: "none"} }

// Seed is the policy "seed". As in pi, what was pruned stays pruned.
func Seed(s policy.SeedSettings) Policy {
	return Policy{Name: "seed", Planner: policy.NewSeed(s)}
}

// Kota is the policy "kota". As in pi, what was pruned stays pruned, and its adaptive rule
// uses the size of the pruned context.
func Kota(s policy.KotaSettings) Policy {
	return Policy{Name: "kota", Planner: policy.NewKota(s)}
}

// Auto is the policy "auto".
func Auto(s policy.AutoSettings) Policy {
	s.ColdOnly = false
	return Policy{Name: "auto", Planner: policy.NewAuto(s), Priced: true}
}

// Cold is the policy "auto" in the mode "cold".
func Cold(s policy.AutoSettings) Policy {
	s.ColdOnly = true
	return Policy{Name: "cold", Planner: policy.NewAuto(s), Priced: true}
}

// Inline is what versioned objects do by themselves in the layout "inline": deactivated
// results, and results that leave the window, are replaced by markers in place as soon as
// that pays by the policy "auto".
func Inline(s policy.AutoSettings) Policy {
	s.ColdOnly, s.Only = false, []string{policy.Window{}.Name()}
	if s.Window.Calls <= 0 {
		s.Window = policy.SeedWindow()
	}
	return Policy{Name: "inline", Planner: policy.NewAuto(s).WithStates(), Priced: true}
}

// WithAgent returns the policy for sessions with a simulated agent.
func (p Policy) WithAgent(name string, a Agent) Policy {
	p.Name, p.Agent = p.Name+"+"+name, a
	return p
}

// AutoWithStates is the policy "auto" that respects the states of objects.
func AutoWithStates(s policy.AutoSettings) Policy {
	p := Auto(s)
	s.ColdOnly = false
	p.Planner = policy.NewAuto(s).WithStates()
	return p
}

// Pools is the layout "pools".
func Pools(w policy.Window) Policy {
	if w.Calls <= 0 {
		w = policy.SeedWindow()
	}
	return Policy{Name: "pools", Planner: pool.Planner("", w), Stateless: true, Pools: true}
}

// Source is the policy "auto" with a single source, one of policy.SourceNames.
func Source(s policy.AutoSettings, name string) Policy {
	s.Only = []string{name}
	return Policy{Name: name, Planner: policy.NewAuto(s), Priced: true}
}

// With is the policy "auto" with an optional rule, one of policy.OptionalNames.
func With(s policy.AutoSettings, rule string) Policy {
	s.With = append(s.With[:len(s.With):len(s.With)], rule)
	s.Without = slices.DeleteFunc(slices.Clone(s.Without), func(name string) bool { return name == rule })
	p := Auto(s)
	p.Name = "with " + rule
	return p
}

// Without is the policy "auto" without one of its rules, one of policy.SourceNames.
func Without(s policy.AutoSettings, rule string) Policy {
	p := Auto(s)
	s.ColdOnly, s.Without = false, append(s.Without[:len(s.Without):len(s.Without)], rule)
	p.Name, p.Planner = "without "+rule, policy.NewAuto(s)
	return p
}
