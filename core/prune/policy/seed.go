package policy

import (
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/prune/marker"
	plain "github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// SeedSettings are the numbers of the policy "seed": pi-context-pruning's
// config.ts, prune.seed.* in the configuration.
type SeedSettings struct {
	// Minimum is the number of prunable tokens below which nothing is pruned.
	Minimum int
	// Protect is how many tokens of older tool output stay.
	Protect int
	// ProtectedTurns is the number of newest user turns that are never pruned.
	ProtectedTurns int
	// ProtectedTools names tools whose results are never pruned.
	ProtectedTools []string
	// PrunableTools names the only tools whose results may be pruned; empty means
	// every tool.
	PrunableTools []string
}

// NewSeed returns the planner of the policy "seed", which follows the README of
// pi-context-pruning: OpenCode's pruning for pi.
func NewSeed(s SeedSettings) *Planner {
	return &Planner{
		Sources:     []Source{Seed{s}},
		Protections: []Protection{KeepMarked, KeepErrors, KeepUnknownContent, KeepPinned},
		When:        atLeast(token.Count(s.Minimum), "prune.seed.minimum"),
		Marker:      func(in *Input, c Candidate) string { return marker.Seed(in.marked(c)) },
	}
}

// oldRule provides the report words of the policies "seed" and "kota".
var oldRule = rule{code: CodeOld, words: words{report: "old"}}

// Seed is the source of the policy "seed". Walking from the newest result to the oldest, it
// skips the newest user turns and the tools that are not prunable, then Protect tokens of
// the rest, and proposes everything older.
//
// Results that a protection will keep, above all errors, count towards Protect because they
// are in the context as well. The original also counts errors towards Minimum, so that a
// large error can make it prune as little as a hundred tokens; here only what will really
// be pruned counts.
type Seed struct{ Settings SeedSettings }

// Name is the name of the policy.
func (Seed) Name() string { return "seed" }

// Propose implements Source.
func (s Seed) Propose(in *Input) Proposals {
	why := s.reasons()
	results := in.Results()
	out := Proposals{Keep: make([]Refusal, 0, len(results))}
	var total token.Count
	for i := len(results) - 1; i >= 0; i-- {
		r := &results[i]
		switch {
		case r.Turns < s.Settings.ProtectedTurns:
			out.Keep = append(out.Keep, Refusal{r.Index, why.turn})
		case !s.prunable(r.Message.Head.ToolName):
			out.Keep = append(out.Keep, Refusal{r.Index, why.tool})
		case total < token.Count(s.Settings.Protect):
			// The result that exceeds the budget is kept whole.
			total += r.Tokens
			out.Keep = append(out.Keep, Refusal{r.Index, why.budget})
		default:
			out.Prune = append(out.Prune, Proposal{Index: r.Index, Reason: why.old})
		}
	}
	return out
}

// prunable reports whether results of the tool may be pruned at all.
func (s Seed) prunable(tool string) bool {
	if slices.Contains(s.Settings.ProtectedTools, tool) {
		return false
	}
	only := s.Settings.PrunableTools
	return len(only) == 0 || slices.Contains(only, tool)
}

type seedReasons struct{ turn, tool, budget, old Reason }

// reasons formats the reasons once per plan rather than once per result.
func (s Seed) reasons() seedReasons {
	protect := token.Count(s.Settings.Protect)
	return seedReasons{
		turn: Reason{CodeTurn, fmt.Sprintf("within the last %s (prune.seed.protected_turns)", plain.CountPlain(s.Settings.ProtectedTurns, "user turn"))},
		tool: Reason{CodeTool, "the tool is not prunable (prune.seed.protected_tools, prune.seed.prunable_tools)"},
		budget: Reason{CodeBudget, fmt.Sprintf(
			"within the newest %v tokens of older tool output (prune.seed.protect)", protect)},
		old: Reason{CodeOld, fmt.Sprintf(
			"beyond the newest %v tokens of older tool output (prune.seed.protect)", protect)},
	}
}

// atLeast acts when the candidates have minimum tokens or more; key is the setting's name.
func atLeast(minimum token.Count, key string) When {
	return func(_ *Input, candidates []*Candidate) Verdict {
		var sum token.Count
		for _, c := range candidates {
			sum += c.Tokens
		}
		if sum >= minimum && len(candidates) > 0 {
			return Verdict{Act: true, Outcome: fmt.Sprintf(
				"pruned: %v prunable tokens >= %v (%s)", sum, minimum, key)}
		}
		if sum >= minimum {
			return Verdict{Outcome: "nothing: no tool output is prunable"}
		}
		sides := fmt.Sprintf("%v prunable tokens < %v (%s)", sum, minimum, key)
		return Verdict{Outcome: "nothing: " + sides, Hold: Reason{CodeMinimum, "prunable, but " + sides}}
	}
}
