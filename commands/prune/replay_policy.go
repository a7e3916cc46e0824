package prune

import (
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/workspace"
	"github.com/coctostan/pictx/workspace/pruning"
)

// policyNames lists all policies. The first usualPolicies are replayed by default.
func policyNames() []string {
	return append([]string{"none", "seed", "kota", "cold", "auto", "inline", "pools"}, policy.SourceNames()...)
}

// usualPolicies is the number of policies that are replayed by default.
const usualPolicies = 5

// choosePolicies returns the policies to replay. The first is "none", with which the others
// are compared.
func choosePolicies(c config.Config, o replayOptions) ([]replay.Policy, error) {
	policies := []replay.Policy{replay.None()}
	if o.ablate {
		auto := pruning.AutoSettings(c)
		policies = append(policies, replay.Auto(auto))
		for _, rule := range policy.SourceNames() {
			policies = append(policies, replay.Without(auto, rule))
		}
		for _, rule := range policy.OptionalNames() {
			policies = append(policies, replay.With(auto, rule))
		}
		return policies, nil
	}
	names := o.policies
	switch {
	case o.figures:
		names = []string{"auto", "cold"}
	case len(names) == 0:
		names = policyNames()[:usualPolicies]
		if c.Objects.Enabled && c.Objects.Layout == config.LayoutPools {
			names = append(names, "pools")
		}
	}
	seen := map[string]bool{"none": true}
	for _, name := range names {
		p, ok := policyOf(c, name)
		if !ok {
			return nil, exit.UsageError("pictx replay --policy auto", "unknown policy %q: want %s, or %s", name,
				strings.Join(policyNames(), ", "), strings.Join(agentNames(), ", "))
		}
		if !seen[name] {
			policies = append(policies, p)
		}
		seen[name] = true
	}
	return policies, nil
}

// policyOf returns a policy by its name, with the settings in force.
func policyOf(all config.Config, name string) (replay.Policy, bool) {
	if hasAgent(name) {
		return agentPolicy(all, name)
	}
	auto, c := pruning.AutoSettings(all), all.Prune
	switch name {
	case "none":
		return replay.None(), true
	case "seed":
		return replay.Seed(pruning.SeedSettings(c.Seed)), true
	case "kota":
		return replay.Kota(pruning.KotaSettings(c.Kota)), true
	case "cold":
		return replay.Cold(auto), true
	case "auto":
		return replay.Auto(auto), true
	case "inline":
		return replay.Inline(auto), true
	case "pools":
		return replay.Pools(policy.SeedWindow()), true
	}
	return replay.Source(auto, name), slices.Contains(policy.SourceNames(), name)
}

// The rules that simulate an agent which deactivates objects, as in "inline+idle".
const (
	agentIdle  = "idle"
	agentIdeal = "ideal"
	// agentAnswers is the number of responses without a reference after which an object
	// is deactivated, unless the name says otherwise. The policy auto keeps what was
	// read of a file that was edited once in a warm cache for as long.
	agentAnswers = 8
)

// agentBases are the policies that can be combined with such a rule.
var agentBases = []string{"auto", "inline", "pools"}

// agentNames lists the combined policies.
func agentNames() []string {
	var out []string
	for _, base := range agentBases {
		out = append(out, base+"+"+agentIdle, base+"+"+agentIdeal)
	}
	return out
}

// hasAgent reports whether a policy has such a rule, by its name.
func hasAgent(name string) bool { return strings.Contains(name, "+") }

// agentPolicy returns a combined policy by its name, such as "inline+idle:20".
func agentPolicy(all config.Config, name string) (replay.Policy, bool) {
	base, rest, _ := strings.Cut(name, "+")
	rule, answers, given := strings.Cut(rest, ":")
	a := replay.Agent{Answers: agentAnswers, Knows: rule == agentIdeal, Tools: hooks.ObjectToolTokens()}
	var err error
	if given {
		a.Answers, err = strconv.Atoi(answers)
	}
	if err != nil || a.Answers < 1 || rule != agentIdle && rule != agentIdeal || !slices.Contains(agentBases, base) {
		return replay.Policy{}, false
	}
	p, _ := policyOf(all, base)
	if base == "auto" {
		p = replay.AutoWithStates(pruning.AutoSettings(all))
	}
	return p.WithAgent(rest, a), true
}

// choosePrices returns the price profiles, the user's own model prices, and the index of
// the profile to show.
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
