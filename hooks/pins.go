package hooks

import (
	"context"
	"slices"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/tool"
)

// storedPins returns the pins of the session in the store. When the store cannot be read
// there are none, and the pins recorded in the session apply.
func storedPins(ctx context.Context, c *Call) []prune.Pin {
	list, err := callStore{c}.Pins(ctx, c.Session.ID)
	if err != nil {
		return nil
	}
	return list
}

// latestPins returns the latest record of every pin of a branch, including those that were
// removed. Pins made in a shell are added to the reply: only the agent may write the
// session.
func latestPins(ctx context.Context, c *Call, b *prune.Branch) ([]prune.Pin, error) {
	list, carry, err := b.LatestPins(storedPins(ctx, c))
	carryPins(c, carry)
	return list, err
}

// carryPins has the agent record pins in the session, once for each event.
func carryPins(c *Call, pins []prune.Pin) {
	if len(pins) > 0 && !c.pinsCarried {
		c.pinsCarried = true
		c.Add(AppendEntry(prune.PinsEntry, prune.PinsData{Pins: pins}))
	}
}

// PinnedResults returns a function that reports whether a tool result is pinned on the branch.
func PinnedResults(ctx context.Context, c *Call) (func(entry string, a tool.Access) bool, error) {
	b, err := branchOf(ctx, c)
	if err != nil {
		return nil, err
	}
	latest, err := latestPins(ctx, c, b)
	pins := prune.PinsOf(latest)
	return func(entry string, a tool.Access) bool {
		return slices.Contains(pins.Entries, entry) || a.Path != "" && pins.HasPath(a.Path, c.CWD)
	}, err
}

// showAgain records in the session that pruned results are shown again.
func showAgain(c *Call, back []restored) {
	if len(back) == 0 {
		return
	}
	for _, r := range back {
		if c.CanDo(CanContextEdit) {
			c.Result().Entries = append(c.Result().Entries, EditEntry(r.entry, r.content))
		}
	}
	c.Result().Entries = append(c.Result().Entries, CustomEntry(prune.PinsEntry, prune.PinsData{Restored: entriesOf(back)}))
}

// keptByTool returns, as pins, the results that are never pruned because of the tool that
// returned them, except those with a pin record of their own.
func keptByTool(c *Call, b *prune.Branch, latest []prune.Pin) []prune.Pin {
	if set := c.Project.Config().Config.Prune; !set.Kota.PinImpact || set.Policy == config.PolicySeed {
		return nil
	}
	var out []prune.Pin
	for _, r := range b.Shown(c.CWD) {
		known := slices.ContainsFunc(latest, func(p prune.Pin) bool { return p.Target == r.Entry && !p.IsPath })
		if policy.KeptByName(r.Tool) && !r.Failed && !known {
			out = append(out, prune.Pin{Target: r.Entry, Reason: "answers of kota_impact stay (prune.pinImpactSummaries)"})
		}
	}
	return out
}
