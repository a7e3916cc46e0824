package replay

import (
	"slices"

	"github.com/coctostan/pictx/core/object/pool"
	"github.com/coctostan/pictx/core/prune"
)

// Policy is a way of pruning that is to be priced.
type Policy struct {
	// Name is what it is called in results.
	Name string
	// Planner decides before every call; nil prunes nothing.
	Planner *prune.Planner
	// Stateless is set when nothing is remembered from call to call: what is pruned
	// is decided again each time, over the context as it was. Otherwise what was
	// pruned once stays so.
	Stateless bool
	// Priced is set when its decisions depend on prices and the clock: its figures
	// then differ from one price profile to the next.
	Priced bool
	// Pools is set when the context is laid out in self-context-manager's pools.
	Pools bool
	// Agent is the rule that stands for an agent which deactivates; the zero Agent
	// never does.
	Agent Agent
}

// None is the policy that everything is compared with.
func None() Policy { return Policy{Name: "none"} }

// Seed is the policy "seed". As in pi, what it pruned stays pruned.
func Seed(s prune.SeedSettings) Policy {
	return Policy{Name: "seed", Planner: prune.NewSeed(s)}
}

// Kota is the policy "kota". As in pi, what it pruned stays pruned, and the size that
// its adaptive rule looks at is that of the context with markers.
func Kota(s prune.KotaSettings) Policy {
	return Policy{Name: "kota", Planner: prune.NewKota(s)}
}

// Auto is the policy "auto".
func Auto(s prune.AutoSettings) Policy {
	s.ColdOnly = false
	return Policy{Name: "auto", Planner: prune.NewAuto(s), Priced: true}
}

// Cold is the policy "auto" in the mode "cold".
func Cold(s prune.AutoSettings) Policy {
	s.ColdOnly = true
	return Policy{Name: "cold", Planner: prune.NewAuto(s), Priced: true}
}

// Inline is what versioned objects do by themselves in the layout "inline": what is
// deactivated, and what leaves the window, becomes a reference in its place as soon
// as the policy "auto" would find that it pays.
func Inline(s prune.AutoSettings) Policy {
	s.ColdOnly, s.Only = false, []string{prune.Window{}.Name()}
	if s.Window.Calls <= 0 {
		s.Window = prune.SeedWindow()
	}
	return Policy{Name: "inline", Planner: prune.NewAuto(s).WithStates(), Priced: true}
}

// WithAgent is a policy in a session whose agent deactivates, by the rule that stands
// for one.
func (p Policy) WithAgent(name string, a Agent) Policy {
	p.Name, p.Agent = p.Name+"+"+name, a
	return p
}

// AutoWithStates is the policy "auto" with what is said of objects.
func AutoWithStates(s prune.AutoSettings) Policy {
	p := Auto(s)
	s.ColdOnly = false
	p.Planner = prune.NewAuto(s).WithStates()
	return p
}

// Pools is the layout "pools".
func Pools(w prune.Window) Policy {
	if w.Calls <= 0 {
		w = prune.SeedWindow()
	}
	return Policy{Name: "pools", Planner: pool.Planner("", w), Stateless: true, Pools: true}
}

// Source is the policy "auto" with one source alone: one of prune.SourceNames.
func Source(s prune.AutoSettings, name string) Policy {
	s.Only = []string{name}
	return Policy{Name: name, Planner: prune.NewAuto(s), Priced: true}
}

// With is the policy "auto" with one more rule: one of prune.OptionalNames.
func With(s prune.AutoSettings, rule string) Policy {
	s.With = append(s.With[:len(s.With):len(s.With)], rule)
	s.Without = slices.DeleteFunc(slices.Clone(s.Without), func(name string) bool { return name == rule })
	p := Auto(s)
	p.Name = "with " + rule
	return p
}

// Without is the policy "auto" without one of its rules: one of prune.SourceNames
// or prune.DecisionNames.
func Without(s prune.AutoSettings, rule string) Policy {
	p := Auto(s)
	s.ColdOnly, s.Without = false, append(s.Without[:len(s.Without):len(s.Without)], rule)
	p.Name, p.Planner = "without "+rule, prune.NewAuto(s)
	return p
}
