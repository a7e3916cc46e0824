package policy

import (
	"slices"

	"github.com/coctostan/pictx/core/token"
)

// CodeDeactivated: pruned, the agent or a person deactivated it.
const CodeDeactivated = "deactivated"

// deactivateRule proposes deactivated results. Planner.WithStates adds its source.
var deactivateRule = rule{
	name: "deactivate", code: CodeDeactivated, words: words{marker: ", deactivated"},
}

// minDeactivated is the size in tokens below which a deactivated result stays: a marker
// would be as long.
const minDeactivated = 2 * markerSize

// deactivateSource proposes deactivated results of at least min tokens.
type deactivateSource struct{ min token.Count }

// Name implements Source.
func (deactivateSource) Name() string { return deactivateRule.name }

// Propose implements Source.
func (d deactivateSource) Propose(in *Input) Proposals {
	var out Proposals
	off := in.Situation.States.Inactive
	if len(off) == 0 {
		return out
	}
	for i := range in.results {
		r := &in.results[i]
		switch {
		case r.Message.EntryID == "" || !slices.Contains(off, r.Message.EntryID):
		case r.Tokens < d.min:
			out.Keep = append(out.Keep, Refusal{r.Index, Reason{CodeSmall, "deactivated, but a reference would be as long"}})
		default:
			out.Prune = append(out.Prune, Proposal{Index: r.Index, Reason: Reason{CodeDeactivated, "deactivated"}, Requested: true})
		}
	}
	return out
}
