package commands

import (
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/hooks"
)

// The rules that stand for an agent which deactivates, behind the name of a policy.
const (
	agentIdle  = "idle"
	agentIdeal = "ideal"
	// agentAnswers is how long what it deactivates was not referred to, unless the
	// name says otherwise: as long as the policy auto keeps in a warm cache what was
	// read of a file that was edited once.
	agentAnswers = 8
)

// agentNames are policies with such a rule.
func agentNames() []string {
	var out []string
	for _, policy := range [...]string{"auto", "inline", "pools"} {
		out = append(out, policy+"+"+agentIdle, policy+"+"+agentIdeal)
	}
	return out
}

// hasAgent reports whether a policy has such a rule, by its name.
func hasAgent(name string) bool { return strings.Contains(name, "+") }

// agentPolicy returns the policy of a name such as "inline+idle:20".
func agentPolicy(all config.Config, name string) (replay.Policy, bool) {
	base, rest, _ := strings.Cut(name, "+")
	rule, answers, given := strings.Cut(rest, ":")
	a := replay.Agent{Answers: agentAnswers, Knows: rule == agentIdeal, Tools: hooks.ObjectToolTokens()}
	if given {
		var err error
		if a.Answers, err = strconv.Atoi(answers); err != nil || a.Answers < 1 {
			return replay.Policy{}, false
		}
	}
	if rule != agentIdle && rule != agentIdeal {
		return replay.Policy{}, false
	}
	auto := autoSettings(all)
	switch base {
	case "auto":
		return replay.AutoWithStates(auto).WithAgent(rest, a), true
	case "inline":
		return replay.Inline(auto).WithAgent(rest, a), true
	case "pools":
		return replay.Pools(objectWindow(all.Objects)).WithAgent(rest, a), true
	}
	return replay.Policy{}, false
}
