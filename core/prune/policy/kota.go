package policy

import (
	"fmt"

	"github.com/coctostan/pictx/core/message"
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
		Sources: []Source{Kota{s}},
		Protections: []Protection{
			KeepMarked, KeepErrors, KeepUnknownContent, keepTools(AutoSettings{PinImpact: s.PinImpact}), KeepPinned,
		},
		When:   always,
		Marker: func(in *Input, c Candidate) string { return marker.Kota(in.marked(c)) },
	}
}

// always acts whenever there are candidates.
func always(_ *Input, candidates []*Candidate) Verdict {
	var sum token.Count
	for _, c := range candidates {
		sum += c.Tokens
	}
	if len(candidates) == 0 {
		return Verdict{Outcome: "nothing: no tool output is prunable"}
	}
	return Verdict{Act: true, Outcome: fmt.Sprintf("pruned: %v prunable tokens", sum)}
}

// Kota is the source of the policy "kota". Before the newest user turns it proposes long
// output of read, bash and kota_search.
type Kota struct{ Settings KotaSettings }

// Name is the name of the policy.
func (Kota) Name() string { return "kota" }

// strict returns the settings to apply to a context, and whether it is a large one.
func (k Kota) strict(in *Input) (turns, chars int, large bool) {
	s := k.Settings
	turns, chars = s.KeepRecentTurns, s.MaxToolChars
	if !s.Adaptive || s.AdaptiveTokens <= 0 || in.size() < s.AdaptiveTokens {
		return turns, chars, false
	}
	return min(turns, 1), chars * adaptiveNumerator / adaptiveDenominator, true
}

// size returns the size of the coming prompt, as the provider counts it if that is known.
func (in *Input) size() token.Count {
	floor, scale := in.Situation.Floor, in.Situation.Scale
	if scale <= 0 {
		a := in.account()
		floor, scale = a.Floor, a.Scale
	}
	return floor + token.Count(scale*float64(in.total))
}

// Propose implements Source.
func (k Kota) Propose(in *Input) Proposals {
	turns, chars, large := k.strict(in)
	gone := Reason{CodeOld, fmt.Sprintf("older than %s and longer than %d characters", plain.CountPlain(turns, "user turn"), chars)}
	recent := Reason{CodeTurn, fmt.Sprintf("within the last %s (prune.keepRecentTurns)", plain.CountPlain(turns, "user turn"))}
	short := Reason{CodeSmall, fmt.Sprintf("not longer than %d characters (prune.maxToolChars)", chars)}
	tool := Reason{CodeTool, "the policy leaves the tool alone"}
	var out Proposals
	results := in.Results()
	for i := range results {
		r := &results[i]
		switch {
		case r.Turns < turns:
			out.Keep = append(out.Keep, Refusal{r.Index, recent})
		case !k.prunable(in, r, large):
			out.Keep = append(out.Keep, Refusal{r.Index, tool})
		case r.Message.Head.Content.Chars <= chars:
			out.Keep = append(out.Keep, Refusal{r.Index, short})
		default:
			out.Prune = append(out.Prune, Proposal{Index: r.Index, Reason: gone})
		}
	}
	return out
}

// prunable reports whether the policy may prune a tool's output: read and bash, code
// searches that returned snippets and, in a large context, every tool that can be run
// again.
func (k Kota) prunable(in *Input, r *Result, large bool) bool {
	switch name := r.Message.Head.ToolName; {
	case name == "read" || name == "bash":
		return true
	case name == "kota_search":
		return large || k.snippets(in.Call(r.Index))
	default:
		return large && tool.ClassOf(name) != tool.Other
	}
}

// snippets reports whether a search asked for snippets, which is not the default.
func (Kota) snippets(c *message.Call) bool {
	yes := false
	if c != nil {
		tool.Members(c.Arguments, func(name, value []byte) {
			if string(name) == `"output"` {
				yes = string(value) == `"snippet"`
			}
		})
	}
	return yes
}
