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
		Sources:     []Source{{"seed", s.propose}},
		Protections: []Protection{keepMarked, keepErrors, keepUnknownContent, keepPinned, keepPinnedPath},
		When:        atLeast(token.Count(s.Minimum), "prune.seed.minimum"),
		Marker:      func(in *Input, c *Candidate) string { return marker.Seed(in.marked(c)) },
	}
}

// oldRule provides the report words of the policies "seed" and "kota".
var oldRule = rule{code: CodeOld, report: "old"}

// propose is the source of the policy "seed". Walking from the newest result to the oldest, it
// skips the newest user turns and the tools that are not prunable, then Protect tokens of
// the rest, and proposes everything older.
//
// Results that a protection will keep, above all errors, count towards Protect because they
// are in the context as well. The original also counts errors towards Minimum, so that a
// large error can make it prune as little as a hundred tokens; here only what will really
// be pruned counts.
func (s *SeedSettings) propose(in *Input, say *Opinions) {
	protect := token.Count(s.Protect)
	turn := Reason{CodeTurn, fmt.Sprintf("within the last %s (prune.seed.protected_turns)", plain.CountPlain(s.ProtectedTurns, "user turn"))}
	tool := Reason{CodeTool, "the tool is not prunable (prune.seed.protected_tools, prune.seed.prunable_tools)"}
	budget := Reason{CodeBudget, fmt.Sprintf("within the newest %v tokens of older tool output (prune.seed.protect)", protect)}
	old := Reason{CodeOld, fmt.Sprintf("beyond the newest %v tokens of older tool output (prune.seed.protect)", protect)}
	var total token.Count
	for i := len(in.results) - 1; i >= 0; i-- {
		r := &in.results[i]
		switch {
		case r.Turns < s.ProtectedTurns:
			say.Keep(r, turn)
		case !s.prunable(r.Message.Head.ToolName):
			say.Keep(r, tool)
		case total < protect:
			// The result that exceeds the budget is kept whole.
			total += r.Tokens
			say.Keep(r, budget)
		default:
			say.Prune(r, old)
		}
	}
}

// prunable reports whether results of the tool may be pruned at all.
func (s *SeedSettings) prunable(tool string) bool {
	only := s.PrunableTools
	return !slices.Contains(s.ProtectedTools, tool) && (len(only) == 0 || slices.Contains(only, tool))
}

// atLeast acts when the candidates have minimum tokens or more; key is the setting's name, "" for
// none.
func atLeast(minimum token.Count, key string) When {
	return func(_ *Input, candidates []*Candidate) Verdict {
		var sum token.Count
		for _, c := range candidates {
			sum += c.Tokens
		}
		switch {
		case sum < minimum:
			sides := fmt.Sprintf("%v prunable tokens < %v (%s)", sum, minimum, key)
			return Verdict{Outcome: "nothing: " + sides, Hold: Reason{CodeMinimum, "prunable, but " + sides}}
		case len(candidates) == 0:
			return Verdict{Outcome: "nothing: no tool output is prunable"}
		case key == "":
			return Verdict{Act: true, Outcome: fmt.Sprintf("pruned: %v prunable tokens", sum)}
		}
		return Verdict{Act: true, Outcome: fmt.Sprintf("pruned: %v prunable tokens >= %v (%s)", sum, minimum, key)}
	}
}
