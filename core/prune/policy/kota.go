package policy

import (
	"fmt"

	"github.com/coctostan/pictx/core/prune/marker"
	plain "github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// KotaSettings are the numbers of the policy "kota": pi-kota's, prune.* in
// pi-kota.json.
type KotaSettings struct {
	// KeepRecentTurns is the number of newest user turns that are left alone.
	KeepRecentTurns int
	// MaxToolChars is the length in UTF-16 units above which older output is pruned.
	MaxToolChars int
	// Adaptive makes the policy stricter in a context of AdaptiveTokens or more: it
	// protects at most one turn, prunes above two thirds of MaxToolChars, and prunes every
	// tool that can be run again.
	Adaptive       bool
	AdaptiveTokens token.Count
	// PinImpact keeps the results of kota_impact.
	PinImpact bool
}

// LargeContext is the AdaptiveTokens of pi-kota.
const LargeContext token.Count = 120_000

// Adaptive multiplies MaxToolChars by adaptiveNumerator / adaptiveDenominator.
const adaptiveNumerator, adaptiveDenominator = 2, 3

// NewKota returns the planner of the policy "kota", the hybrid of pi-kota's design:
// aggressive on payload, conservative on meaning. It needs only the messages and the size
// of the context, and acts on every request.
func NewKota(s KotaSettings) *Planner {
	return &Planner{
		Sources:     []Source{{"kota", s.propose}},
		Protections: append([]Protection{keepMarked, keepErrors, keepUnknownContent}, append(keepTools(AutoSettings{PinImpact: s.PinImpact}), keepPinned, keepPinnedPath)...),
		When:        atLeast(0, ""),
		Marker:      func(in *Input, c *Candidate) string { return marker.Kota(in.marked(c)) },
	}
}

// strict returns the settings to apply to a context, and whether it is a large one.
func (s *KotaSettings) strict(in *Input) (turns, chars int, large bool) {
	large = s.Adaptive && s.AdaptiveTokens > 0 && in.account().size() >= s.AdaptiveTokens
	if !large {
		return s.KeepRecentTurns, s.MaxToolChars, false
	}
	return min(s.KeepRecentTurns, 1), s.MaxToolChars * adaptiveNumerator / adaptiveDenominator, true
}

// propose is the source of the policy "kota". Before the newest user turns it proposes long
// output of read, bash and kota_search.
func (s *KotaSettings) propose(in *Input, say *Opinions) {
	turns, chars, large := s.strict(in)
	gone := Reason{CodeOld, fmt.Sprintf("older than %s and longer than %d characters", plain.CountPlain(turns, "user turn"), chars)}
	recent := Reason{CodeTurn, fmt.Sprintf("within the last %s (prune.keepRecentTurns)", plain.CountPlain(turns, "user turn"))}
	short := Reason{CodeSmall, fmt.Sprintf("not longer than %d characters (prune.maxToolChars)", chars)}
	for i := range in.results {
		r := &in.results[i]
		switch {
		case r.Turns < turns:
			say.Keep(r, recent)
		case !kotaPrunes(r, large):
			say.Keep(r, Reason{CodeTool, "the policy leaves the tool alone"})
		case r.Message.Head.Content.Chars <= chars:
			say.Keep(r, short)
		default:
			say.Prune(r, gone)
		}
	}
}

// kotaPrunes reports whether the policy may prune a tool's output: read and bash, code
// searches that returned snippets, which is not their default, and, in a large context, every
// tool that can be run again.
func kotaPrunes(r *Result, large bool) bool {
	switch name := r.Message.Head.ToolName; {
	case name == "read" || name == "bash":
		return true
	case name != "kota_search" || large:
		return large && tool.ClassOf(name) != tool.Other
	}
	snippets := false
	if r.Call != nil {
		tool.Members(r.Call.Arguments, func(name, value []byte) {
			if string(name) == `"output"` {
				snippets = string(value) == `"snippet"`
			}
		})
	}
	return snippets
}
